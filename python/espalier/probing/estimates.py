# SPDX-License-Identifier: Apache-2.0
"""Lines through times whose errors grow with them, some of which are accidents."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Values = npt.NDArray[np.float64]

_NUM_RESAMPLES = 200
_NUM_ITERATIONS = 30
# Huber's: beyond so many robust standard deviations a residual counts by its size, not its square.
_HUBER = 1.345
_LEAST_SCALE = 1e-9


@dataclass(frozen=True)
class Estimate:
    """A value and the 95 % interval around it."""

    value: float
    low: float
    high: float

    def to_json(self) -> dict[str, float]:
        """Return the estimate as plain data."""
        return asdict(self)

    @classmethod
    def of_resamples(cls, value: float, resamples: Values) -> Estimate:
        """Return a value with the interval that 95 of 100 resamples lie in."""
        low, high = np.quantile(resamples, (0.025, 0.975))
        return cls(value, min(value, float(low)), max(value, float(high)))


def relative_fit(columns: Values, times: Values) -> Values:
    """Return the coefficients that fit times in relative terms, robustly (Huber).

    Args:
        columns: (num_times, num_coefficients).
        times: (num_times) or (num_samples, num_times), above zero; each sample is fitted alone.

    Returns:
        (num_coefficients) or (num_samples, num_coefficients).
    """
    samples = np.atleast_2d(times)
    scaled = columns[None, :, :] / samples[:, :, None]
    weights = np.ones_like(samples)
    coefficients = _weighted(scaled, weights)
    for _ in range(_NUM_ITERATIONS):
        distances = np.abs(1.0 - np.einsum("stc,sc->st", scaled, coefficients))
        scale = 1.4826 * np.median(distances, axis=1, keepdims=True) + _LEAST_SCALE
        weights = np.minimum(1.0, _HUBER * scale / np.maximum(distances, _LEAST_SCALE))
        before, coefficients = coefficients, _weighted(scaled, weights)
        if np.allclose(before, coefficients, rtol=1e-4, atol=0.0):
            break
    return coefficients if times.ndim == 2 else coefficients[0]


def _weighted(scaled: Values, weights: Values) -> Values:
    # The columns differ by many orders of magnitude; normalised, the equations are well posed.
    norms = np.sqrt(np.einsum("stc,st->sc", scaled**2, weights))
    unit = scaled / norms[:, None, :]
    matrix = np.einsum("sta,st,stb->sab", unit, weights, unit)
    target = np.einsum("sta,st->sa", unit, weights)
    return np.asarray(np.linalg.solve(matrix, target[:, :, None])[:, :, 0] / norms)


def residuals(columns: Values, coefficients: Values, times: Values) -> Values:
    """Return relative distances of times from a fit."""
    return np.asarray((times - columns @ coefficients) / times)


def line_columns(sizes: Values) -> Values:
    """Return the columns of `intercept + slope * size`."""
    return np.column_stack([np.ones_like(sizes), sizes])


def line_resamples(sizes: Values, times: Values, errors: Values, seed: int) -> Values:
    """Return intercepts and slopes of resampled times, (num_resamples, 2).

    Resampled are the distances from the line, and each time varies by its own standard error.
    """
    columns = line_columns(sizes)
    fitted = columns @ relative_fit(columns, times)
    left = (times - fitted) / times * np.sqrt(len(times) / max(1, len(times) - 2))
    random = np.random.default_rng(seed)
    drawn = random.choice(left, size=(_NUM_RESAMPLES, len(times)))
    noise = random.normal(0.0, 1.0, (_NUM_RESAMPLES, len(times))) * errors
    return relative_fit(columns, np.maximum(fitted + drawn * times + noise, 0.01 * times))


def median_estimate(values: Sequence[float], errors: Sequence[float], seed: int) -> Estimate:
    """Return the median of values that have relative standard errors, by resampling both."""
    known = np.asarray(values, dtype=np.float64)
    random = np.random.default_rng(seed)
    drawn = random.integers(len(known), size=(_NUM_RESAMPLES, len(known)))
    noise = random.normal(0.0, 1.0, drawn.shape) * np.minimum(1.0, errors)[drawn]
    return Estimate.of_resamples(
        float(np.median(known)), np.median(known[drawn] * np.exp(noise), axis=1)
    )
