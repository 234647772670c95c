# SPDX-License-Identifier: Apache-2.0
"""What a probe shall measure: tests, sets of pairs that are active together, and how long."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from espalier.io.console import document

if TYPE_CHECKING:
    from espalier.probing.samples import Pair, Test

    PairSet = tuple[Pair, ...]

SCHEMA = "espalier-probe-plan"
VERSION = 1


@dataclass(frozen=True)
class Effort:
    """How long to measure.

    A set is measured until half the 95 % interval of its mean is below `precision` of it, or the
    standard deviation below `spread` of it; `seconds_per_set` and `max_repetitions` end it anyhow.
    No set is begun after `seconds`.
    """

    seconds: float
    seconds_per_set: float
    min_repetitions: int
    max_repetitions: int
    precision: float = 0.05
    spread: float | None = None
    seed: int = 1


@dataclass(frozen=True)
class PlannedTest:
    """One kind of test with all its sizes and sets; the label comes back with each result."""

    test: Test
    label: str
    bytes: tuple[int, ...]
    sets: tuple[PairSet, ...]
    messages: int = 1

    @property
    def num_points(self) -> int:
        """Return how many results come of it."""
        return len(self.bytes) * len(self.sets)


@dataclass(frozen=True)
class Plan:
    """Tests in the order of measuring, and in sentences what was left out for want of time."""

    tests: tuple[PlannedTest, ...]
    effort: Effort
    cuts: tuple[str, ...] = field(default=())

    @property
    def num_points(self) -> int:
        """Return how many results come of it."""
        return sum(test.num_points for test in self.tests)

    def document(self) -> dict[str, Any]:
        """Return the file that espalier-probe reads."""
        effort = self.effort
        return document(
            SCHEMA,
            VERSION,
            seed=effort.seed,
            seconds=effort.seconds,
            seconds_per_set=effort.seconds_per_set,
            min_repetitions=effort.min_repetitions,
            max_repetitions=effort.max_repetitions,
            precision=effort.precision,
            spread=effort.spread,
            tests=[
                {
                    "test": test.test,
                    "label": test.label,
                    "bytes": list(test.bytes),
                    "messages": test.messages,
                    "sets": [[list(pair) for pair in pairs] for pairs in test.sets],
                }
                for test in self.tests
            ],
        )


def header_plan() -> Plan:
    """Return a plan without tests: the ranks start and say who and where they are."""
    return Plan((), Effort(60.0, 1.0, 2, 2))
