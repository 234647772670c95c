# SPDX-License-Identifier: Apache-2.0
"""What the kept times of threads say: medians, ratios within launches, and who wins."""

from __future__ import annotations

import dataclasses
import math
import statistics
from typing import TYPE_CHECKING, Any

from espalier.base.intervals import median_interval
from espalier.base.units import three_digits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from espalier.base.intervals import Interval

BARRIER = "barrier"
FLAT = "flat"
LIBRARIES = ("pthread", "std", "conduit")


@dataclasses.dataclass(frozen=True)
class Kind:
    """Calls of one kind, and what they took in each launch."""

    threads: int
    call: str
    algorithm: str
    manner: str
    doubles: int
    us: tuple[float, ...]

    @property
    def median(self) -> float:
        """Return the median over launches."""
        return statistics.median(self.us)

    @property
    def radix(self) -> str:
        """Return `radix 2` or `flat` of a tree, also of a barrier along one."""
        return self.algorithm.partition(",")[0]

    @property
    def signals(self) -> str:
        """Return `pull push` of a barrier that has its arrivals pulled and its release pushed."""
        return self.algorithm.partition(", ")[2]

    @property
    def is_tree(self) -> bool:
        """Tell whether it goes along a tree, be it flat."""
        return self.radix == FLAT or self.radix.startswith("radix")


def kinds_of(records: Iterable[Mapping[str, Any]]) -> list[Kind]:
    """Return all kinds."""
    return [Kind(**{**record, "us": tuple(record["us"])}) for record in records]


def fastest(kinds: Iterable[Kind]) -> Kind:
    """Return the one with the least median."""
    return min(kinds, key=lambda one: one.median)


def ratio(over: Kind, under: Kind) -> Interval:
    """Return how many times as long the first takes: the median of launches, and its interval."""
    return median_interval([a / b for a, b in zip(over.us, under.us, strict=True)])


def ratio_text(over: Kind, under: Kind) -> str:
    """Return a ratio and its interval."""
    found = ratio(over, under)
    low, high = three_digits(found.low), three_digits(found.high)
    return f"{three_digits(found.value)} ({low} .. {high})"


def time_text(kind: Kind) -> str:
    """Return microseconds and their interval."""
    found = median_interval(kind.us)
    low, high = three_digits(found.low), three_digits(found.high)
    return f"{three_digits(found.value)} ({low} .. {high})"


def microseconds(kind: Kind) -> str:
    """Return the median."""
    return f"{three_digits(kind.median)} us"


def barriers_of(kinds: Sequence[Kind], threads: int) -> list[Kind]:
    """Return the barriers of so many threads."""
    return [one for one in kinds if one.call == BARRIER and one.threads == threads]


def trees_of(kinds: Sequence[Kind], call: str, threads: int, manner: str) -> dict[int, list[Kind]]:
    """Return the trees of a collective by size, the flat one last."""
    found: dict[int, list[Kind]] = {}
    for one in kinds:
        if one.is_tree and (one.call, one.threads, one.manner) == (call, threads, manner):
            found.setdefault(one.doubles, []).append(one)
    return found


def flat_and_deeper(trees: Sequence[Kind]) -> tuple[Kind, Kind]:
    """Return the flat tree, and the fastest of those that have several levels."""
    flat = next(one for one in trees if one.radix == FLAT)
    return flat, fastest(one for one in trees if one.radix != FLAT)


def crossover(trees: Mapping[int, Sequence[Kind]]) -> int | None:
    """Return the size from which on a deeper tree is faster than flat for sure, if there is one."""
    found = None
    for doubles in sorted(trees, reverse=True):
        flat, deeper = flat_and_deeper(trees[doubles])
        if ratio(deeper, flat).high >= 1:
            break
        found = doubles
    return found


def chosen_by(trees: Mapping[int, Sequence[Kind]], crossover_doubles: int | None) -> float:
    """Return the most that is lost by taking flat below a crossover, and a deeper tree from it on.

    It is a ratio to the faster of both.
    """
    limit = math.inf if crossover_doubles is None else crossover_doubles
    lost = 1.0
    for doubles, some in trees.items():
        flat, deeper = flat_and_deeper(some)
        taken = deeper if doubles >= limit else flat
        lost = max(lost, taken.median / min(flat.median, deeper.median))
    return lost


def strict_over_loose(kinds: Sequence[Kind], call: str, threads: int) -> dict[int, float]:
    """Return how many times as long the best strict call takes as the best loose one, by size."""
    strict, loose = (trees_of(kinds, call, threads, manner) for manner in ("strict", "loose"))
    return {
        doubles: ratio(fastest(strict[doubles]), fastest(loose[doubles])).value for doubles in loose
    }


def shortest_and_longest(
    trees: Mapping[int, Sequence[Kind]], is_meant: Callable[[int], bool]
) -> tuple[float, float]:
    """Return least and greatest ratio of the best deeper tree to flat, of sizes that are meant."""
    ratios = []
    for doubles, some in trees.items():
        if is_meant(doubles):
            flat, deeper = flat_and_deeper(some)
            ratios.append(ratio(deeper, flat).value)
    return min(ratios), max(ratios)
