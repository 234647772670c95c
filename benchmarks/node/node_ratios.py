# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the comparison inside a node: pure functions of what launches printed.

A cell is a call and a size under one setting of an MPI library and one number of ranks. Its ratio
is our time divided by that of the library: the median over launches of what each launch found,
which is a median over turns. With n launches least and greatest cover the true median with
1 - 2^(1 - n) confidence.
"""

from __future__ import annotations

import math
import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

DEFAULT = "default"


@dataclass(frozen=True)
class Cell:
    """A call of one size under one setting."""

    mpi: str
    setting: str
    num_ranks: int
    call: str
    num_bytes: int
    native_us: float
    ours_us: float
    ratios: tuple[float, ...]  # of launches

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do: such calls return at once, and nobody waits."""
        return self.num_bytes == 0 and self.call != "barrier"

    @property
    def ratio(self) -> float:
        """Our time as a share of that of the library."""
        return statistics.median(self.ratios)

    @property
    def low(self) -> float:
        """The least ratio of a launch."""
        return min(self.ratios)

    @property
    def high(self) -> float:
        """The greatest ratio of a launch."""
        return max(self.ratios)


@dataclass(frozen=True)
class Goal:
    """What is wanted for some calls up to a size, and what is wanted for all."""

    calls: tuple[str, ...]
    most_bytes: int
    of_best_default: float
    of_best_setting: float
    never_above: float

    def is_for(self, cell: Cell) -> bool:
        """Whether a cell counts."""
        return cell.call in self.calls and cell.num_bytes <= self.most_bytes and not cell.is_empty


def goal_of(declared: Mapping[str, Any]) -> Goal:
    """Return the goal that experiments.toml declares."""
    return Goal(**{**declared["goal"], "calls": tuple(declared["goal"]["calls"])})


def name_of(library: str) -> str:
    """Return what a library calls itself, shortened: `Open MPI 4.1.4`, `MPICH 5.0.2`."""
    shorter = re.sub(r"\(R\)| Library| for .*", "", library)
    return re.sub(r"\s+(Version:\s*)?v?(?=\d)", " ", shorter)


def row_of(lines: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what is kept of a launch: for each call native, ours and ratio by size in order."""
    kept: dict[str, Any] = {"calls": {}}
    for line in lines:
        if "call" in line:
            point = [line["native_us"], line["ours_us"], line["ratio"]]
            kept["calls"].setdefault(line["call"], []).append(point)
        elif line.get("limit") == "line":
            kept["line_us"] = line["us"]
        elif line.get("limit") == "copy":
            kept.setdefault("copy_us", {})[str(line["bytes"])] = line["us"]
    return kept


def cells_of(records: Iterable[Mapping[str, Any]], sizes: Sequence[int]) -> list[Cell]:
    """Return the cells of all settings that were launched."""
    return [
        _cell(record, call, size, [launch["calls"][call][place] for launch in record["launches"]])
        for record in records
        if record.get("launches")
        for call, points in record["launches"][0]["calls"].items()
        for place, size in enumerate(sizes[: len(points)])
    ]


def _cell(
    record: Mapping[str, Any], call: str, size: int, points: Sequence[Sequence[float]]
) -> Cell:
    native, ours, ratios = zip(*points, strict=True)
    return Cell(
        record["mpi"],
        record["setting"],
        record["ranks"],
        call,
        size,
        statistics.median(native),
        statistics.median(ours),
        tuple(ratios),
    )


@dataclass(frozen=True)
class Contest:
    """A call of one size with so many ranks: the library that is the fastest by itself, and set."""

    best_default: Cell
    best_setting: Cell


def contests(cells: Iterable[Cell]) -> list[Contest]:
    """Return one for each number of ranks, call and size, in the order of the cells."""
    groups: dict[tuple[int, str, int], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.num_ranks, cell.call, cell.num_bytes), []).append(cell)
    return [
        Contest(
            min((one for one in group if one.setting == DEFAULT), key=lambda one: one.native_us),
            min(group, key=lambda one: one.native_us),
        )
        for group in groups.values()
        if any(one.setting == DEFAULT for one in group)
    ]


def is_met(contest: Contest, goal: Goal) -> tuple[bool, bool]:
    """Return whether the share of the best default is reached, and that of the best setting."""
    return (
        contest.best_default.ratio <= goal.of_best_default,
        contest.best_setting.ratio <= goal.of_best_setting,
    )


def losses(cells: Iterable[Cell], goal: Goal) -> list[Cell]:
    """Return the cells above what none should be above, the worst first."""
    return sorted(
        (one for one in cells if one.ratio > goal.never_above), key=lambda one: -one.ratio
    )


def mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def spreads(cells: Iterable[Cell]) -> list[float]:
    """Return how much the ratios of launches differ in each cell, in ascending order."""
    return sorted(one.high / one.low for one in cells)


def limits(records: Iterable[Mapping[str, Any]]) -> tuple[list[float], dict[int, float]]:
    """Return microseconds of a cache line in each launch, and of copies by size."""
    launches = [
        launch for record in records for launch in record.get("launches", []) if "line_us" in launch
    ]
    sizes = sorted({int(size) for launch in launches for size in launch["copy_us"]})
    copies = {
        size: statistics.median(launch["copy_us"][str(size)] for launch in launches)
        for size in sizes
    }
    return [launch["line_us"] for launch in launches], copies


def least_us(call: str, size: int, launch: Mapping[str, Any]) -> float:
    """Return what a call needs at least: a line from core to core, and one copy of the data."""
    copied = launch["copy_us"][str(size)] if call == "bcast" and size > 0 else 0.0
    return float(launch["line_us"] + copied)


@dataclass(frozen=True)
class Multiples:
    """How many times as long as the least of the same launch calls take: medians over launches."""

    least_us: float
    ours: float
    native: float


def multiples_of(cell: Cell, records: Iterable[Mapping[str, Any]], place: int) -> Multiples:
    """Return them for a cell whose size has this place among those that are declared.

    The cores of a virtual machine are near each other in one launch and far in the next, so that
    only what was measured in the same one may be compared.
    """
    own = next(
        one
        for one in records
        if (one["mpi"], one["setting"], one["ranks"]) == (cell.mpi, cell.setting, cell.num_ranks)
    )
    rows = []
    for launch in own["launches"]:
        least = least_us(cell.call, cell.num_bytes, launch)
        native, ours, _ = launch["calls"][cell.call][place]
        rows.append((least, ours / least, native / least))
    return Multiples(*(statistics.median(column) for column in zip(*rows, strict=True)))
