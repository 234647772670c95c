# SPDX-License-Identifier: Apache-2.0
"""Several simulators at a time, each with a limit; what one cannot do does not take others along.

A launch measures points one after another. If it crashes, deadlocks or does not come on, the point
it was at is given up, and a new launch measures those after it; a point that took too long takes
the larger sizes of its call along. Limits are of processor time, and generous ones of real time
for what waits without working.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from espalier.errors import MpiError
from espalier.sampling.processor_time import Clock
from espalier.sampling.samples import NATIVE, Point, Request
from espalier.sampling.simulation import Simulation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from espalier.sampling.samples import Problem
    from espalier.sampling.simulation import SimulatedJob

_SECONDS_BETWEEN_LOOKS = 0.05
_LONGEST_REASON = 160
_HANGS = "took longer than"
_DEADLOCK = "deadlock"


@dataclass
class Task:
    """Points to measure in one place, each with one algorithm or the native call."""

    job: SimulatedJob
    requests: list[Request]
    seconds_per_point: float
    profiles: Mapping[str, Path] = field(default_factory=dict)
    name: str = ""


@dataclass(frozen=True)
class Failure:
    """A point that has no time, and why."""

    request: Request
    reason: str


class _Attempt:
    """One launch for what is left of a task."""

    def __init__(self, task: Task, on_result: Callable[[Task, Point | Problem], None]) -> None:
        self.task = task
        self.simulation = Simulation(
            task.job,
            task.requests,
            task.profiles,
            lambda result: self._take(on_result, result),
        )
        self.simulation.__enter__()
        self._clock = Clock(self.simulation.group)

    def _take(
        self, on_result: Callable[[Task, Point | Problem], None], result: Point | Problem
    ) -> None:
        on_result(self.task, result)
        self._clock.restart()

    def is_running(self) -> bool:
        """Look once; end what does not come on."""
        try:
            if not self.simulation.look():
                return False
        except MpiError as error:
            self.simulation.launch.failure = str(error)
            return False
        if self._clock.is_over(self.task.seconds_per_point):
            self.simulation.stop(f"{_HANGS} {self.task.seconds_per_point:g} s to simulate")
            return False
        return True

    def close(self) -> None:
        """End the simulator if it still runs."""
        self.simulation.__exit__()

    def left(self) -> list[Request]:
        """Return the points without result, in their order."""
        launch = self.simulation.launch
        results: list[Point | Problem] = [*launch.points, *launch.problems]
        done = {name_of(result) for result in results}
        return [request for request in self.task.requests if name_of(request) not in done]


def name_of(one: Request | Point | Problem) -> tuple[str, int, str]:
    """Return what a request, or its result, is about: call, bytes asked for, algorithm."""
    if isinstance(one, Request):
        return one.collective, one.bytes, next(iter(one.algorithms), NATIVE)
    if isinstance(one, Point):
        return one.collective, one.asked_bytes, next(iter(one.samples_us))
    return one.collective, one.asked_bytes, one.algorithm


def run(
    tasks: Sequence[Task],
    on_result: Callable[[Task, Point | Problem], None],
    on_failure: Callable[[Task, Failure], None],
    num_at_once: int = 2,
    until: float | None = None,
) -> list[Task]:
    """Measure all tasks; results are handed over as they come, also before an interruption.

    Returns:
        What is left: no launch begins when time.monotonic() is past `until`.
    """
    waiting = list(tasks)
    left: list[Task] = []
    active: list[_Attempt] = []
    with contextlib.ExitStack() as stack:
        while waiting or active:
            if until is not None and waiting and time.monotonic() > until:
                left, waiting = waiting, []
            while waiting and len(active) < num_at_once:
                attempt = _Attempt(waiting.pop(0), on_result)
                stack.callback(attempt.close)
                active.append(attempt)
            for attempt in [one for one in active if not one.is_running()]:
                active.remove(attempt)
                attempt.close()
                waiting[:0] = _rest(attempt, on_failure)
            time.sleep(_SECONDS_BETWEEN_LOOKS)
    return left


def _rest(attempt: _Attempt, on_failure: Callable[[Task, Failure], None]) -> list[Task]:
    """Give up the point an attempt ended at; return what is to be done of its task."""
    left = attempt.left()
    if not left:
        return []
    task = attempt.task
    failed, *after = left
    reason = readable(attempt.simulation.launch.failure)
    on_failure(task, Failure(failed, reason))
    if _HANGS in reason:
        larger = [one for one in after if _is_same_call(one, failed)]
        for request in larger:
            on_failure(task, Failure(request, "not tried: a smaller size took too long"))
        after = [request for request in after if request not in larger]
    return [replace(task, requests=after)] if after else []


def _is_same_call(one: Request, other: Request) -> bool:
    return (one.collective, one.algorithms) == (other.collective, other.algorithms)


def readable(failure: str) -> str:
    """Return in a few words why a simulator ended early."""
    if _DEADLOCK in failure.lower():
        return "deadlock"
    return failure if len(failure) <= _LONGEST_REASON else f"{failure[:_LONGEST_REASON]} ..."
