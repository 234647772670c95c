# SPDX-License-Identifier: Apache-2.0
"""What is to be tuned in simulation."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from espalier.errors import ArgumentError
from espalier.sampling.candidates import requests_for
from espalier.sampling.goal import EXHAUSTIVE, MEASURE, Goal
from espalier.tuning.call_tuning import CallTuning, Policy, Shortlist

if TYPE_CHECKING:
    from collections.abc import Mapping

    from espalier.sampling.setting import Setting
    from espalier.sampling.simulation import SimulatedJob


# More than any call has.
_ALL_CANDIDATES = 1000
# A guided search looks at all candidates that the model finds at most so much slower than its best.
GUIDED_FACTOR = 3.0


@dataclass(frozen=True)
class SimulatedGoal:
    """What to tune in simulation, and for whom.

    Calls of `sizes_of` are tuned at these sizes instead of `sizes`, and those of `ours_only`
    without their native calls.
    """

    job: SimulatedJob
    # What the profile says of the machine.
    machine: dict[str, Any]
    # The model's view of it.
    setting: Setting
    collectives: tuple[str, ...]
    sizes: tuple[int, ...]
    patterns: tuple[str, ...] = ()
    most_candidates: int = 6
    factor: float = 1.5
    policy: Policy = field(default_factory=Policy)
    vendor: str = "smpi"
    effort: str = MEASURE
    sizes_of: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    ours_only: frozenset[str] = frozenset()

    def check(self) -> None:
        """Raise ArgumentError for what cannot be simulated."""
        self.job.check()
        goal = Goal(
            self.collectives,
            self.sizes,
            self.patterns,
            min_gain=self.policy.min_gain,
            effort=self.effort,
            good_enough=self.policy.good_enough or 0.0,
        )
        goal.check()
        if self.most_candidates < 1:
            raise ArgumentError(
                f"expected a shortlist of at least 1 candidate, got {self.most_candidates}"
            )
        requests_for(goal, self.job.num_ranks)

    def tunings(self) -> list[CallTuning]:
        """Return the work, a tuning for each call."""
        most, factor = self.most_candidates, self.factor
        if self.effort == EXHAUSTIVE:
            most, factor = _ALL_CANDIDATES, math.inf
        elif self.policy.good_enough is not None:
            most, factor = _ALL_CANDIDATES, GUIDED_FACTOR
        shortlist = Shortlist(self.setting, self.patterns, most, factor)
        ours_only = replace(self.policy, keeps_native=False)
        return [
            CallTuning(
                call,
                self.sizes_of.get(call, self.sizes),
                shortlist,
                ours_only if call in self.ours_only else self.policy,
            )
            for call in sorted(set(self.collectives))
        ]
