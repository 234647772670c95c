# SPDX-License-Identifier: Apache-2.0
"""What is wanted of an improvement, and what is known so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from espalier.sampling.goal import GOOD_ENOUGH, MEASURE, Goal
from espalier.sampling.samples import NATIVE

if TYPE_CHECKING:
    from espalier.improvement.observation import Observation
    from espalier.improvement.placement import Proposal
    from espalier.improvement.stakes import Stake
    from espalier.launch.command import LaunchCommand
    from espalier.profiles.profiles import Shape
    from espalier.tuning.session import Files


@dataclass(frozen=True)
class Wish:
    """For what to tune, how long and how sure, and where results go.

    `command` starts the program, or only its ranks if its calls are known from an earlier run.
    """

    command: LaunchCommand
    vendor: str
    files: Files
    seconds: float = 120.0
    machine: str = ""
    confidence: float = 0.95
    min_gain: float = 0.02
    seed: int = 1
    effort: str = MEASURE
    good_enough: float = GOOD_ENOUGH

    @property
    def launcher(self) -> LaunchCommand:
        """Return how the program's ranks are started, without the program."""
        return self.command.with_program(())

    def goal(
        self,
        collectives: tuple[str, ...] = (),
        sizes: tuple[int, ...] = (),
        seconds: float | None = None,
    ) -> Goal:
        """Return what is to be found out about these calls; in all the time if none is given."""
        return Goal(
            collectives=collectives,
            sizes=sizes,
            seconds=self.seconds if seconds is None else seconds,
            confidence=self.confidence,
            min_gain=self.min_gain,
            seed=self.seed,
            effort=self.effort,
            good_enough=self.good_enough,
        )

    @property
    def num_steps(self) -> int:
        """Return how many steps there are: whole runs need a program."""
        return 4 if self.command.program else 3


@dataclass
class Findings:
    """What is known so far; every step adds to it, and an interruption leaves the rest empty.

    `rules` are those of the profile for the program's own shapes.
    """

    wish: Wish
    observation: Observation
    stakes: list[Stake] = field(default_factory=list)
    tuned: list[Stake] = field(default_factory=list)
    num_nodes: int | None = None
    tunings: dict[Shape, dict[str, Any]] = field(default_factory=dict)
    rules: list[dict[str, Any]] = field(default_factory=list)
    comparisons: list[dict[str, Any]] = field(default_factory=list)
    placement: Proposal | None = None
    taken_back: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def num_ranks(self) -> int:
        """Return how many ranks the program has."""
        return int(self.observation.run["num_ranks"])

    @property
    def is_kept(self) -> bool:
        """Return whether the profile has a rule for the program that is not native."""
        return any(rule["algorithm"] != NATIVE for rule in self.rules)

    def parts_of_program(self, only: Shape | None = None) -> set[tuple[str, Shape]]:
        """Return what rules may be about: calls that the program makes, and those that were tuned.

        A profile may have rules for other calls on as many ranks, which were found elsewhere.
        """
        shapes = self.tunings if only is None else {only}
        made = {(stake.call, stake.shape) for stake in self.stakes if stake.shape in shapes}
        tuned = {
            (rule["collective"], shape) for shape in shapes for rule in self.tunings[shape]["rules"]
        }
        return made | tuned

    def tuning_of(self, shape: Shape) -> dict[str, Any] | None:
        """Return the tuning for communicators of a shape, of one whose nodes are not known, too."""
        alike = [known for known in self.tunings if known.num_ranks == shape.num_ranks]
        return self.tunings.get(shape) or (self.tunings[alike[0]] if alike else None)
