# SPDX-License-Identifier: Apache-2.0
"""Medians, ratios and how sure they are. The only place where statistics is done.

Times of MPI calls have long tails and sometimes several modes, so nothing here assumes a normal
distribution, and nothing is thrown away as an outlier.

* A *median* gets the interval between two order statistics. How many values lie below the true
  median is binomial, whatever the distribution; the interval follows from that alone.
* Successive measurements resemble each other (a background process disturbs several in a row).
  Intervals are widened by what the sample itself shows of that, see `dependence`.
* A *ratio* of two times is taken from pairs measured next to each other, so that slow changes of
  the machine hit both. The ratio of a sample is the median of the pairs' ratios.
* Few, independent pairs (whole program runs) use the signed-rank interval instead: it is narrower
  and assumes only that the logarithms of the pairs' ratios are symmetric, which holds exactly when
  there is no difference.
* Below six values no interval of 95 % exists. Then the range is returned, and `confidence` says
  how much it covers: 1 - 2^(1 - n).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from espalier.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Values = Sequence[float] | npt.NDArray[np.float64]

_LARGEST_EXACT_COUNT = 200


@dataclass(frozen=True)
class Interval:
    """An estimate, the interval around it, and the confidence that was reached."""

    value: float
    low: float
    high: float
    confidence: float
    count: int

    def contains(self, value: float) -> bool:
        """Return whether a value is inside."""
        return self.low <= value <= self.high

    @property
    def relative_half_width(self) -> float:
        """Return half the width as a share of the value."""
        return (self.high - self.low) / (2 * self.value) if self.value else math.inf


def median_interval(values: Values, confidence: float = 0.95) -> Interval:
    """Return the median of at least one value, with its order-statistic interval."""
    ordered = np.sort(_checked(values))
    count = len(ordered)
    position, reached = _order_statistic(count, confidence, dependence(values))
    return Interval(
        value=float(np.median(ordered)),
        low=float(ordered[position]),
        high=float(ordered[count - 1 - position]),
        confidence=reached,
        count=count,
    )


def paired_ratio(reference: Values, ours: Values, confidence: float = 0.95) -> Interval:
    """Return reference / ours from pairs: 1.3 says that ours takes 1 / 1.3 of the time."""
    logarithms = median_interval(_log_ratios(reference, ours), confidence)
    return _exponential(logarithms)


def faster_probability(reference: Values, ours: Values) -> float:
    """Return the p-value of "ours is not faster": how likely such pairs are if it is not.

    The sign test, widened by the dependence of successive pairs.
    """
    return faster_in_launches([(reference, ours)])


def faster_in_launches(launches: Sequence[tuple[Values, Values]]) -> float:
    """Return the same for pairs of several launches, each (reference, ours).

    Only pairs of one launch follow each other. That ratios of one launch are all above those of
    another says nothing about how pairs depend on each other.
    """
    wins = count = 0
    widened = 0.0
    for reference, ours in launches:
        differences = _log_ratios(reference, ours)
        decided = int((differences != 0).sum())
        wins += int((differences > 0).sum())
        count += decided
        widened += decided * dependence(differences)
    if count == 0:
        return 1.0
    if widened == count:
        return float(stats.binom.sf(wins - 1, count, 0.5))
    score = (wins - 0.5 - count / 2) / math.sqrt(widened / 4)
    return float(stats.norm.sf(score))


def signed_rank_ratio(reference: Values, ours: Values, confidence: float = 0.95) -> Interval:
    """Return reference / ours from few independent pairs (Hodges and Lehmann's estimate)."""
    differences = _log_ratios(reference, ours)
    count = len(differences)
    rows, columns = np.triu_indices(count)
    averages = np.sort((differences[rows] + differences[columns]) / 2)
    position, reached = _signed_rank_position(count, confidence)
    logarithms = Interval(
        value=float(np.median(averages)),
        low=float(averages[position]),
        high=float(averages[len(averages) - 1 - position]),
        confidence=reached,
        count=count,
    )
    return _exponential(logarithms)


def most_confidence(count: int) -> float:
    """Return how much the range of so many values covers; no interval of them covers more."""
    return 1 - 2.0 ** (1 - count)


def least_pairs(confidence: float) -> int:
    """Return from how many pairs on signed_rank_ratio() reaches a confidence below 1."""
    return next(count for count in itertools.count(1) if most_confidence(count) >= confidence)


def dependence(values: Values) -> float:
    """Return by how much resemblance of successive values inflates the variance of the median.

    1 for independent values. For the median it is enough to look at who is above it: the factor
    is 1 + 2 (r1 + r2 + ...), r the autocorrelations of that, summed while they are clearly
    positive.
    """
    ordered = _checked(values)
    above = (ordered > np.median(ordered)).astype(float)
    centred = above - above.mean()
    power = float(centred @ centred)
    count = len(ordered)
    if count < 8 or power == 0:
        return 1.0
    noise = 1 / math.sqrt(count)
    total = 0.0
    for lag in range(1, count // 4 + 1):
        correlation = float(centred[:-lag] @ centred[lag:]) / power
        if correlation <= noise:
            break
        total += correlation
    return 1.0 + 2.0 * total


def holm(probabilities: Sequence[float]) -> list[float]:
    """Return p-values corrected for how many there are (Holm's step-down method).

    Calling those below 0.05 significant is then wrong, even once, in at most 5 % of all cases.
    """
    order = sorted(range(len(probabilities)), key=lambda i: probabilities[i])
    corrected = [1.0] * len(probabilities)
    largest = 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * probabilities[i]))
        corrected[i] = largest
    return corrected


