# SPDX-License-Identifier: Apache-2.0
"""Who is best in a cell, and by how much: the arithmetic of the tables of [loch2021].

A field is the time of each algorithm in one cell, for one metric and under one mapping or, united,
under the better of both for each algorithm. An algorithm is best if it is faster than all others;
its improvement is then 1 - time / time of the second. Where two are equally fast, which measured
times never are and simulated ones may be, neither is best.
"""

from __future__ import annotations

import dataclasses
import statistics
from typing import TYPE_CHECKING

from declared import MAPPINGS, Cell
from results import METRICS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from results import Times

    Place = tuple[int, int]  # number of ranks, size
    Fields = dict[Place, dict[str, float]]

SPARBIT = "sparbit"
UNITED = "united"
LINEAR = ("ring", "neighbor_exchange")
LOGARITHMIC = ("recursive_doubling", "bruck")
# Shares of a time that are no difference: results are kept with so many digits.
_EQUAL = 1e-6


def fields(times: Mapping[Cell, Times], mapping: str, metric: str) -> Fields:
    """Return the fields of all cells that are there, under each mapping that is asked for."""
    wanted = MAPPINGS if mapping == UNITED else (mapping,)
    position = METRICS.index(metric)
    found: Fields = {}
    seen: dict[Place, set[str]] = {}
    for cell, by_name in times.items():
        if cell.mapping not in wanted:
            continue
        place = (cell.num_ranks, cell.size)
        seen.setdefault(place, set()).add(cell.mapping)
        field = found.setdefault(place, {})
        for name, values in by_name.items():
            field[name] = min(values[position], field.get(name, values[position]))
    return {place: found[place] for place in sorted(found) if len(seen[place]) == len(wanted)}


def winner(field: Mapping[str, float]) -> str | None:
    """Return who is best; nobody if several are, or nobody takes part."""
    if not field:
        return None
    first, *others = sorted(field, key=lambda name: field[name])
    if others and field[others[0]] <= field[first] * (1 + _EQUAL):
        return None
    return first


def improvement(field: Mapping[str, float], name: str = SPARBIT) -> float | None:
    """Return by which share of the second's time an algorithm is best; None if it is not."""
    rivals = [value for other, value in field.items() if other != name]
    if name not in field or not rivals or winner(field) != name:
        return None
    return 1 - field[name] / min(rivals)


def against(field: Mapping[str, float], rivals: Collection[str]) -> dict[str, float]:
    """Return a field with Sparbit and only these."""
    return {name: value for name, value in field.items() if name == SPARBIT or name in rivals}


@dataclasses.dataclass(frozen=True)
class Tally:
    """How often something is best, and its improvements there."""

    num_cells: int
    improvements: tuple[float, ...]

    @property
    def wins(self) -> int:
        """Return in how many cells it is best."""
        return len(self.improvements)

    @property
    def percentages(self) -> tuple[float, float, float, float]:
        """Return best in, mean, median, highest, as the tables have them."""
        if not self.wins:
            return (0.0, 0.0, 0.0, 0.0)
        return (
            100 * self.wins / self.num_cells,
            100 * statistics.fmean(self.improvements),
            100 * statistics.median(self.improvements),
            100 * max(self.improvements),
        )


def tally(cells: Iterable[Mapping[str, float]], name: str = SPARBIT) -> Tally:
    """Return the row of a table."""
    found = [improvement(field, name) for field in cells]
    return Tally(len(found), tuple(value for value in found if value is not None))


@dataclasses.dataclass(frozen=True)
class Overlap:
    """In how many cells Sparbit is best by which metrics."""

    any_metric: int
    all_metrics: int
    max_best: int
    max_and_avg_best: int


def overlap(times: Mapping[Cell, Times], mapping: str) -> Overlap:
    """Return the overlap of the cells that are best by minimum, average and maximum."""
    best = {
        metric: {
            place
            for place, field in fields(times, mapping, metric).items()
            if winner(field) == SPARBIT
        }
        for metric in METRICS
    }
    return Overlap(
        any_metric=len(set.union(*best.values())),
        all_metrics=len(set.intersection(*best.values())),
        max_best=len(best["max"]),
        max_and_avg_best=len(best["max"] & best["avg"]),
    )


def taken_from(cells: Iterable[Mapping[str, float]], holders: Collection[str]) -> tuple[int, int]:
    """Return how many cells the holders would have, and how many Sparbit has against the rest.

    This is what the source calls the area of the logarithmic (linear) algorithms: Sparbit is
    compared there with the linear (logarithmic) ones only.
    """
    held = won = 0
    for field in cells:
        classic = {name: value for name, value in field.items() if name != SPARBIT}
        rest = [name for name in classic if name not in holders]
        if min(classic, key=lambda name: classic[name]) in holders:
            held += 1
            won += winner(against(field, rest)) == SPARBIT
    return held, won
