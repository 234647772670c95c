# SPDX-License-Identifier: Apache-2.0
"""Replayed times of one-sided programs and of MPI's messages on the same network, as a table."""

from __future__ import annotations

import csv
import dataclasses
from typing import TYPE_CHECKING, Any

from espalier import _core

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_Machine = tuple[float, float, float, float, float, float, float]
_Form = tuple[str, str, str]

STRICT = "IN_ALLSYNC|OUT_ALLSYNC"
LOOSE = "IN_NOSYNC|OUT_NOSYNC"
OWN = "IN_MYSYNC|OUT_MYSYNC"
MECHANISMS = {
    "single": ("signaling_put", "counting_put"),
    "local": ("eager", "rendezvous", "counting_put"),
}
BARRIER = "barrier/dissemination"
HAS_PARTS = {"scatter", "gather", "alltoall", "allgather", "reduce_scatter"}


@dataclasses.dataclass(frozen=True)
class PutTime:
    """The mean time of a call, of the fastest candidate of a manner; bytes of one contribution."""

    part: str
    operation: str
    num_ranks: int
    num_bytes: int
    manner: str
    name: str
    us: float


@dataclasses.dataclass(frozen=True)
class Calls:
    """So many calls, behind each other or underway together, with a barrier at each or none."""

    number: int = 1
    are_together: bool = False
    barrier: str = ""
    is_barrier_first: bool = False


@dataclasses.dataclass(frozen=True)
class Network:
    """The network of a study, as one-sided programs see it and as messages of MPI do."""

    puts: _Machine
    messages: _Machine
    eager_bytes: int

    def mechanisms_of_messages(self, num_bytes: int) -> tuple[str, ...]:
        """Return how MPI may send what one rank contributes."""
        eager = ("eager",) if num_bytes <= self.eager_bytes else ()
        return (*eager, "rendezvous")


def network_of(declared: Mapping[str, Any]) -> Network:
    """Return the declared network."""
    given = declared["one_sided"]
    latency, overhead, gap, per_byte = given["loggp"]
    own = (latency, overhead, gap, per_byte)
    memory = (given["copy"], given["combine"])
    return Network((*own, 0.0, *memory), (*own, given["matching"], *memory), given["eager_bytes"])


def mean_us(
    choice: str, num_ranks: int, num_bytes: int, form: _Form, machine: _Machine, calls: Calls
) -> float:
    """Return the mean time of a call; bytes are what one rank contributes or receives."""
    parts = num_ranks if choice.partition("/")[0] in HAS_PARTS else 1
    ends = _core.one_sided_call_times(
        choice,
        num_ranks,
        float(num_bytes * parts),
        form,
        machine,
        (calls.number, calls.are_together, calls.barrier, calls.is_barrier_first),
    )
    return ends[-1] / calls.number


def write_times(times: Iterable[PutTime], path: Path) -> None:
    """Write a table, one time a line."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in dataclasses.fields(PutTime)])
        for one in times:
            writer.writerow([*dataclasses.astuple(one)[:-1], f"{one.us:.6g}"])


def read_times(path: Path) -> list[PutTime]:
    """Read such a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            PutTime(
                *(row["part"], row["operation"], int(row["num_ranks"]), int(row["num_bytes"])),
                *(row["manner"], row["name"], float(row["us"])),
            )
            for row in csv.DictReader(file)
        ]
