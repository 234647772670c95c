# SPDX-License-Identifier: Apache-2.0
"""Layouts of ranks as rows and columns, and how much time they save."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclasses.dataclass(frozen=True)
class Range:
    """Least, mean and greatest of some percentages."""

    low: float
    mean: float
    high: float


def two_factor_layouts(num_ranks: int) -> list[str]:
    """Return all layouts of at least two rows and two columns, fewest rows first."""
    return [
        f"{rows}x{num_ranks // rows}"
        for rows in range(2, num_ranks // 2 + 1)
        if num_ranks % rows == 0
    ]


def three_factor_layouts(
    declared: Sequence[Mapping[str, Any]], operation: str, num_ranks: int
) -> list[str]:
    """Return the declared layouts of three phases."""
    return [
        layout
        for entry in declared
        if entry["ranks"] == num_ranks and operation in entry["operations"]
        for layout in entry["layouts"]
    ]


def factors_of(layout: str) -> list[int]:
    """Return the group sizes of a layout, that of the first phase of a bcast first."""
    return [int(factor) for factor in layout.split("x")]


def choice_of(operation: str, layout: str, phase: str) -> str:
    """Return the catalog's name of a layout whose phases all use one schedule."""
    rows = layout.rpartition("x")[0]
    return f"{operation}/orthogonal[rows={rows},inner={phase},across={phase}]"


def layout_of(choice: str, num_ranks: int) -> str:
    """Return the layout of such a name."""
    rows = choice.partition("rows=")[2].partition(",")[0]
    return f"{rows}x{num_ranks // math.prod(factors_of(rows))}"


def balance(layout: str) -> float:
    """Return the largest by the smallest group: 1 is balanced."""
    factors = factors_of(layout)
    return max(factors) / min(factors)


def reduction(old_us: float, new_us: float) -> float:
    """Return by how many percent a time is shorter; negative if it is longer."""
    return 100 * (old_us - new_us) / old_us


def range_of(values: Sequence[float]) -> Range:
    """Return least, mean and greatest."""
    return Range(min(values), sum(values) / len(values), max(values))


def best_single(reductions: Mapping[str, Sequence[float]]) -> str:
    """Return the layout with the greatest mean over the sizes; the more balanced one of equals."""
    return max(reductions, key=lambda name: (range_of(reductions[name]).mean, -balance(name)))


@dataclasses.dataclass(frozen=True)
class Interval:
    """Sizes in a row with one choice: a layout, or `native`."""

    low_bytes: int
    high_bytes: int
    choice: str


def select(
    native_us: Mapping[int, float], layouts_us: Mapping[str, Mapping[int, float]]
) -> list[Interval]:
    """Choose for each size the fastest layout, native where none is faster; join neighbours."""
    intervals: list[Interval] = []
    for size in sorted(native_us):
        best = min(layouts_us, key=lambda name: (layouts_us[name][size], balance(name)))
        choice = best if layouts_us[best][size] < native_us[size] else "native"
        if intervals and intervals[-1].choice == choice:
            intervals[-1] = dataclasses.replace(intervals[-1], high_bytes=size)
        else:
            intervals.append(Interval(size, size, choice))
    return intervals
