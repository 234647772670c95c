# SPDX-License-Identifier: Apache-2.0
"""What the table of times says about trees, exchanges, models and searches."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import model_search as search
import radix_candidates as candidates
from simulated_times import NATIVE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radix_candidates import Case
    from simulated_times import Time


def measured_us(times: Sequence[Time], platform: str, case: Case) -> dict[str, float]:
    """Return the times of all choices of a case, native calls among them."""
    return {
        one.name: one.us
        for one in times
        if (one.platform, one.operation, one.num_ranks, one.num_bytes)
        == (platform, case.operation, case.num_ranks, case.num_bytes)
    }


def ours_only(measured: dict[str, float]) -> dict[str, float]:
    """Return what is no native call."""
    return {name: us for name, us in measured.items() if not name.startswith(NATIVE)}


def fastest(measured: dict[str, float], shape: str = "") -> str:
    """Return the fastest choice, of one class only if it is named; empty if there is none."""
    own = {
        name: us
        for name, us in ours_only(measured).items()
        if not shape or candidates.shape_of(name) == shape
    }
    return min(own, key=lambda name: own[name]) if own else ""


def improvement(measured: dict[str, float]) -> float:
    """Return by how many percent our fastest is shorter than the fastest native call."""
    native = min(us for name, us in measured.items() if name.startswith(NATIVE))
    ours = min(ours_only(measured).values())
    return 100 * (native - ours) / native


def median_and_greatest(values: Sequence[float]) -> tuple[float, float]:
    """Return median and greatest."""
    return statistics.median(values), max(values)


def predictions(case: Case, measured: dict[str, float], model: str) -> dict[str, float]:
    """Return what a model says of our candidates."""
    predict = candidates.MODELS[model]
    return {name: predict(case, name) for name in ours_only(measured)}


def model_penalties(case: Case, measured: dict[str, float]) -> dict[str, float]:
    """Return how much slower the choice of each model is than the fastest."""
    ours = ours_only(measured)
    return {
        model: search.choice_penalty(predictions(case, measured, model), ours)
        for model in candidates.MODELS
    }


def search_steps(case: Case, measured: dict[str, float], model: str) -> list[search.Step]:
    """Return the curve of a search in the order of a model."""
    order = search.model_order(predictions(case, measured, model))
    return search.curve(order, ours_only(measured))
