# SPDX-License-Identifier: Apache-2.0
"""The search: many candidates shortly, few of them longer, one of them again in fresh launches.

With the effort `measure` it is a successive halving (Jamieson and Talwalkar 2016): all candidates
are timed a few times, the best third of them more often, and so on, until few are left for the
race. Where the time does not suffice for that, the slowest are called only once. With `exhaustive`
all of them are timed as often as finalists are.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from espalier.sampling.goal import EXHAUSTIVE
from espalier.sampling.measurement import Effort
from espalier.sampling.samples import Point, Problem, Request
from espalier.tuning import selection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.io.console import Progress
    from espalier.sampling.goal import Goal
    from espalier.sampling.measurement import Measurer
    from espalier.store.memory import Memory
    from espalier.tuning.selection import Key, Selection


@dataclass(frozen=True)
class Stage:
    """A round of measurements, and its share of the time."""

    name: str
    share: float
    min_repetitions: int
    max_repetitions: int
    precision: float


HALVINGS = (
    Stage("screening", 0.25, 3, 3, 0.05),
    Stage("halving", 0.15, 6, 8, 0.05),
)
SCREENING = HALVINGS[0]
RACE = Stage("race", 0.25, 15, 50, 0.01)
# In place of these; without a limit of time each candidate gets as many repetitions as a finalist.
ALL_OF_THEM = Stage("all candidates", 0.65, 30, 300, 0.005)
CONFIRMATIONS = (
    Stage("confirmation 1", 0.175, 30, 300, 0.005),
    Stage("confirmation 2", 0.175, 30, 300, 0.005),
)
STAGES = (*HALVINGS, RACE, *CONFIRMATIONS)
# Beyond the time: for nominees that won every pair, of which there are too few for significance.
# Long calls get only a few repetitions in a launch.
MORE_CONFIRMATIONS = tuple(
    Stage(f"confirmation {number}", 0.0, 30, 300, 0.005) for number in (3, 4)
)
_ALL_CONFIRMATIONS = (*CONFIRMATIONS, *MORE_CONFIRMATIONS)
_MORE_REPETITIONS = 8
# Of seeds: a stage that is added has the next place.
_SEEDS = (*STAGES, *MORE_CONFIRMATIONS, ALL_OF_THEM)


class Search:
    """One tuning. What is known at any time, also after an interruption, is in selections()."""

    def __init__(self, measurer: Measurer, goal: Goal, memory: Memory, bar: Progress) -> None:
        """Keep what is needed; nothing is measured yet."""
        self._measurer = measurer
        self._goal = goal
        self._memory = memory
        self._bar = bar
        self._raced: dict[Key, Point] = {}
        self._confirmed: dict[Key, list[Point]] = {}
        self._nominees: dict[Key, str] = {}
        self._seconds_left = goal.seconds
        self._share_left = 1.0
        self.num_points_left = 0
        self._position: dict[Key, int] = {}
        self._asked: dict[Key, Request] = {}

    def run(self, requests: Sequence[Request]) -> None:
        """Measure until every point is decided or the time is over, the first points first."""
        self._position = {
            (request.collective, request.bytes): position
            for position, request in enumerate(requests)
        }
        self._asked = {(one.collective, one.bytes): one for one in requests}
        if self._goal.effort == EXHAUSTIVE:
            raced = self._measure(ALL_OF_THEM, requests)
        else:
            raced = self._halve_and_race(requests)
        nominees = selection.nominate(raced.values(), self._goal.confidence)
        self._nominees = nominees
        finals = [self._request(key, [name]) for key, name in nominees.items()]
        for stage in CONFIRMATIONS:
            self._measure(stage, finals)
        for stage in MORE_CONFIRMATIONS:
            self._confirm_more(stage)

    def _halve_and_race(self, requests: Sequence[Request]) -> dict[Key, Point]:
        """Return the points at which something may be faster than native, with few candidates."""
        goal = self._goal
        for stage in HALVINGS:
            points = self._measure(stage, requests)
            requests = [
                self._request(key, names)
                for key, point in points.items()
                if (names := selection.best_third(point, goal.confidence, goal.good_enough))
            ]
        return self._measure(RACE, requests)

    def selections(self) -> list[Selection]:
        """Return a selection for every point measured so far; what is not confirmed is native."""
        complete = {
            key: points
            for key, points in self._confirmed.items()
            if len(points) >= len(CONFIRMATIONS)
        }
        decided = selection.decide(
            self._raced,
            complete,
            self._nominees,
            confidence=self._goal.confidence,
            min_gain=self._goal.min_gain,
        )
        return [
            replace(one, manner=self._asked[one.collective, one.bytes].manner.text())
            for one in decided
        ]

    def native_samples(self) -> list[tuple[float, ...]]:
        """Return the times of the native call, point by point."""
        return [point.native_us for point in self._raced.values()]

    def _request(self, key: Key, algorithms: Sequence[str]) -> Request:
        return replace(self._asked[key], algorithms=tuple(algorithms))

    def _confirm_more(self, stage: Stage) -> None:
        """Measure nominees again that won every pair, but too few of them."""
        winners = selection.too_few_wins(self._confirmed, self._nominees, self._goal.confidence)
        calls_us = [
            statistics.median(times)
            for key in winners
            for times in self._confirmed[key][-1].samples_us.values()
        ]
        if winners:
            finals = [self._request(key, [self._nominees[key]]) for key in winners]
            self._measure(stage, finals, 1e-6 * _MORE_REPETITIONS * sum(calls_us))

    def _measure(
        self, stage: Stage, requests: Sequence[Request], seconds: float | None = None
    ) -> dict[Key, Point]:
        """Measure what the store does not have yet; return all points of the stage.

        It takes its share of the time that is left, or `seconds`.
        """
        wanted = {(request.collective, request.bytes): request for request in requests}
        points = {
            selection.key_of(point): point
            for point in self._memory.recall(stage.name)
            if selection.key_of(point) in wanted and self._is_useful(stage, point)
        }
        for point in points.values():
            self._note(stage, point)
        missing = sorted(
            (request for key, request in wanted.items() if key not in points),
            key=lambda request: self._position[request.collective, request.bytes],
        )
        start = time.monotonic()
        if seconds is None:
            seconds = self._seconds_left * stage.share / self._share_left
        self._bar.advance(0.0, stage.name)
        advanced = 0.0
        if missing:
            effort = Effort(
                seconds=max(seconds, 0.5),
                seconds_per_point=max(4 * seconds / sum(one.weight for one in missing), 0.01),
                min_repetitions=stage.min_repetitions,
                max_repetitions=stage.max_repetitions,
                precision=stage.precision,
                seed=self._goal.seed + 1000 * _SEEDS.index(stage),
                leaves_out_slow=stage in HALVINGS,
            )
            work = {(one.collective, one.bytes): effort.usual_seconds(one) for one in missing}
            share_of_work = 100 * stage.share / sum(work.values())

            def take(result: Point | Problem) -> None:
                nonlocal advanced
                self._memory.keep(stage.name, result)
                if isinstance(result, Point):
                    points[selection.key_of(result)] = result
                    self._note(stage, result)
                    step = share_of_work * work[result.place]
                    advanced += step
                    size = f"{result.collective} {result.bytes} B"
                    self._bar.advance(step, f"{stage.name}: {size}")

            launch = self._measurer.run(missing, effort, take)
            self.num_points_left += launch.num_points_left
        self._bar.skip(max(0.0, 100 * stage.share - advanced), stage.name)
        self._seconds_left -= time.monotonic() - start
        self._share_left -= stage.share
        return points

    def _is_useful(self, stage: Stage, point: Point) -> bool:
        """Return whether a confirmation is one of the nominee.

        Before an interruption another candidate may have been the nominee, and one may be refused.
        """
        nominee = self._nominees.get(selection.key_of(point))
        return stage not in _ALL_CONFIRMATIONS or nominee in point.samples_us

    def _note(self, stage: Stage, point: Point) -> None:
        key = selection.key_of(point)
        if stage not in _ALL_CONFIRMATIONS:
            self._raced[key] = point
        elif self._is_useful(stage, point):
            self._confirmed.setdefault(key, []).append(point)


def method(goal: Goal, header: dict[str, Any], num_tested: int) -> dict[str, Any]:
    """Return how the numbers came about, for the profile."""
    return {
        "confidence": goal.confidence,
        "min_gain": goal.min_gain,
        "correction": f"Holm over {num_tested} decisions, each from two or more fresh launches",
        "interval": "median of paired ratios, order statistics, widened by autocorrelation",
        "start": "dissemination barrier before each sample, slowest rank counts",
        "clock": "CLOCK_MONOTONIC",
        "clock_resolution_us": header.get("clock_resolution_us"),
        "max_ranks_per_node": header.get("max_ranks_per_node"),
        "min_cpus_per_node": header.get("min_cpus_per_node"),
        "time_budget_seconds": goal.seconds,
        "effort": goal.effort,
        "good_enough": goal.good_enough,
        "seed": goal.seed,
    }
