# SPDX-License-Identifier: Apache-2.0
"""The size above which messages wait for their receiver, seen as a jump in round trips."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from espalier.probing.estimates import relative_fit, residuals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.probing.estimates import Values

_LARGEST_BYTES = 2 << 20
_LEAST_LEFT, _LEAST_RIGHT = 3, 3
_LEAST_JUMP = 0.1
_LEAST_JUMP_OF_EXACT = 0.01
_EXACT = 0.001
# Twice the logarithm of the odds: strong evidence.
_LEAST_EVIDENCE = 6.0
_LEAST_ERROR = 1e-5


@dataclass(frozen=True)
class Switch:
    """The largest eager message, and how much longer larger ones take, one way."""

    eager_bytes: int
    rendezvous_latency_us: float


def switch_point(sizes: Sequence[int], rtt_us: Sequence[float]) -> Switch | None:
    """Return where round trips jump, None if they do not.

    Two lines with a jump between two neighbouring sizes are compared with two lines that meet in
    one: the jump must be worth its additional parameter (Bayesian information criterion of
    absolute errors, so that one strange time is no jump) and a tenth of the time there. In times
    without noise, those of a simulator, a hundredth is enough, and may be a drop.
    """
    kept = [(size, time) for size, time in zip(sizes, rtt_us, strict=True) if size > 0]
    kept = sorted(pair for pair in kept if pair[0] <= _LARGEST_BYTES)
    if len(kept) < _LEAST_LEFT + _LEAST_RIGHT:
        return None
    x = np.array([size for size, _ in kept], dtype=np.float64)
    y = np.array([time for _, time in kept])
    knots = range(_LEAST_LEFT, len(x) - _LEAST_RIGHT + 1)
    meeting = min(_criterion(_meeting(x, knot), y) for knot in knots)
    best = min(knots, key=lambda knot: _criterion(_jumping(x, knot), y))
    if _criterion(_jumping(x, best), y) + _LEAST_EVIDENCE > meeting:
        return None
    return _switch(x, y, best)


def _switch(x: Values, y: Values, knot: int) -> Switch | None:
    columns = _jumping(x, knot)
    coefficients = relative_fit(columns, y)
    intercept, slope, jump, more = coefficients.tolist()
    eager = float(x[knot - 1])
    before = intercept + slope * eager
    added = jump + more * eager
    is_exact = float(np.max(np.abs(residuals(columns, coefficients, y)))) < _EXACT
    is_jump = added >= _LEAST_JUMP * before
    if not is_jump and not (is_exact and abs(added) >= _LEAST_JUMP_OF_EXACT * before):
        return None
    return Switch(int(eager), max(0.0, added / 2))


def _meeting(x: Values, knot: int) -> Values:
    return np.column_stack([np.ones_like(x), x, np.maximum(0.0, x - x[knot - 1])])


def _jumping(x: Values, knot: int) -> Values:
    is_above = (np.arange(len(x)) >= knot).astype(np.float64)
    return np.column_stack([np.ones_like(x), x, is_above, is_above * x])


def _criterion(columns: Values, y: Values) -> float:
    error = np.abs(residuals(columns, relative_fit(columns, y), y))
    # The knot is a parameter as well.
    num_parameters = columns.shape[1] + 1
    misfit = math.log(max(_LEAST_ERROR, float(np.mean(error))))
    return float(2 * len(y) * misfit + num_parameters * math.log(len(y)))