def spread(values: Values) -> float:
    """Return the interquartile range as a share of the median: how noisy a machine is."""
    low, middle, high = np.percentile(_checked(values), [25, 50, 75])
    return float((high - low) / middle) if middle else math.inf


def _checked(values: Values) -> npt.NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or len(array) == 0:
        raise ArgumentError(f"expected a list of at least one time, got shape {array.shape}")
    return array


def _log_ratios(reference: Values, ours: Values) -> npt.NDArray[np.float64]:
    above, below = _checked(reference), _checked(ours)
    if len(above) != len(below):
        raise ArgumentError(f"expected pairs of times, got {len(above)} and {len(below)}")
    if (above <= 0).any() or (below <= 0).any():
        raise ArgumentError("expected times above 0, got a time of 0 or less")
    return np.log(above / below)


def _exponential(logarithms: Interval) -> Interval:
    return Interval(
        value=math.exp(logarithms.value),
        low=math.exp(logarithms.low),
        high=math.exp(logarithms.high),
        confidence=logarithms.confidence,
        count=logarithms.count,
    )


def _order_statistic(count: int, confidence: float, inflation: float) -> tuple[int, float]:
    """Return the position of the lower end from 0 up, and the confidence reached."""
    tail = (1 - confidence) / 2
    # The largest k with P(fewer than k of `count` values below the median) <= tail.
    k = int(stats.binom.ppf(tail, count, 0.5))
    while k > 0 and stats.binom.cdf(k - 1, count, 0.5) > tail:
        k -= 1
    if inflation > 1.0:
        k = math.floor(count / 2 - (count / 2 - k) * math.sqrt(inflation))
    if k < 1:
        return 0, min(confidence, most_confidence(count))
    return k - 1, confidence


def _signed_rank_position(count: int, confidence: float) -> tuple[int, float]:
    """Return the position of the lower end among the sorted pair averages, and the confidence."""
    tail = (1 - confidence) / 2
    if count > _LARGEST_EXACT_COUNT:
        mean = count * (count + 1) / 4
        deviation = math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
        return max(0, math.floor(mean - stats.norm.isf(tail) * deviation) - 1), confidence
    cumulated = np.cumsum(_signed_rank_distribution(count))
    allowed = int(np.searchsorted(cumulated, tail, side="right"))
    if allowed == 0:
        return 0, most_confidence(count)
    return allowed - 1, confidence


def _signed_rank_distribution(count: int) -> npt.NDArray[np.float64]:
    """Return P(W = 0), P(W = 1), ...: the sum W of ranks whose difference is positive."""
    distribution = np.zeros(count * (count + 1) // 2 + 1)
    distribution[0] = 1.0
    for rank in range(1, count + 1):
        shifted = np.zeros_like(distribution)
        shifted[rank:] = distribution[:-rank]
        distribution = (distribution + shifted) / 2
    return distribution
