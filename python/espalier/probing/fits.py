# SPDX-License-Identifier: Apache-2.0
"""Latency and bandwidth of a level, from the times of single pairs.

Alpha comes from small messages that are sent eagerly, the bandwidth from messages sent back to
back (method B of [karlsson2012]) or else from the slope of large round trips (method A), also if
that is much higher: messages back to back are no slower, unless they were disturbed.

Unlike there, lines are fitted in relative terms and robustly: times from 1 us to 10 ms are equally
sure in per cent, not in microseconds, and a disturbed one must not tilt the line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from espalier.probing.estimates import (
    Estimate,
    line_columns,
    line_resamples,
    median_estimate,
    relative_fit,
    residuals,
)
from espalier.probing.published import LARGE_BYTES, SMALL_BYTES, bandwidth_back_to_back

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.probing.estimates import Values

_SEED = 1
_BACK_TO_BACK_BYTES = 64 * 1024
_SHARES_OF_ALPHA = (0.01, 0.05)
_CONFIDENT = 1.96
_DISTURBED = 1.5
DIFFERENT = 1.5


@dataclass(frozen=True)
class Timing:
    """What one size took: the median over pairs, and the interval of the mean.

    `median_error_us` is the standard error of the median, if more is known than the interval.
    """

    bytes: int
    median_us: float
    low_us: float
    high_us: float
    median_error_us: float | None = None

    @property
    def error_us(self) -> float:
        """Return the standard error."""
        if self.median_error_us is not None:
            return self.median_error_us
        return (self.high_us - self.low_us) / (2 * _CONFIDENT)

    def to_json(self) -> dict[str, Any]:
        """Return a round trip as plain data."""
        return {
            "bytes": self.bytes,
            "rtt_us": self.median_us,
            "low_us": min(self.low_us, self.median_us),
            "high_us": max(self.high_us, self.median_us),
            "megabytes_per_s": 2 * self.bytes / self.median_us,
        }


@dataclass(frozen=True)
class Train:
    """The whole time of messages sent back to back, and of the short reply."""

    timing: Timing
    messages: int


@dataclass(frozen=True)
class Fit:
    """Alpha, one way, and bandwidths in 10^6 bytes/s; None for what was not measured."""

    alpha_us: Estimate | None
    method_a: Estimate | None
    method_b: Estimate | None
    residual: float | None
    num_points: int

    @property
    def method(self) -> Literal["A", "B"] | None:
        """Return which bandwidth counts: B, unless it is so far below A that it was disturbed."""
        if self.method_b is None:
            return "A" if self.method_a else None
        if self.method_a and self.method_a.value > DIFFERENT * self.method_b.value:
            return "A"
        return "B"

    @property
    def bandwidth(self) -> Estimate | None:
        """Return the bandwidth that counts."""
        return self.method_b if self.method == "B" else self.method_a

    def to_json(self) -> dict[str, Any]:
        """Return the fit as plain data."""
        return {
            "alpha_us": _json(self.alpha_us),
            "bandwidth_megabytes_per_s": _json(self.bandwidth),
            "method": self.method,
            "method_a": _json(self.method_a),
            "method_b": _json(self.method_b),
            "residual": self.residual,
            "num_points": self.num_points,
        }


def _json(estimate: Estimate | None) -> dict[str, float] | None:
    return estimate.to_json() if estimate else None


def fit(
    round_trips: Sequence[Timing], trains: Sequence[Train], eager_bytes: int | None
) -> Fit | None:
    """Return the fit of a level, None if no round trip was measured."""
    if not round_trips:
        return None
    limit = min(SMALL_BYTES, SMALL_BYTES if eager_bytes is None else eager_bytes)
    small = [timing for timing in round_trips if timing.bytes <= limit]
    large = _large(round_trips, eager_bytes)
    alpha = _alpha(small)
    left = [value for part in (small, large) for value in _distances(part)]
    return Fit(
        alpha,
        _slope(large) or _reached(round_trips),
        _back_to_back(trains, alpha),
        float(np.median(left)) if left else None,
        len(round_trips),
    )


def undisturbed(round_trips: Sequence[Timing]) -> list[Timing]:
    """Return the sizes that did not take half as long again as a larger one.

    No message takes longer for being shorter; the others waited for something else.
    """
    kept = []
    least = float("inf")
    for timing in sorted(round_trips, key=lambda timing: timing.bytes, reverse=True):
        if timing.median_us <= _DISTURBED * least:
            kept.append(timing)
        least = min(least, timing.median_us)
    return kept[::-1]


def _large(round_trips: Sequence[Timing], eager_bytes: int | None) -> list[Timing]:
    """Return large messages; the largest three that are sent alike if none are large."""
    above = [timing for timing in round_trips if timing.bytes > (eager_bytes or 0)]
    large = [timing for timing in above if timing.bytes >= LARGE_BYTES]
    if len(large) < 2:
        large = sorted(above, key=lambda timing: timing.bytes)[-3:]
    return large


def _arrays(timings: Sequence[Timing]) -> tuple[Values, Values, Values]:
    sizes = np.array([timing.bytes for timing in timings], dtype=np.float64)
    times = np.array([timing.median_us for timing in timings])
    return sizes, times, np.array([timing.error_us for timing in timings])


def _alpha(small: Sequence[Timing]) -> Estimate | None:
    """Return half the intercept; half the time of the smallest size where a line gives none.

    Disturbed times may lie on a line that starts below 0. No message is free, so then the smallest
    size is all latency, as the only one is.
    """
    if not small:
        return None
    sizes, times, errors = _arrays(small)
    if len(set(sizes)) > 1:
        value = float(relative_fit(line_columns(sizes), times)[0])
        if value > 0:
            resamples = line_resamples(sizes, times, errors, _SEED)[:, 0]
            return Estimate.of_resamples(value / 2, np.maximum(0.0, resamples) / 2)
    least = min(small, key=lambda timing: timing.bytes)
    return Estimate(*(max(0.0, t) / 2 for t in (least.median_us, least.low_us, least.high_us)))


def _slope(large: Sequence[Timing]) -> Estimate | None:
    """Return 2 / slope; None if times do not grow with sizes."""
    if len({timing.bytes for timing in large}) < 2:
        return None
    sizes, times, errors = _arrays(large)
    value = float(relative_fit(line_columns(sizes), times)[1])
    resamples = line_resamples(sizes, times, errors, _SEED)[:, 1]
    if value <= 0:
        return None
    return Estimate.of_resamples(2 / value, 2 / np.maximum(resamples, 0.1 * value))


def _reached(round_trips: Sequence[Timing]) -> Estimate | None:
    """Return what the largest of several sizes reached, latency included.

    Where disturbed times give no slope, that is the least that the link gives; no link is without
    limit.
    """
    if len({timing.bytes for timing in round_trips}) < 2:
        return None
    largest = max(round_trips, key=lambda timing: timing.bytes)
    times = (largest.median_us, largest.high_us, max(largest.low_us, 0.1 * largest.median_us))
    return Estimate(*(2 * largest.bytes / time for time in times))


def _back_to_back(trains: Sequence[Train], alpha: Estimate | None) -> Estimate | None:
    """Return the median of method B over the sizes of which alpha is the smallest share.

    The method takes alpha off each message, although most of it passes while others are under way.
    """
    start = alpha.value if alpha else 0.0
    large = [train for train in trains if train.timing.bytes >= _BACK_TO_BACK_BYTES]
    for share in _SHARES_OF_ALPHA:
        long = [t for t in large if start < share * t.timing.median_us / t.messages]
        if long:
            break
    else:
        return None
    values = [
        bandwidth_back_to_back(train.timing.bytes, train.timing.median_us, train.messages, start)
        for train in long
    ]
    errors = [train.timing.error_us / train.timing.median_us for train in long]
    return median_estimate(values, errors, _SEED)


def _distances(timings: Sequence[Timing]) -> list[float]:
    if len({timing.bytes for timing in timings}) < 3:
        return []
    sizes, times, _ = _arrays(timings)
    columns = line_columns(sizes)
    found: list[float] = np.abs(residuals(columns, relative_fit(columns, times), times)).tolist()
    return found
