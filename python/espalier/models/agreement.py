# SPDX-License-Identifier: Apache-2.0
"""How a model agrees with measurements of the same candidates.

* *Rank correlation* (Kendall's tau-b): 1 if the model puts the candidates in the measured order.
* *Regret*: how much slower the candidate is that the model would choose, compared with the fastest
  measured one. The fastest of many noisy medians is a little too fast, so regret errs upwards.
* *Bias* and *error* of a set of predictions: geometric mean of predicted / measured, and the factor
  by which a prediction is typically off (the median of the larger of the ratio and its inverse).
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from typing import TYPE_CHECKING

from scipy import stats

from espalier.base import intervals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from espalier.base.intervals import Interval

_LEAST_CANDIDATES = 3


@dataclasses.dataclass(frozen=True)
class Agreement:
    """One model at one point; the correlation is None for fewer than three candidates."""

    kendall: float | None
    chosen: str
    best: str
    regret: float  # share by which the median of chosen exceeds that of best
    slowdown: Interval  # of time of chosen / time of best, from pairs
    against_native: Interval  # time of native / time of chosen
    bias: float
    error: float


def agreement(
    predicted_us: Mapping[str, float],
    samples_us: Mapping[str, Sequence[float]],
    native_us: Sequence[float],
) -> Agreement:
    """Compare predictions with samples of the same candidates; samples with one index are pairs."""
    names = sorted(predicted_us)
    medians = {name: statistics.median(samples_us[name]) for name in names}
    chosen = min(names, key=lambda name: predicted_us[name])
    best = min(names, key=lambda name: medians[name])
    bias, error = deviation([predicted_us[name] / medians[name] for name in names])
    return Agreement(
        kendall=kendall([predicted_us[name] for name in names], [medians[name] for name in names]),
        chosen=chosen,
        best=best,
        regret=medians[chosen] / medians[best] - 1,
        slowdown=intervals.paired_ratio(samples_us[chosen], samples_us[best]),
        against_native=intervals.paired_ratio(native_us, samples_us[chosen]),
        bias=bias,
        error=error,
    )


def kendall(predicted: Sequence[float], measured: Sequence[float]) -> float | None:
    """Return tau-b; None where there are too few values or all are equal."""
    if len(predicted) < _LEAST_CANDIDATES:
        return None
    tau = float(stats.kendalltau(predicted, measured).statistic)
    return tau if math.isfinite(tau) else None


def deviation(ratios: Sequence[float]) -> tuple[float, float]:
    """Return bias and error of ratios predicted / measured, which must be above 0."""
    logarithms = [math.log(ratio) for ratio in ratios]
    bias = math.exp(statistics.fmean(logarithms))
    error = math.exp(statistics.median(abs(logarithm) for logarithm in logarithms))
    return bias, error
