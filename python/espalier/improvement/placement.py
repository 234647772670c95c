# SPDX-License-Identifier: Apache-2.0
"""Whether the ranks of a program should be started elsewhere on the hosts that it has.

The traffic of the counted run says how much goes between hosts, and what another order of the ranks
would leave of it. A file for the launcher makes it start the ranks so; nothing else changes for the
program, whose ranks keep their numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from espalier.compare.analysis import FASTER, compare_pairs
from espalier.compare.experiment import PLAIN, Design, Failure, Runner
from espalier.errors import ArgumentError
from espalier.io.output_files import write_whole
from espalier.launch.options import HYDRA, OPENMPI, SRUN
from espalier.maps import choosing, launcher_files, seats, traffic
from espalier.maps.choosing import Effort

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from espalier.compare.analysis import Comparison
    from espalier.launch.command import LaunchCommand
    from espalier.launch.preload import Target
    from espalier.launch.traffic import Traffic
    from espalier.maps.launcher_files import LaunchFile
    from espalier.maps.traffic import Judgement

_SUFFIX = ".hosts"
_LAUNCHERS = {OPENMPI.name: "openmpi", HYDRA.name: "mpich", SRUN.name: "slurm"}
# Options that say where ranks run, which the file does in their place.
_PLACING = {
    OPENMPI.name: {
        *("H", "host", "hostfile", "machinefile", "default-hostfile", "rankfile", "rf"),
        *("N", "npernode", "map-by", "rank-by", "bynode", "byslot", "bycore", "pernode"),
        *("nooversubscribe", "npersocket", "ppr"),
    },
    HYDRA.name: {"f", "hosts", "host", "hostfile", "machinefile", "ppn", "map-by", "rank-map"},
    SRUN.name: {"m", "distribution", "ntasks-per-node"},
}
_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Proposal:
    """Another placement: what it saves, the file that makes it, and what whole runs say of it.

    Without a file the ranks run where they should, as far as the bytes between hosts tell.
    """

    judgement: Judgement
    nodes: tuple[str, ...]
    file: Path | None = None
    command: LaunchCommand | None = None
    comparison: Comparison | None = None
    failure: str = ""

    @property
    def is_kept(self) -> bool:
        """Return whether whole runs were significantly faster with it."""
        return self.comparison is not None and self.comparison.verdict == FASTER

    def to_json(self) -> dict[str, Any]:
        """Return the proposal as plain data."""
        return {
            **self.judgement.to_json(),
            "nodes": list(self.nodes),
            "file": None if self.file is None else str(self.file),
            "command": None if self.command is None else self.command.text(),
            "wall": None if self.comparison is None else self.comparison.to_json(),
            "failure": self.failure,
            "is_kept": self.is_kept,
        }


def path_beside(profile: Path) -> Path:
    """Return where the file for the launcher is written."""
    return profile.with_name(profile.stem + _SUFFIX)


def propose(counted: Traffic, command: LaunchCommand, profile: Path) -> Proposal | None:
    """Return the best placement on the hosts of a counted run, and write its file if it helps.

    None: there is one host, or nobody sent anything that is counted.
    """
    if len(counted.nodes) < 2 or not any(counted.sent.values()):
        return None
    site = traffic.site_of(counted)
    result = choosing.map_edges(traffic.problem_of(counted), site, Effort()).result
    judgement = traffic.judge(counted, counted.node_of_rank, result)
    nodes = tuple(counted.nodes)
    if not judgement.helps or command.family.name not in _LAUNCHERS:
        return Proposal(judgement, nodes)
    kind = _LAUNCHERS[command.family.name]
    launch = launcher_files.make(kind, seats.seats_of(site, result["rank_at"]), nodes, binds=False)
    path = path_beside(profile)
    write_whole(path, launch.text, "file for the launcher", "choose another folder with -o")
    return Proposal(judgement, nodes, path, placed(command, launch, path))


def placed(command: LaunchCommand, launch: LaunchFile, path: Path) -> LaunchCommand:
    """Return a command with a file in place of the options that say where its ranks run."""
    family = command.family
    added = {
        OPENMPI.name: ("--hostfile", str(path.resolve()), "--map-by", "seq"),
        HYDRA.name: ("-f", str(path.resolve())),
        SRUN.name: ("--distribution=arbitrary",),
    }
    wrapper = command.wrapper
    if launch.environment:
        variables = [
            f"{name}={value.format(file=path.resolve())}"
            for name, value in launch.environment.items()
        ]
        wrapper = ("env", *variables, *wrapper)
    options = (*_without_placing(command), *added[family.name])
    return replace(command, wrapper=wrapper, options=options)


def _without_placing(command: LaunchCommand) -> Sequence[str]:
    """Return the options that do not say where ranks run."""
    kept: list[str] = []
    words = list(command.options)
    while words:
        count = 1 + (command.family.words_after(words[0]) or 0)
        name = words[0].lstrip("-").partition("=")[0]
        if not (words[0].startswith("-") and name in _PLACING[command.family.name]):
            kept += words[:count]
        words = words[count:]
    return kept


def try_out(proposal: Proposal, target: Target, repetitions: int) -> Proposal:
    """Compare whole runs, as the ranks are placed now and as the file places them, in turns."""
    if proposal.command is None:
        raise ArgumentError("expected a placement with a file, got none")
    design = Design(profile=None)
    now = Runner(target, design)
    other = Runner(replace(target, command=proposal.command), design)
    # Not counted: it shows whether the launcher takes the file.
    first = other.run(PLAIN, -1)
    if isinstance(first, Failure):
        return replace(proposal, failure=first.text)
    seconds: dict[Runner, list[float]] = {now: [], other: []}
    for block in range(repetitions):
        for runner in (now, other) if block % 2 else (other, now):
            found = runner.run(PLAIN, block)
            if isinstance(found, Failure):
                return replace(proposal, failure=found.text)
            seconds[runner].append(found.seconds)
    return replace(proposal, comparison=compare_pairs(seconds[now], seconds[other], _CONFIDENCE))
