# SPDX-License-Identifier: Apache-2.0
"""A model of two numbers, to compare measurements with: latency and bandwidth.

The time of a schedule is, round after round, a latency and the time of the longest message list
that one rank sends in it. Both numbers are fitted to the measurements of one shape, so that what
the model says shows which measurements are out of line; it does not forecast other machines.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import nnls

from espalier import _core

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LEAST_POINTS = 4


@dataclasses.dataclass(frozen=True)
class Point:
    """A candidate measured at one size."""

    choice: str
    num_ranks: int
    bytes: int
    median_us: float


@functools.cache
def _rounds_and_part(choice: str, num_ranks: int) -> tuple[int, float]:
    """Return the rounds, and the part of the result that is sent one piece after the other."""
    largest = _core.largest_per_round(choice, num_ranks)
    # A barrier has no blocks.
    num_blocks = max(1, _core.facts(choice, num_ranks)["output_blocks"])
    return len(largest), sum(largest) / num_blocks


@dataclasses.dataclass(frozen=True)
class Model:
    """Fitted latency of a round and time per byte; inf GiB/s if bytes cost nothing visible."""

    latency_us: float
    us_per_byte: float
    num_points: int

    def predict_us(self, choice: str, num_ranks: int, num_bytes: int) -> float:
        """Return the time of a choice according to the model."""
        rounds, part = _rounds_and_part(choice, num_ranks)
        return self.latency_us * rounds + self.us_per_byte * part * num_bytes

    def to_json(self) -> dict[str, Any]:
        """Return the model as plain data."""
        return dataclasses.asdict(self)


def is_modelled(choice: str, num_ranks: int) -> bool:
    """Return whether the model knows a choice: those of the MPI library it does not."""
    return "/native[" not in choice and not _core.refuses(choice, num_ranks)


def points_of(rules: Iterable[dict[str, Any]]) -> Iterator[Point]:
    """Yield what was measured for the rules, once each, native left out."""
    seen = set()
    for rule in rules:
        for evidence in rule.get("evidence", []):
            for choice, times in evidence["candidates"].items():
                point = Point(choice, rule["num_ranks"], evidence["bytes"], times["median_us"])
                if point not in seen and is_modelled(choice, rule["num_ranks"]):
                    seen.add(point)
                    yield point


def fit(points: list[Point]) -> Model | None:
    """Fit the model so that relative errors are small; None if there is too little to fit."""
    if len(points) < _LEAST_POINTS or len({point.bytes for point in points}) < 2:
        return None
    rows = []
    for point in points:
        rounds, part = _rounds_and_part(point.choice, point.num_ranks)
        rows.append([rounds / point.median_us, part * point.bytes / point.median_us])
    matrix = np.array(rows)
    # Columns of one size keep the least squares well conditioned.
    scale = np.linalg.norm(matrix, axis=0)
    if not scale.all():
        return None
    solution, _ = nnls(matrix / scale, np.ones(len(points)))
    latency_us, us_per_byte = solution / scale
    return Model(float(latency_us), float(us_per_byte), len(points))
