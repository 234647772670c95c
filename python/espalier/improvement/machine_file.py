# SPDX-License-Identifier: Apache-2.0
"""The machine on which the program runs: named by the user, probed before, or probed now."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from espalier.errors import Error
from espalier.io.console import say
from espalier.machines import machines
from espalier.probing import prober
from espalier.probing.outcome import Files, samples_path
from espalier.sampling.setting import Setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_SUFFIX = ".machine.json"


def path_beside(profile: Path) -> Path:
    """Return where the machine that was probed for a profile is kept."""
    return profile.with_name(profile.stem + _SUFFIX)


def setting_of(
    machine: machines.Machine, num_ranks: int, group: Sequence[int] | None = None
) -> Setting:
    """Return where so many ranks of a job lie on a machine, or some of them, in their order."""
    if group is None:
        placement, _ = machines.setting(machine, None, num_ranks)
        return Setting(machine.text, placement, num_ranks)
    has_cores = len(machine.core_of_rank) == num_ranks
    cores = [machine.core_of_rank[rank] if has_cores else rank for rank in group]
    return Setting(machine.text, "list:" + ",".join(map(str, cores)), len(group))


def kept(path: Path, header: Mapping[str, Any]) -> machines.Machine | None:
    """Return the machine that was probed before for a job like this one; None if there is none.

    It has to have a place for each rank, as many nodes, and the same ranks together on them: a
    machine file of another job, or one that cannot be read, is measured anew.
    """
    if not path.is_file():
        return None
    try:
        machine = machines.load(str(path))
        problem = _problem(machine, header)
    except Error as error:
        say(f"note: {error.text}; measuring the machine anew")
        return None
    if problem:
        say(f"note: {path}: {problem}; measuring the machine anew")
        return None
    return machine


def _problem(machine: machines.Machine, header: Mapping[str, Any]) -> str:
    """Return why the job of a machine is another one than that of a header; empty if it is not."""
    num_ranks, num_places = header["num_ranks"], len(machine.core_of_rank)
    if num_places != num_ranks:
        return (
            f"expected a machine with the place of each of {num_ranks} ranks, found places of"
            f" {num_places}"
        )
    names = [level.name for level in machine.levels]
    level = names.index("node") if "node" in names else None
    num_nodes = 1 if level is None else machine.levels[level].num_objects
    if num_nodes != header["num_nodes"]:
        return f"expected the machine of ranks on {header['num_nodes']} nodes, found {num_nodes}"
    # Who started the ranks may not have said where they are.
    nodes = header.get("node_of_rank")
    if not nodes or level is None:
        return ""
    before = machine.place(None, num_ranks)["levels"][level]["object_of_rank"]
    if _renumbered(before) != _renumbered(nodes):
        return "its ranks lay on other nodes than those of this job, which its costs are not for"
    return ""


def _renumbered(nodes: Sequence[int]) -> list[int]:
    """Return nodes with numbers in the order in which ranks come to them."""
    numbers = {node: number for number, node in enumerate(dict.fromkeys(nodes))}
    return [numbers[node] for node in nodes]


def probe(launcher: Sequence[str], path: Path, seconds: float, vendor: str) -> machines.Machine:
    """Measure what messages cost between the ranks that a launcher starts, and keep it in a file.

    Raises:
        MpiError: the launcher or the program failed.
        Interrupted: by the user, or a signal.
    """
    repeat = shlex.join(
        ["espalier", "probe", "-o", str(path), "--time-budget", f"{seconds:.0f}s", "--", *launcher]
    )
    files = Files(path, samples=samples_path(path))
    prober.probe(prober.Job(tuple(launcher), files, vendor, repeat), prober.Goal(seconds))
    return machines.load(str(path))
