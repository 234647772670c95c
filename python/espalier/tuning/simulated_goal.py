# SPDX-License-Identifier: Apache-2.0
"""What is to be tuned in simulation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from espalier.errors import ArgumentError
from espalier.sampling.candidates import requests_for
from espalier.sampling.goal import Goal
from espalier.tuning.call_tuning import CallTuning, Policy, Shortlist

if TYPE_CHECKING:
    from collections.abc import Mapping

    from espalier.sampling.setting import Setting
    from espalier.sampling.simulation import SimulatedJob


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
    sizes_of: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    ours_only: frozenset[str] = frozenset()

    def check(self) -> None:
        """Raise ArgumentError for what cannot be simulated."""
        self.job.check()
        goal = Goal(self.collectives, self.sizes, self.patterns, min_gain=self.policy.min_gain)
        goal.check()
        if self.most_candidates < 1:
            raise ArgumentError(
                f"expected a shortlist of at least 1 candidate, got {self.most_candidates}"
            )
        requests_for(goal, self.job.num_ranks)

    def tunings(self) -> list[CallTuning]:
        """Return the work, a tuning for each call."""
        shortlist = Shortlist(self.setting, self.patterns, self.most_candidates, self.factor)
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
