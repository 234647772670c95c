# SPDX-License-Identifier: Apache-2.0
"""Search in the order of a model: how soon it is good enough, and what it costs."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclasses.dataclass(frozen=True)
class Step:
    """After so many candidates: best time found by the best of all, share of all time spent."""

    tried: int
    quality: float
    cost: float


def model_order(predicted_us: Mapping[str, float]) -> list[str]:
    """Return candidates, the fastest by the model first; equals in the order given."""
    return sorted(predicted_us, key=lambda name: predicted_us[name])


def curve(order: Sequence[str], measured_us: Mapping[str, float]) -> list[Step]:
    """Return a step for each candidate that is tried, in order.

    quality = best of all / best so far; cost = time of those tried / time of all.
    """
    best = min(measured_us[name] for name in order)
    total = sum(measured_us[name] for name in order)
    steps = []
    spent, found = 0.0, float("inf")
    for tried, name in enumerate(order, 1):
        spent += measured_us[name]
        found = min(found, measured_us[name])
        steps.append(Step(tried, best / found, spent / total))
    return steps


def first_within(steps: Sequence[Step], share: float) -> Step:
    """Return the first step that is at most this share slower than the best."""
    return next(step for step in steps if 1 / step.quality <= 1 + share + 1e-9)


def choice_penalty(predicted_us: Mapping[str, float], measured_us: Mapping[str, float]) -> float:
    """Return how much slower the model's choice is than the best: 1 is the best."""
    return measured_us[model_order(predicted_us)[0]] / min(measured_us.values())
