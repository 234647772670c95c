# SPDX-License-Identifier: Apache-2.0
"""The scan: which round trips show who is near to whom.

It is the second of three launches. The first only asks the ranks where they are, because which
pairs are disjoint nodes is not known before; the third looks at what the scan found.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from espalier.base.units import bytes_text
from espalier.errors import ArgumentError
from espalier.probing import pairings
from espalier.probing.plan import Effort, Plan, PlannedTest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from espalier.probing.plan import PairSet
    from espalier.probing.samples import Header, Pair, Result

MATRIX = "matrix"
"""Label of round trips of all ranks or of a sample."""
ALONE = "alone"
"""Label of round trips that were in a set of several pairs, repeated alone."""
DEFAULT_BYTES = 16384
# As the plan's schema has it.
_LARGEST_BYTES = 2**30
MOST_RANKS_ONE_BY_ONE = 24
_MOST_RANKS_BOTH_WAYS = 64
_NUM_CHECKS = 8
_TOLERANCE = 1.15
_SECONDS_PER_SET = (0.005, 0.25)


@dataclass(frozen=True)
class ScanWish:
    """What the user wants of the scan.

    `all_pairs` measures every rank with every other; else above 24 ranks `sample` rank pairs of
    each two nodes are measured.
    """

    num_bytes: int = DEFAULT_BYTES
    all_pairs: bool = False
    sample: int = 1
    spread: float | None = None
    seed: int = 1

    def check(self) -> None:
        """Raise ArgumentError for what the measuring program would refuse."""
        if self.num_bytes > _LARGEST_BYTES:
            raise ArgumentError(
                f"expected messages of {bytes_text(_LARGEST_BYTES)} at most with --bytes, got"
                f" {bytes_text(self.num_bytes)}",
                "choose smaller messages",
            )
        if self.spread is not None and not 0 < self.spread < math.inf:
            raise ArgumentError(
                f"expected a share above 0 with --spread, got {self.spread:g}",
                "give for example 0.05, which is 5 %",
            )


@dataclass(frozen=True)
class Comparison:
    """Times of pairs together with others, relative to the same pairs alone: the median."""

    ratio: float
    num_pairs: int

    @property
    def is_disturbed(self) -> bool:
        """Return whether pairs that ran together slowed each other down."""
        return self.ratio > _TOLERANCE


def scan_plan(
    header: Header, wish: ScanWish, seconds: float, *, is_concurrent: bool = True
) -> Plan:
    """Return the plan; pairs of disjoint nodes run together if `is_concurrent`."""
    nodes = nodes_of(header)
    cuts: list[str] = []
    if header.num_ranks <= MOST_RANKS_ONE_BY_ONE:
        sets: list[PairSet] = [(pair,) for pair in pairings.all_pairs(header.num_ranks)]
    else:
        sets = _inside(nodes, cuts) + _between(nodes, wish, cuts)
    alone = _checks(sets)
    if not is_concurrent:
        sets = [(pair,) for pairs in sets for pair in pairs]
        alone = []
    tests = [PlannedTest("latency", MATRIX, (wish.num_bytes,), tuple(sets))]
    if alone:
        tests.append(PlannedTest("latency", ALONE, (wish.num_bytes,), tuple(alone)))
    return Plan(tuple(tests), _effort(header, wish, seconds, len(sets) + len(alone)), tuple(cuts))


def nodes_of(header: Header) -> list[list[int]]:
    """Return the ranks of each node, as the ranks themselves see it."""
    nodes: dict[int, list[int]] = {}
    for facts in header.ranks:
        nodes.setdefault(facts.node, []).append(facts.rank)
    return list(nodes.values())


def compare(results: Iterable[Result]) -> Comparison | None:
    """Return how much slower pairs were together with others; None if nothing says so."""
    together: dict[Pair, float] = {}
    alone: dict[Pair, float] = {}
    for result in results:
        if result.test == "latency" and result.label in {MATRIX, ALONE}:
            times = alone if result.label == ALONE else together
            times.update(zip(result.pairs, result.median_us, strict=True))
    ratios = [together[pair] / time for pair, time in alone.items() if pair in together]
    return Comparison(statistics.median(ratios), len(ratios)) if ratios else None


def _inside(nodes: Sequence[Sequence[int]], cuts: list[str]) -> list[PairSet]:
    """Return the pairs inside nodes: the same places of all nodes together."""
    most = max(len(node) for node in nodes)
    places = pairings.all_pairs(most)
    if most > _MOST_RANKS_BOTH_WAYS:
        places = pairings.one_direction(places)
        cuts.append(f"inside nodes of {most} ranks only one direction of each pair was measured")
    sets = []
    for i, j in places:
        pairs = [(node[i], node[j]) for node in nodes if max(i, j) < len(node)]
        if pairs:
            sets.append(tuple(pairs))
    return sets


def _between(nodes: Sequence[Sequence[int]], wish: ScanWish, cuts: list[str]) -> list[PairSet]:
    """Return the pairs between nodes: disjoint pairs of nodes together, both directions."""
    most = max(len(node) for node in nodes) ** 2
    wanted = most if wish.all_pairs else min(most, wish.sample)
    if len(nodes) > 1 and wanted < most:
        cuts.append(
            f"of each two nodes {wanted} pair(s) of ranks were measured in both directions, not all"
        )
    sets = []
    for meeting in pairings.tournament(len(nodes)):
        for number in range(wanted):
            pairs = [
                found
                for a, b in meeting
                if (found := _pair_number(nodes[a], nodes[b], number)) is not None
            ]
            if pairs:
                sets.append(tuple(pairs))
                sets.append(tuple((j, i) for i, j in pairs))
    return sets


def _pair_number(a: Sequence[int], b: Sequence[int], number: int) -> Pair | None:
    """Return one of the pairs between two nodes; the first ones use other ranks each time."""
    if number >= len(a) * len(b):
        return None
    step, i = divmod(number, len(a))
    return a[i], b[(i + step) % len(b)]


def _checks(sets: Sequence[PairSet]) -> list[PairSet]:
    """Return pairs that are measured with others, to be measured alone too."""
    crowded = [pairs for pairs in sets if len(pairs) > 1]
    step = max(1, len(crowded) // _NUM_CHECKS)
    chosen = crowded[::step][:_NUM_CHECKS]
    return [(pairs[number % len(pairs)],) for number, pairs in enumerate(chosen)]


def _effort(header: Header, wish: ScanWish, seconds: float, num_sets: int) -> Effort:
    low, high = _SECONDS_PER_SET
    is_exact = header.is_simulated
    return Effort(
        seconds=seconds,
        seconds_per_set=min(high, max(low, 2 * seconds / max(1, num_sets))),
        min_repetitions=2 if is_exact else 10,
        max_repetitions=2 if is_exact else 500,
        spread=wish.spread,
        seed=wish.seed,
    )
