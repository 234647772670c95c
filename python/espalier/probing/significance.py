# SPDX-License-Identifier: Apache-2.0
"""Whether two sets of round trips have different means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    import numpy.typing as npt

    Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """Mean, standard deviation (of a sample) and number of values."""

    mean: float
    sd: float
    n: int

    @classmethod
    def of(cls, values: Values) -> Moments:
        """Return the moments of at least one value."""
        sd = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
        return cls(float(np.mean(values)), sd, len(values))

    def to_json(self) -> dict[str, Any]:
        """Return the moments of times as plain data."""
        return {"mean_us": self.mean, "sd_us": self.sd, "n": self.n}


@dataclass(frozen=True)
class TwoSample:
    """A two-sided test of equal means; `log_p` also where p is too small for a number."""

    t: float
    df: float
    p: float
    log_p: float


def pooled_test(first: Moments, second: Moments) -> TwoSample:
    """Return Student's test with one variance for both, as [karlsson2012] used.

    One of the sets may have a single value. Without any spread, which simulated times may lack,
    equal means have p = 1 and others p = 0.
    """
    df = first.n + second.n - 2
    if df < 1:
        return TwoSample(0.0, df, 1.0, 0.0)
    variance = ((first.n - 1) * first.sd**2 + (second.n - 1) * second.sd**2) / df
    error = math.sqrt(variance * (1 / first.n + 1 / second.n))
    difference = first.mean - second.mean
    if error <= 1e-9 * max(abs(first.mean), abs(second.mean)):
        is_equal = math.isclose(first.mean, second.mean, rel_tol=1e-6)
        sign = math.copysign(1e9, difference)
        return TwoSample(0.0, df, 1.0, 0.0) if is_equal else TwoSample(sign, df, 0.0, -math.inf)
    t = difference / error
    p = 2 * float(stats.t.sf(abs(t), df))
    return TwoSample(t, df, p, math.log(p) if p > 0 else -math.inf)
