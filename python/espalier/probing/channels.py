# SPDX-License-Identifier: Apache-2.0
"""How many messages pass at the same time without slowing each other down.

Total bandwidth against pairs is fitted by `single * min(pairs, capacity)`, robustly in relative
terms; the count is the capacity, rounded. This gives, from the tables of [karlsson2012]:

* 3 channels between nodes of RA, 1 inside (3.9), and growth without a knee inside a node of Jaguar
  (3.10), all as printed; 1 inside a node of Alamode (3.8);
* 2 between nodes of Jaguar, where the text says three but describes a rise from one to two pairs;
* a capacity of 1.6 between nodes of Alamode, said to be "essentially" one: in a round trip each
  link is idle half of the time, so that pairs can fill each other's gaps.

For the slowest message of a set (4.8) the rule is another, `count_of_slowest`: as many pairs as
keep three quarters of the bandwidth of one. It gives 2 for BlueDrop and 1 for RA and Kraken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from espalier.probing.estimates import relative_fit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from espalier.probing.estimates import Values

_STEP = 0.02
_OPEN_END = 0.9
_LINEAR_ADVANTAGE = 0.5
_LEAST_GROWTH = 1.3
_KEPT = 0.75


@dataclass(frozen=True)
class Channels:
    """What total bandwidth against pairs shows; without a knee there is no count."""

    count: int | None
    capacity: float
    max_pairs: int
    evidence: str

    @property
    def has_knee(self) -> bool:
        """Return whether growth ended."""
        return self.count is not None

    def to_json(self, label: str, num_bytes: int) -> dict[str, Any]:
        """Return the channels as plain data, with what was measured."""
        return {
            "count": self.count,
            "capacity": self.capacity,
            "has_knee": self.has_knee,
            "max_pairs": self.max_pairs,
            "label": label,
            "bytes": num_bytes,
            "evidence": self.evidence,
        }


def count(totals: Mapping[int, float]) -> Channels | None:
    """Return the channels by total bandwidth of each number of pairs, None of fewer than two.

    One and more pairs must have been measured.
    """
    pairs = np.array(sorted(totals), dtype=np.float64)
    if len(pairs) < 2 or pairs[0] != 1:
        return None
    values = np.array([totals[int(k)] for k in pairs])
    most = int(pairs[-1])
    capacity, error = _capacity(pairs, values)
    growth = float(values.max() / values[0])
    if capacity >= _OPEN_END * most:
        text = f"total bandwidth still grows at {most} pairs, to {growth:.2f} times that of one"
        return Channels(None, growth, most, text)
    slope, linear_error = _linear(pairs, values)
    is_line = len(pairs) > 3 and linear_error < _LINEAR_ADVANTAGE * error
    if is_line and slope > 0 and growth >= _LEAST_GROWTH:
        text = (
            f"total bandwidth grows by {slope / values[0]:.2f} of that of one with each pair,"
            f" without an end up to {most} pairs"
        )
        return Channels(None, growth, most, text)
    number = max(1, round(capacity))
    text = f"total bandwidth ends to grow at {capacity:.2f} times that of one ({most} pairs tried)"
    return Channels(number, capacity, most, text)


def count_of_slowest(bandwidths: Mapping[int, float]) -> int:
    """Return the largest number of pairs of which the slowest keeps three quarters of one's."""
    kept = 1
    for pairs in sorted(bandwidths):
        if bandwidths[pairs] < _KEPT * bandwidths[1]:
            break
        kept = pairs
    return kept


def _capacity(pairs: Values, values: Values) -> tuple[float, float]:
    """Return the capacity with the smallest mean absolute error of logarithms, and that error."""
    logs = np.log(values)
    candidates = np.arange(1.0, pairs[-1] + _STEP / 2, _STEP)
    shapes = np.log(np.minimum.outer(candidates, pairs).reshape(len(candidates), -1))
    distances = logs - shapes
    distances -= np.median(distances, axis=1, keepdims=True)
    errors = np.mean(np.abs(distances), axis=1)
    # Among equals, the middle: the median leaves some capacities undecided.
    best = np.flatnonzero(errors <= errors.min() + 1e-9)
    return float(np.mean(candidates[best])), float(errors.min())


def _linear(pairs: Values, values: Values) -> tuple[float, float]:
    columns = np.column_stack([np.ones_like(pairs), pairs])
    coefficients = relative_fit(columns, values)
    fitted = columns @ coefficients
    if (fitted <= 0).any():
        return 0.0, float("inf")
    return float(coefficients[1]), float(np.mean(np.abs(np.log(values / fitted))))
