# SPDX-License-Identifier: Apache-2.0
"""Which order is fastest, and how sure that is.

Two communicators with the same order can differ by more than chance within one launch: MPI and the
operating system treat them differently. So the standard order is measured twice, the second time
as `control`, and what does not differ from it by more than the control does is no difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.base import intervals
from espalier.orders.candidates import CONTROL
from espalier.sampling.samples import NATIVE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from espalier.orders.measurement import Measured
    from espalier.sampling.samples import Point

FASTER, SLOWER, SAME = "faster", "slower", "no significant difference"
# Less is nothing worth a communicator, and on a simulated machine everything is significant.
_LEAST_RATIO = 1.001


@dataclass
class _Comparison:
    """A way to make the call in an order, against the same way in the standard order."""

    point: int
    way: str
    order: str
    ratio: intervals.Interval
    p: float
    verdict: str = SAME


def judge(
    measured: Measured, orders: Sequence[str], confidence: float = 0.95
) -> list[dict[str, Any]]:
    """Return what was measured of each point, with ratios standard / order and verdicts.

    A verdict is given if the difference is significant (sign test of neighbouring pairs, two-sided,
    corrected for all comparisons by Holm's method), and the interval of the ratio lies outside 1
    and outside the interval of the control, by 0.1 % at least.

    Args:
        measured: times of these orders and of the control.
        orders: names, the first one is the reference.
        confidence: of intervals, and of all verdicts together.
    """
    orders = [*orders, CONTROL]
    comparisons = [
        comparison
        for index, point in enumerate(measured.points)
        for comparison in _comparisons(index, point, orders, confidence)
    ]
    _decide(comparisons, 1 - confidence)
    return [
        {
            "collective": point.collective,
            "bytes": part_bytes,
            "num_samples": len(point.native_us),
            "ways": [
                _way(point, index, way, orders, comparisons, confidence) for way in _ways(point)
            ],
            "fastest": _fastest(comparisons, index),
        }
        for index, (point, part_bytes) in enumerate(
            zip(measured.points, measured.part_bytes, strict=True)
        )
    ]


def best_order(points: Sequence[Mapping[str, Any]], orders: Sequence[str]) -> dict[str, Any]:
    """Return the order that native calls should use, and why.

    It must be faster somewhere and slower nowhere; of several, the one with the largest mean ratio.
    """
    found: dict[str, list[dict[str, Any]]] = {order: [] for order in orders[1:]}
    for point in points:
        for entry in point["ways"][0]["times"]:
            if entry["order"] in found:
                found[entry["order"]].append(entry)
    candidates = {
        order: _mean_ratio(entries)
        for order, entries in found.items()
        if any(entry["verdict"] == FASTER for entry in entries)
        and all(entry["verdict"] != SLOWER for entry in entries)
    }
    if not candidates:
        return {
            "order": orders[0],
            "reason": "no other order is faster without being slower elsewhere",
        }
    order = max(candidates, key=lambda name: candidates[name])
    count = sum(entry["verdict"] == FASTER for entry in found[order])
    return {
        "order": order,
        "reason": f"native calls are {candidates[order]:.2f}x as fast as in the standard order"
        f" (mean), faster in {count} of {len(points)} cases, slower in none",
    }


def creations(
    measured: Measured, points: Sequence[Mapping[str, Any]], confidence: float = 0.95
) -> list[dict[str, Any]]:
    """Return what making the communicators costs, and after how many calls that is paid."""
    return [
        {
            "order": order,
            "split": _times(lines["split_us"], confidence),
            "group": _times(lines["group_us"], confidence),
            "calls_to_pay": _calls_to_pay(order, lines, points),
        }
        for order, lines in measured.creations.items()
        if order != CONTROL
    ]


def _ways(point: Point) -> list[str]:
    """Return native and the schedules that were measured."""
    return list(dict.fromkeys(name.partition("@")[0] for name in point.samples_us))


def _name(way: str, order: str, orders: Sequence[str]) -> str:
    return way if order == orders[0] else f"{way}@{order}"


def _comparisons(
    index: int, point: Point, orders: Sequence[str], confidence: float
) -> Iterator[_Comparison]:
    for way in _ways(point):
        reference = point.samples_us[way]
        for order in orders[1:]:
            times = point.samples_us[_name(way, order, orders)]
            one_sided = min(
                intervals.faster_probability(reference, times),
                intervals.faster_probability(times, reference),
            )
            yield _Comparison(
                index,
                way,
                order,
                intervals.paired_ratio(reference, times, confidence),
                min(1.0, 2 * one_sided),
            )


def _decide(comparisons: list[_Comparison], level: float) -> None:
    control = {(one.point, one.way): one.ratio for one in comparisons if one.order == CONTROL}
    candidates = [one for one in comparisons if one.order != CONTROL]
    corrected = intervals.holm([one.p for one in candidates])
    for one, p in zip(candidates, corrected, strict=True):
        one.p = p
        same = control[one.point, one.way]
        if p < level and one.ratio.low > _LEAST_RATIO * max(1.0, same.high):
            one.verdict = FASTER
        elif p < level and one.ratio.high * _LEAST_RATIO < min(1.0, same.low):
            one.verdict = SLOWER


def _way(
    point: Point,
    index: int,
    way: str,
    orders: Sequence[str],
    comparisons: Sequence[_Comparison],
    confidence: float,
) -> dict[str, Any]:
    found = {one.order: one for one in comparisons if one.point == index and one.way == way}
    times = []
    for order in orders:
        samples = point.samples_us[_name(way, order, orders)]
        entry = {"order": order, **_times(samples, confidence)}
        if order in found:
            one = found[order]
            entry |= {
                "ratio": one.ratio.value,
                "ratio_low": one.ratio.low,
                "ratio_high": one.ratio.high,
                "p": one.p,
                "verdict": one.verdict,
            }
        times.append(entry)
    return {"way": way, "times": times}


def _times(samples_us: Sequence[float], confidence: float) -> dict[str, float]:
    interval = intervals.median_interval(samples_us, confidence)
    return {"median_us": interval.value, "low_us": interval.low, "high_us": interval.high}


def _fastest(comparisons: Sequence[_Comparison], index: int) -> str | None:
    """Return the order in which native calls are fastest; None: no significant difference."""
    faster = [
        one
        for one in comparisons
        if one.point == index and one.way == NATIVE and one.verdict == FASTER
    ]
    return max(faster, key=lambda one: one.ratio.value).order if faster else None


def _mean_ratio(entries: Sequence[Mapping[str, Any]]) -> float:
    logarithms = [math.log(entry["ratio"]) for entry in entries]
    return math.exp(sum(logarithms) / len(logarithms))


def _calls_to_pay(
    order: str, lines: Mapping[str, Any], points: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return for each case in which an order is faster how many calls pay for the communicator."""
    price = intervals.median_interval(lines["split_us"]).value
    found = []
    for point in points:
        times = {entry["order"]: entry for entry in point["ways"][0]["times"]}
        entry, standard = times[order], point["ways"][0]["times"][0]
        if entry.get("verdict") == FASTER:
            saved = standard["median_us"] * (1 - 1 / entry["ratio"])
            found.append(
                {
                    "collective": point["collective"],
                    "bytes": point["bytes"],
                    "calls": math.ceil(price / saved),
                }
            )
    return found
