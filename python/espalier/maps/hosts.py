# SPDX-License-Identifier: Apache-2.0
"""What the nodes of a machine are called by a launcher."""

from __future__ import annotations

import collections
import os
from pathlib import Path
from typing import TYPE_CHECKING

from espalier import _core
from espalier.errors import ArgumentError
from espalier.io import documents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from espalier.machines.machines import Machine


def names_of(
    machine: Machine,
    num_nodes: int,
    given: str | None,
    environment: Mapping[str, str] = os.environ,
) -> list[str]:
    """Return a name for each node.

    They are those given (a list such as `n[01-50]` or `a,b`, or a file with one in each line), else
    those in the machine file, else those of the SLURM job this runs in if it has as many nodes.

    Raises:
        ArgumentError: there are none, another number, or a name occurs twice.
    """
    if given is not None:
        return _checked(_of_option(given), num_nodes, machine.name)
    if names := machine.names("node"):
        return _checked(names, num_nodes, machine.name)
    listed = environment.get("SLURM_JOB_NODELIST", "")
    names = _core.host_names(listed) if listed else []
    if len(names) == num_nodes:
        return _checked(names, num_nodes, machine.name)
    raise ArgumentError(
        f"expected {_names_text(num_nodes)} of '{machine.name}', got none",
        "give them with --hosts node[01-50], --hosts FILE, or in a machine file from 'espalier"
        " probe' or 'espalier machine --slurm'",
    )


def _of_option(text: str) -> list[str]:
    if documents.is_file(text):
        content = documents.read_text(Path(text))
        lines = (line.partition("#")[0].split() for line in content.splitlines())
        # A name for each slot, as batch systems write them, counts once.
        return list(dict.fromkeys(words[0].partition(":")[0] for words in lines if words))
    return _core.host_names(text)


def _names_text(num_nodes: int) -> str:
    return "the name of the node" if num_nodes == 1 else f"the names of the {num_nodes} nodes"


def _checked(names: list[str], num_nodes: int, machine: str) -> list[str]:
    if len(names) != num_nodes:
        raise ArgumentError(f"expected {_names_text(num_nodes)} of '{machine}', got {len(names)}")
    twice, times = collections.Counter(names).most_common(1)[0]
    if times > 1:
        raise ArgumentError(
            f"expected a name for each node, got '{twice}' twice",
            "each node needs a line of its own, without repetitions",
        )
    return names
