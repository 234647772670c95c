# SPDX-License-Identifier: Apache-2.0
"""Tables of the replayed times of one-sided programs."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from simulated_times import table

from espalier.base.units import bytes_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from put_times import PutTime

OPERATIONS = ("bcast", "scatter", "gather", "reduce")
PLANNED = (*OPERATIONS, "allgather", "alltoall", "allreduce", "reduce_scatter")
REQUESTS = ("strict single", "strict local", "loose single")


def shorter(old_us: float, new_us: float) -> float:
    """Return by how many percent a time is shorter."""
    return 100 * (1 - new_us / old_us)


class PutTimes:
    """The times by what they are of."""

    def __init__(self, times: Sequence[PutTime]) -> None:
        """Sort them."""
        self._times = {
            (one.part, one.operation, one.num_bytes, one.manner): one
            for one in times
            if one.part != "passes"
        }
        self.passes = {(one.name, one.manner): one.us for one in times if one.part == "passes"}

    def us(self, part: str, operation: str, num_bytes: int, manner: str) -> float:
        """Return a time."""
        return self._times[part, operation, num_bytes, manner].us

    def name(self, part: str, operation: str, num_bytes: int, manner: str) -> str:
        """Return which candidate was the fastest."""
        return self._times[part, operation, num_bytes, manner].name.partition("/")[2]

    def sizes(self, part: str, operation: str) -> list[int]:
        """Return the sizes, growing."""
        return sorted({key[2] for key in self._times if key[:2] == (part, operation)})

    def gains(self, part: str, operation: str, old: str, new: str) -> dict[int, float]:
        """Return by size the percentage by which the new manner is shorter."""
        return {
            size: shorter(self.us(part, operation, size, old), self.us(part, operation, size, new))
            for size in self.sizes(part, operation)
        }


def saved_percent(times: PutTimes, choice: str) -> float:
    """Return by how much a fused synchronization is shorter than one apart."""
    return shorter(times.passes[choice, "apart"], times.passes[choice, "fused"])


def pass_table(times: PutTimes) -> str:
    """Return what synchronization inside a collective saves."""
    rows = [
        [
            name,
            *(f"{times.passes[name, one]:.4g}" for one in ("loose", "apart", "fused")),
            f"{saved_percent(times, name):.0f}",
        ]
        for name, manner in times.passes
        if manner == "fused"
    ]
    head = ["tree", "loose: us", "with a barrier apart: us", "fused: us", "percent saved"]
    return table(head, rows)


def manner_table(times: PutTimes, part: str, manners: Mapping[str, str]) -> str:
    """Return a part by size: microseconds, and the fastest candidate where there were several."""
    rows = []
    for operation in ("message", *OPERATIONS, "alltoall", "allgather"):
        for size in times.sizes(part, operation):
            cells = []
            for manner in manners:
                name = times.name(part, operation, size, manner)
                us = f"{times.us(part, operation, size, manner):.4g}"
                cells.append(f"{us}, {name}" if name else us)
            rows.append([operation, bytes_text(size), *cells])
    return table(["operation", "size", *(f"{name}: us" for name in manners.values())], rows)


def improvement_table(
    times: PutTimes, published: Mapping[str, Mapping[str, Sequence[float]]]
) -> str:
    """Return the improvement over MPI, 8 B to 2 KiB, beside table 5.2."""
    rows = []
    for operation in OPERATIONS:
        cells = []
        for manner, theirs in (("strict", "strict"), ("flags", "strict"), ("loose", "loose")):
            gains = times.gains("peers", operation, f"MPI {theirs}", manner)
            own = [gain for size, gain in gains.items() if size <= 2048]
            cells.append(f"{statistics.median(own):.0f} / {max(own):.0f}")
        middle, most = published[operation]["Ranger"]
        rows.append([operation, *cells, f"{middle} / {most}"])
    head = ["operation", "strict: median / greatest", "ALLSYNC flags", "loose"]
    return table([*head, "published, Ranger"], rows)


def planning_table(times: PutTimes) -> str:
    """Return what the planner chose, and by how much the best of all candidates is shorter."""
    rows = []
    for operation in PLANNED:
        for size in times.sizes("planning", operation):
            cells = []
            for request in REQUESTS:
                us = times.us("planning", operation, size, f"{request} planned")
                name = times.name("planning", operation, size, f"{request} planned")
                loss = shorter(us, times.us("planning", operation, size, f"{request} all"))
                cells.append(f"{us:.4g}, {name}" + (f" ({loss:.0f} % lost)" if loss >= 0.5 else ""))
            rows.append([operation, bytes_text(size), *cells])
    return table(["operation", "size", *(f"{request}: us" for request in REQUESTS)], rows)
