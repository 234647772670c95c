# SPDX-License-Identifier: Apache-2.0
"""Reductions of time by layout, from a table of times."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import group_layouts as layouts
from simulated_times import NATIVE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulated_times import Time

_ORTHOGONAL = "/orthogonal["


@dataclasses.dataclass(frozen=True)
class Series:
    """Times by size of one operation on one platform, for one schedule of the phases.

    `baseline_us` has the native calls by peer, and `like`: the schedule of the phases among all
    ranks at once.
    """

    platform: str
    num_ranks: int
    operation: str
    phase: str
    baseline_us: Mapping[str, Mapping[int, float]]
    layouts_us: Mapping[str, Mapping[int, float]]

    @property
    def sizes(self) -> list[int]:
        """Return all sizes in bytes of whole results."""
        return sorted({size for times in self.baseline_us.values() for size in times})

    def reductions(self, baseline: str, num_phases: int) -> dict[str, list[float]]:
        """Return percents by layout, a number for each size that both have."""
        old = self.baseline_us.get(baseline, {})
        found = {
            layout: [layouts.reduction(old[size], new[size]) for size in sorted(new) if size in old]
            for layout, new in self.layouts_us.items()
            if len(layouts.factors_of(layout)) == num_phases
        }
        return {layout: values for layout, values in found.items() if values}


def series_of(times: Sequence[Time], operation: str, phase: str) -> list[Series]:
    """Return the series of an operation, in the order of the table."""
    places = dict.fromkeys(
        (one.platform, one.num_ranks) for one in times if one.operation == operation
    )
    return [
        _series(
            [
                one
                for one in times
                if (one.platform, one.num_ranks, one.operation) == (*place, operation)
            ],
            phase,
        )
        for place in places
    ]


def _series(times: Sequence[Time], phase: str) -> Series:
    first = times[0]
    baselines: dict[str, dict[int, float]] = {}
    by_layout: dict[str, dict[int, float]] = {}
    for one in times:
        if one.name.startswith(NATIVE):
            baselines.setdefault(one.name, {})[one.num_bytes] = one.us
        elif one.name == f"{one.operation}/{phase}":
            baselines.setdefault("like", {})[one.num_bytes] = one.us
        elif _ORTHOGONAL in one.name and one.name.endswith(f"inner={phase},across={phase}]"):
            layout = layouts.layout_of(one.name, one.num_ranks)
            by_layout.setdefault(layout, {})[one.num_bytes] = one.us
    return Series(first.platform, first.num_ranks, first.operation, phase, baselines, by_layout)
