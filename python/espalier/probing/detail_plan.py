# SPDX-License-Identifier: Apache-2.0
"""The details: what to measure of each level once the scan has shown the levels.

Labels say which pairs are active, as `<level>/<configuration>`:

* `pair`: one typical pair of the level, alone
* `across`: 1, 2, .. pairs from one object of the level to another of the same parent
* `disjoint`: 1, 2, .. pairs of objects inside one parent, no object in two of them; for cores these
  are pairs inside one group
* `disjoint 2`, `disjoint 3`, ..: the same in other parents of that node
* `everywhere`: the same in all parents of a node at once
* `halves`: pairs between the two halves of a node, whatever levels are in it

The source's tests: external are `node/across`, internal `halves` (or what is the same), inside one
group, both groups and across groups `disjoint`, `everywhere` and `across` of the levels in a node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from espalier.base.units import bytes_text, time_text
from espalier.probing import pairings
from espalier.probing.level_pairs import pairs_of
from espalier.probing.plan import Effort, Plan, PlannedTest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from espalier.probing.level_pairs import LevelPairs
    from espalier.probing.plan import PairSet
    from espalier.probing.samples import Test
    from espalier.probing.scan import Scan


_KIB, _MIB = 1 << 10, 1 << 20
SMALL_BYTES = tuple(1 << power for power in range(17))
LARGE_BYTES = tuple(128 * _KIB << power for power in range(8))
_FEW_BYTES = (1 * _KIB, 8 * _KIB, 64 * _KIB)
_OVERHEAD_BYTES = (8, 1 * _KIB, 8 * _KIB)
_RATE_BYTES, _RATE_MESSAGES = 8, 100
_SHARE_OF_LATENCY = 0.2
_SHARE_OF_TIME = 0.8
# The time of smaller messages is latency, and says nothing of the bandwidth.
_LEAST_TELLING_BYTES = 1 * _KIB


@dataclass(frozen=True)
class Limits:
    """What fits in the time: the largest messages, alone and of many pairs, and how many."""

    max_bytes: int
    multi_bytes: int
    messages: int
    is_dense: bool


_LADDER = (
    Limits(16 * _MIB, 8 * _MIB, 16, is_dense=True),
    Limits(16 * _MIB, 2 * _MIB, 10, is_dense=True),
    Limits(8 * _MIB, 1 * _MIB, 10, is_dense=True),
    Limits(4 * _MIB, 1 * _MIB, 8, is_dense=False),
    Limits(2 * _MIB, 512 * _KIB, 8, is_dense=False),
    Limits(1 * _MIB, 256 * _KIB, 6, is_dense=False),
    Limits(512 * _KIB, 256 * _KIB, 4, is_dense=False),
)


def detail_plan(scan: Scan, seconds: float, *, scan_bytes: int, seed: int = 1) -> Plan:
    """Return what to measure in this time; `scan_bytes` is the size of the scan's messages."""
    found = [one for one in (pairs_of(scan, level) for level in scan.levels) if one]
    min_repetitions = 3 if scan.header.is_simulated else 10
    for limits in _LADDER:
        tests = _tests(found, limits)
        cost = _Cost(found, scan_bytes, min_repetitions)
        if cost.seconds(tests) <= _SHARE_OF_TIME * seconds:
            break
    num_points = max(1, sum(test.num_points for test in tests))
    longest = max((cost.of_longest(test) for test in tests), default=0.0)
    effort = Effort(
        seconds=seconds,
        seconds_per_set=min(seconds, max(0.02, longest, 3 * seconds / num_points)),
        min_repetitions=min_repetitions,
        max_repetitions=min_repetitions if scan.header.is_simulated else 2000,
        seed=seed,
    )
    return Plan(tuple(tests), effort, tuple(_cuts(limits, seconds)))


def _cuts(limits: Limits, seconds: float) -> list[str]:
    whole = _LADDER[0]
    within = f"to stay within {time_text(seconds)}"
    cuts = []
    if limits.max_bytes < whole.max_bytes:
        cuts.append(f"messages above {bytes_text(limits.max_bytes)} were left out {within}")
    if limits.multi_bytes < whole.multi_bytes:
        cuts.append(
            f"of several pairs at a time messages above {bytes_text(limits.multi_bytes)} were left"
            f" out {within}"
        )
    if not limits.is_dense:
        cuts.append(f"not every number of pairs was measured {within}")
    return cuts


