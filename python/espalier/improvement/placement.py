# SPDX-License-Identifier: Apache-2.0
"""Whether the ranks of a program should be started elsewhere on the hosts that it has.

The traffic of the counted run says how much goes between hosts, and what another order of the ranks
would leave of it. A file for the launcher makes it start the ranks so; nothing else changes for the
program, whose ranks keep their numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from espalier.compare.analysis import FASTER, compare_pairs
from espalier.compare.experiment import PLAIN, Design, Failure, Runner
from espalier.conditions.cautions import Caution
from espalier.errors import ArgumentError
from espalier.io.output_files import write_whole
from espalier.launch.options import HYDRA, OPENMPI, SRUN
from espalier.maps import choosing, launcher_files, seats, traffic
from espalier.maps.choosing import Effort

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
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
        *("nooversubscribe", "npersocket", "ppr", "cpus-per-proc", "cpus-per-rank"),
    },
    HYDRA.name: {
        *("f", "hosts", "host", "hostfile", "machinefile", "ppn", "perhost", "grr", "rr"),
        *("map-by", "rank-map", "order-nodes"),
    },
    SRUN.name: {"m", "distribution", "ntasks-per-node"},
}
# Options of Open MPI that say to which cores ranks are bound, and those by which they are several.
_BINDING = {"bind-to", "bind-to-core", "bind-to-socket"}
_SEVERAL_CORES = re.compile(
    r"-+(map-by[ =].*:(.*,)?PE=|cpus-per-(proc|rank)[ =])(?!1\b)\d", re.IGNORECASE
)
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
    cautions: tuple[Caution, ...] = ()

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
    cautions = (*launch.cautions, *_unbound(command))
    return Proposal(judgement, nodes, path, placed(command, launch, path), cautions=cautions)


def placed(command: LaunchCommand, launch: LaunchFile, path: Path) -> LaunchCommand:
    """Return a command with a file in place of the options that say where its ranks run."""
    family = command.family
    added = {
        OPENMPI.name: ("--hostfile", str(path.resolve()), "--map-by", "seq"),
        # With -f, Intel MPI takes each host once, and its own number of ranks a host.
        HYDRA.name: ("-machinefile", str(path.resolve())),
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
    """Return the options that do not say where ranks run.

    The mapper of a file knows nothing of several cores for each rank: to bind ranks that had them
    would leave them one.
    """
    is_unbound = bool(_with_several_cores(command))
    left_out = _PLACING[command.family.name] | (_BINDING if is_unbound else set())
    kept = [
        word
        for option in _options(command)
        if not (option[0].startswith("-") and option[0].lstrip("-").partition("=")[0] in left_out)
        for word in option
    ]
    return [*kept, "--bind-to", "none"] if is_unbound else kept


def _options(command: LaunchCommand) -> Iterator[Sequence[str]]:
    """Yield the options, each with the words that belong to it."""
    words = command.options
    while words:
        count = 1 + (command.family.words_after(words[0]) or 0)
        yield words[:count]
        words = words[count:]


def _with_several_cores(command: LaunchCommand) -> str:
    """Return the option of Open MPI that gives each rank several cores; empty if there is none."""
    if command.family is not OPENMPI:
        return ""
    options = (" ".join(option) for option in _options(command))
    return next((option for option in options if _SEVERAL_CORES.match(option)), "")


def _unbound(command: LaunchCommand) -> list[Caution]:
    """Tell that ranks are not bound with the file, if they are without it."""
    option = _with_several_cores(command)
    if not option:
        return []
    return [
        Caution(
            "binding",
            f"'{option}' gives each rank several cores, which the mapper of the file cannot: with"
            " it, ranks are not bound",
            "compare whole runs with --try-placement, or write a rankfile with the cores of each"
            " rank",
        )
    ]


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
