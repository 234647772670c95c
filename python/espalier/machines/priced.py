# SPDX-License-Identifier: Apache-2.0
"""Machines that say what messages cost: without that nothing can be predicted or simulated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from espalier.errors import ArgumentError, FileError
from espalier.io.console import say
from espalier.machines import machines

DEFAULT_FILE = "espalier-machine.json"


def load(what: str) -> machines.Machine:
    """Return the machine of a text or file; say what is odd about it.

    Raises:
        ArgumentError: the machine has no costs.
        FileError: there is no such file.
    """
    advice = f"'espalier probe -o {DEFAULT_FILE} -- mpirun -n 4' writes one"
    if what == DEFAULT_FILE and not Path(what).is_file():
        raise FileError(f"expected a machine file {what}, found none", advice)
    found = machines.load(what)
    if not has_costs(found):
        raise ArgumentError(
            f"expected a machine that says what messages cost, got '{what}'",
            f"put it in brackets, as in 4c[latency=300ns,bandwidth=6GB/s]; {advice}",
        )
    for text in [*machines.cautions(found), *machines.cautions_of_models(found)]:
        say(f"note: {text}")
    return found


def has_costs(machine: machines.Machine) -> bool:
    """Return whether a machine says of some level what messages cost."""
    return any(level.link.is_known for level in machine.levels)


def described(machine: machines.Machine, placement: str) -> dict[str, Any]:
    """Return what a profile says of a machine that nothing was measured on."""
    return {"text": machine.short_text, "placement": placement}
