# SPDX-License-Identifier: Apache-2.0
"""Files that make a launcher start rank i of a program where a mapping puts position i.

Open MPI   rankfile       rank 0=n1 slot=3     node and core of each rank
           host file      n1                   node of rank 0, 1, ..., for the mapper `seq`
MPICH      machine file   n1:2 binding=user:3,0  runs of ranks on one node
SLURM      host file      n1                   node of rank 0, 1, ...
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import shlex
from typing import TYPE_CHECKING

from espalier.conditions.cautions import Caution
from espalier.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from espalier.maps.seats import Seat, Seats

launchers = ("openmpi", "mpich", "slurm")
_PROGRAM = "./program"


@dataclasses.dataclass(frozen=True)
class LaunchFile:
    """A file for a launcher, and the command that uses it."""

    launcher: str
    text: str
    words: list[str]  # {file} stands for the path
    environment: dict[str, str]
    binds: bool
    cautions: list[Caution]
    note: str = ""

    def command(self, path: str) -> str:
        """Return the command line for a file at this path."""
        setting = [
            f"{name}={shlex.quote(value.format(file=path))}"
            for name, value in self.environment.items()
        ]
        words = [shlex.quote(word.format(file=path)) for word in self.words]
        return " ".join([*setting, *words])


def binding(launcher: str, wanted: bool | None) -> bool:
    """Return whether a file says cores; if nobody wants anything, only for Open MPI.

    MPICH's numbers are those of the operating system, which a machine does not tell.

    Raises:
        ArgumentError: there is no such launcher, or its files cannot say cores.
    """
    if launcher not in launchers:
        raise ArgumentError(f"expected --for {', '.join(launchers)}, got '{launcher}'")
    if launcher == "slurm" and wanted:
        raise ArgumentError(
            "expected --bind with --for openmpi or mpich, got slurm",
            "host files of SLURM say nodes, not cores",
        )
    return launcher == "openmpi" if wanted is None else wanted


def default_path(launcher: str, *, binds: bool) -> str:
    """Return the name of the file if none is given."""
    return {"openmpi": "rankfile" if binds else "hostfile", "mpich": "machinefile"}.get(
        launcher, "hostfile"
    )


def make(launcher: str, seats: Seats, hosts: Sequence[str], *, binds: bool) -> LaunchFile:
    """Return the file for one of `launchers`; `hosts` are the names of the nodes."""
    makers = {
        "openmpi": _openmpi_rankfile if binds else _openmpi_hosts,
        "mpich": lambda *given: _mpich(*given, binds=binds),
        "slurm": _slurm,
    }
    return makers[launcher](seats, hosts)


def _openmpi_rankfile(seats: Seats, hosts: Sequence[str]) -> LaunchFile:
    lines = [
        f"rank {rank}={hosts[seat.node]} slot={seat.core}"
        for rank, seat in enumerate(seats.of_position)
    ]
    threads = ["--use-hwthread-cpus"] if seats.cores_are_threads else []
    number = str(len(lines))
    return LaunchFile(
        "openmpi",
        _joined(lines),
        ["mpirun", "--rankfile", "{file}", *threads, "-n", number, _PROGRAM],
        {},
        binds=True,
        cautions=[],
        note="Open MPI 5 prefers --map-by rankfile:file={file} to --rankfile {file}",
    )


def _openmpi_hosts(seats: Seats, hosts: Sequence[str]) -> LaunchFile:
    lines = [hosts[seat.node] for seat in seats.of_position]
    options = ["--hostfile", "{file}", "--map-by", "seq", "--bind-to", "none"]
    return LaunchFile(
        "openmpi",
        _joined(lines),
        ["mpirun", *options, "-n", str(len(lines)), _PROGRAM],
        {},
        binds=False,
        cautions=_unbound(seats, "leave out --no-bind"),
    )


def _mpich(seats: Seats, hosts: Sequence[str], *, binds: bool) -> LaunchFile:
    lines = []
    for run in _runs(seats.of_position):
        cores = ",".join(str(seat.core) for seat in run)
        binding = f" binding=user:{cores}" if binds else ""
        lines.append(f"{hosts[run[0].node]}:{len(run)}{binding}")
    cautions = [_numbers()] if binds else _unbound(seats, "say the cores with --bind")
    return LaunchFile(
        "mpich",
        _joined(lines),
        ["mpiexec", "-machinefile", "{file}", "-n", str(len(seats.of_position)), _PROGRAM],
        {},
        binds,
        cautions=[*cautions, *_torn_nodes(seats)],
    )


def _slurm(seats: Seats, hosts: Sequence[str]) -> LaunchFile:
    lines = [hosts[seat.node] for seat in seats.of_position]
    return LaunchFile(
        "slurm",
        _joined(lines),
        ["srun", "--distribution=arbitrary", "-n", str(len(lines)), _PROGRAM],
        {"SLURM_HOSTFILE": "{file}"},
        binds=False,
        cautions=_unbound(seats, "if that matters, start the program with --for openmpi"),
    )


def _runs(seats: Sequence[Seat]) -> Iterator[list[Seat]]:
    """Yield ranks that follow each other on one node."""
    for _, run in itertools.groupby(seats, key=lambda seat: seat.node):
        yield list(run)


def _unbound(seats: Seats, advice: str) -> list[Caution]:
    if not seats.part_name:
        return []
    return [
        Caution(
            "unbound",
            f"the file says the node of each rank, not its {seats.part_name}: what the mapping"
            " gains inside nodes is left to the launcher",
            advice,
        )
    ]


def _numbers() -> Caution:
    return Caution(
        "numbers",
        "MPICH binds by the operating system's numbers of processors, which were assumed to go"
        " through the cores of a node one after the other",
        "look at 'lscpu -e' on a node; if they do not, use --no-bind",
    )


def _torn_nodes(seats: Seats) -> list[Caution]:
    """Tell what Hydra makes of a node that occurs in several lines."""
    runs = [run[0].node for run in _runs(seats.of_position)]
    if len(runs) == len(set(runs)):
        return []
    parts = max(collections.Counter(runs).values())
    return [
        Caution(
            "torn_nodes",
            f"MPICH's mpiexec takes each line of the file for a node of its own, and a node here"
            f" has up to {parts}: their ranks share no memory, in MPI_COMM_TYPE_SHARED neither",
            "measure it against the order as it is; srun and Open MPI keep nodes whole, and so"
            " does reordering in the program or under it",
        )
    ]


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"
