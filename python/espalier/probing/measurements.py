# SPDX-License-Identifier: Apache-2.0
"""The results that tell about one level."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from espalier.probing.fits import Timing, Train

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from espalier.probing.samples import Result, Test
    from espalier.probing.scan import Scan

Kind = Literal["channels", "shared_channels"]
_LARGE_BYTES = 64 * 1024
_LEAST_DUPLEX, _MOST_DUPLEX = 0.5, 2.5


@dataclass(frozen=True)
class Series:
    """Total bandwidth in 10^6 bytes/s by number of pairs, and which channels it shows."""

    label: str
    bytes: int
    totals: dict[int, float]


class Measurements:
    """Results whose outermost pair crosses a level; `pure` are those whose pairs all do."""

    def __init__(self, scan: Scan, number: int, results: Iterable[Result]) -> None:
        """Select the results of a level."""
        self._scan = scan
        self._number = number
        self._all = [result for result in results if self._outermost(result) == number]

    def _outermost(self, result: Result) -> int:
        return min(self._scan.crossing(*pair) for pair in result.pairs)

    def _pure(self, test: Test) -> list[Result]:
        return [
            result
            for result in self._all
            if result.test == test
            and all(self._scan.crossing(*pair) == self._number for pair in result.pairs)
        ]

    def single(self, test: Test) -> list[Result]:
        """Return results of one pair alone."""
        return [result for result in self._pure(test) if len(result.pairs) == 1]

    def round_trips(self) -> list[Timing]:
        """Return the round trips of single pairs, by size; medians over pairs."""
        sizes = sorted({result.bytes for result in self.single("latency")})
        return [
            _timing([result for result in self.single("latency") if result.bytes == size])
            for size in sizes
        ]

    def trains(self) -> list[Train]:
        """Return the times of messages back to back of single pairs."""
        keys = sorted({(result.bytes, result.messages) for result in self.single("bandwidth")})
        return [
            Train(
                _timing(
                    [
                        result
                        for result in self.single("bandwidth")
                        if (result.bytes, result.messages) == (size, messages)
                    ]
                ),
                messages,
            )
            for size, messages in keys
        ]

    def smallest(self, test: Test) -> Timing | None:
        """Return the time of the smallest size of a test."""
        results = self.single(test)
        size = min((result.bytes for result in results), default=None)
        return _timing([r for r in results if r.bytes == size]) if size is not None else None

    def messages_of(self, test: Test) -> int:
        """Return how many messages the smallest size of a test had."""
        return min(self.single(test), key=lambda result: result.bytes).messages

    def several(self, test: Test) -> list[dict[str, Any]]:
        """Return the results of growing numbers of pairs as plain data."""
        grown = {
            (result.label, result.bytes)
            for result in self._all
            if result.test == test and len(result.pairs) > 1
        }
        return [
            _several(result)
            for result in self._all
            if result.test == test and (result.label, result.bytes) in grown
        ]

    def duplex_factor(self) -> float | None:
        """Return how much more both directions move than one, of the largest size of both.

        Two directions never move less than half of one, or much more than twice as much; a size
        that says so was disturbed.
        """
        both, one = self.single("bidirectional"), self.single("bandwidth")
        for size in sorted({r.bytes for r in both} & {r.bytes for r in one}, reverse=True):
            rate = float(np.median([_rate(r) for r in one if r.bytes == size]))
            factor = float(np.median([2 * _rate(r) for r in both if r.bytes == size])) / rate
            if _LEAST_DUPLEX <= factor <= _MOST_DUPLEX:
                return factor
        return None

    def series(self, kind: Kind) -> Series | None:
        """Return the longest series of the largest size that shows channels of this kind."""
        found: dict[tuple[str, int], list[Result]] = defaultdict(list)
        for result in self._pure("bandwidth") or self._pure("latency"):
            if result.bytes >= _LARGE_BYTES:
                found[result.label, result.bytes].append(result)
        candidates = [
            Series(label, size, self._totals(results))
            for (label, size), results in found.items()
            if self._kind(max(results, key=lambda result: len(result.pairs))) == kind
        ]
        usable = [series for series in candidates if 1 in series.totals]
        return max(usable, key=lambda one: (one.bytes, len(one.totals)), default=None)

    def _totals(self, results: Sequence[Result]) -> dict[int, float]:
        """Return totals by number of pairs; for one pair also from other sets of one pair."""
        first = results[0]
        alone = [
            result
            for result in self.single(first.test)
            if (result.bytes, result.messages) == (first.bytes, first.messages)
        ]
        rates: dict[int, list[float]] = defaultdict(list)
        for result in {id(result): result for result in (*results, *alone)}.values():
            rates[len(result.pairs)].append(_rate(result))
        return {count: float(np.median(values)) for count, values in rates.items()}

    def _kind(self, largest: Result) -> Kind | None:
        """Return what a set of pairs shares: one object's ways in and out, or one parent."""
        objects = self._scan.levels[self._number].object_of_rank
        senders = [objects[sender] for sender, _ in largest.pairs]
        receivers = [objects[receiver] for _, receiver in largest.pairs]
        if len(largest.pairs) < 2:
            return None
        if len(set(senders)) == 1 or len(set(receivers)) == 1:
            return "channels"
        if len({*senders, *receivers}) == 2 * len(largest.pairs) and self._one_parent(largest):
            return "shared_channels"
        return None

    def _one_parent(self, result: Result) -> bool:
        if self._number == 0:
            return True
        above = self._scan.levels[self._number - 1].object_of_rank
        return len({above[sender] for sender, _ in result.pairs}) == 1


def _timing(results: Sequence[Result]) -> Timing:
    median, low, high = (
        float(np.median([time for result in results for time in getattr(result, name)]))
        for name in ("median_us", "low_us", "high_us")
    )
    errors = [error for result in results for error in _median_errors(result)]
    return Timing(results[0].bytes, median, low, high, float(np.median(errors)) if errors else None)


def _median_errors(result: Result) -> list[float]:
    """Return standard errors of the medians, from the half that disturbances cannot lengthen.

    Half of the times lie between the shortest and the median, about two standard deviations.
    """
    scale = 1.25 / (2 * np.sqrt(result.repetitions))
    return [
        float(scale * (median - least))
        for median, least in zip(result.median_us, result.min_us, strict=bool(result.min_us))
    ]


def _rate(result: Result) -> float:
    """Return what all pairs of a set move, in 10^6 bytes/s; a round trip moves a message twice."""
    moved = 2 if result.test == "latency" else result.messages
    return sum(moved * result.bytes / time for time in result.median_us)


def _several(result: Result) -> dict[str, Any]:
    moved = 2 if result.test == "latency" else result.messages
    return {
        "label": result.label,
        "pairs": len(result.pairs),
        "bytes": result.bytes,
        "messages": result.messages,
        "rtt_us": float(np.mean(result.median_us)),
        "slowest_us": result.slowest_median_us,
        "total_bytes_per_s": 1e6 * _rate(result),
        "message_rate": 1e6 * sum(moved / time for time in result.median_us),
    }