def _tests(levels: Sequence[LevelPairs], limits: Limits) -> list[PlannedTest]:
    """Return the tests, the most important ones first: what comes late may find no time."""
    stages = (_small, _large, _back_to_back, _many_bandwidth, _many_latency, _costs, _everywhere)
    return [test for stage in stages for level in levels for test in stage(level, limits)]


def _single(level: LevelPairs) -> tuple[PairSet, ...]:
    return ((level.pair,),)


def _small(level: LevelPairs, _limits: Limits) -> Iterable[PlannedTest]:
    yield PlannedTest("latency", f"{level.name}/pair", SMALL_BYTES, _single(level))


def _large(level: LevelPairs, limits: Limits) -> Iterable[PlannedTest]:
    sizes = tuple(size for size in LARGE_BYTES if size <= limits.max_bytes)
    yield PlannedTest("latency", f"{level.name}/pair", sizes, _single(level))


def _back_to_back(level: LevelPairs, limits: Limits) -> Iterable[PlannedTest]:
    tests: tuple[Test, ...] = ("bandwidth", "bidirectional")
    for test in tests:
        sizes = (64 * _KIB, limits.multi_bytes)
        label = f"{level.name}/pair"
        yield PlannedTest(test, label, sizes, _single(level), limits.messages)


def _many_bandwidth(level: LevelPairs, limits: Limits) -> Iterable[PlannedTest]:
    for name, pairs in level.configurations:
        label = f"{level.name}/{name}"
        sets = tuple(pairings.growing(pairs, dense=limits.is_dense))
        yield PlannedTest("bandwidth", label, (limits.multi_bytes,), sets, limits.messages)


def _many_latency(level: LevelPairs, limits: Limits) -> Iterable[PlannedTest]:
    for name, pairs in level.configurations:
        label = f"{level.name}/{name}"
        sets = tuple(pairings.growing(pairs, dense=limits.is_dense))
        yield PlannedTest("latency", label, (*_FEW_BYTES, limits.multi_bytes), sets)
        yield PlannedTest("message_rate", label, (_RATE_BYTES,), sets, _RATE_MESSAGES)


def _costs(level: LevelPairs, _limits: Limits) -> Iterable[PlannedTest]:
    label = f"{level.name}/pair"
    yield PlannedTest("send_overhead", label, _OVERHEAD_BYTES, _single(level))
    yield PlannedTest("receive_overhead", label, _OVERHEAD_BYTES, _single(level))
    yield PlannedTest("message_rate", label, (_RATE_BYTES,), _single(level), _RATE_MESSAGES)


def _everywhere(level: LevelPairs, limits: Limits) -> Iterable[PlannedTest]:
    for name, pairs in level.siblings:
        sets = tuple(pairings.growing(pairs, dense=False))
        yield PlannedTest("latency", f"{level.name}/{name}", (limits.multi_bytes,), sets)
    if level.everywhere:
        label = f"{level.name}/everywhere"
        size = (limits.multi_bytes,)
        yield PlannedTest("latency", label, size, level.everywhere)
        yield PlannedTest("bandwidth", label, size, level.everywhere, limits.messages)


class _Cost:
    """About how long points take, from the round trips of the scan."""

    def __init__(self, levels: Sequence[LevelPairs], scan_bytes: int, min_repetitions: int) -> None:
        self._rtt_us = {level.name: level.rtt_us for level in levels}
        self._scan_bytes = max(scan_bytes, _LEAST_TELLING_BYTES)
        self._min_repetitions = min_repetitions

    def seconds(self, tests: Iterable[PlannedTest]) -> float:
        return sum(
            self.of_point(test, size, len(pairs))
            for test in tests
            for pairs in test.sets
            for size in test.bytes
        )

    def of_longest(self, test: PlannedTest) -> float:
        """Return the seconds of the largest size of the largest set."""
        return self.of_point(test, max(test.bytes), max(map(len, test.sets)))

    def of_point(self, test: PlannedTest, size: int, num_pairs: int) -> float:
        """Return the seconds of the fewest repetitions; links are shared by half of the pairs."""
        level = test.label.partition("/")[0]
        share = _SHARE_OF_LATENCY + (1 - _SHARE_OF_LATENCY) * size / self._scan_bytes
        one_way_us = self._rtt_us[level] / 2 * share
        crossings = 2 if test.messages == 1 else test.messages + 1
        crowd = (1 + num_pairs) / 2
        return 1e-6 * self._min_repetitions * crossings * one_way_us * crowd
