# SPDX-License-Identifier: Apache-2.0
"""Several simulators at a time, each with a limit; what one cannot do does not take others along.

A launch measures points one after another. If it crashes, deadlocks or does not come on, the point
it was at is given up; a point that took too long takes the larger sizes of its call along. Limits
are of processor time, and generous ones of real time for what waits without working.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from espalier.errors import MpiError
from espalier.sampling.processor_time import Clock
from espalier.sampling.samples import name_of
from espalier.sampling.simulation import SECONDS_BETWEEN_LOOKS, Simulation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import Self

    from espalier.sampling.samples import Point, Problem, Request
    from espalier.sampling.simulation import SimulatedJob


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
    # False where it was clear without trying.
    was_tried: bool = True


class Attempt:
    """One launch for a task."""

    def __init__(self, task: Task, on_result: Callable[[Request, Point | Problem], None]) -> None:
        """Start the simulator; each result is handed over when it is there.

        Raises:
            ArgumentError: the job cannot be simulated.
            NotBuiltError: something is not built.
        """
        self.task = task
        # Why it did not begin to measure.
        self.error: MpiError | None = None
        self._left = {name_of(request): request for request in task.requests}
        self._on_result = on_result
        self._is_slow = False
        self._simulation = Simulation(task.job, task.requests, task.profiles, self._take)
        self._simulation.__enter__()
        self._clock = Clock(self._simulation.group)

    def is_running(self) -> bool:
        """Look once; end what does not come on."""
        try:
            is_running = self._simulation.look()
        except MpiError as error:
            self.error = error
            return False
        seconds = self.task.seconds_per_point
        if is_running and self._clock.is_over(seconds):
            self._is_slow = True
            self._simulation.stop(f"took longer than {seconds:g} s to simulate")
            return False
        return is_running

    def close(self) -> None:
        """End the simulator if it still runs."""
        self._simulation.__exit__()

    def failures(self) -> list[Failure]:
        """Return the point that it ended at, and those that are not worth another attempt."""
        if not self._left:
            return []
        failed, *after = self._left.values()
        reason = str(self.error or self._simulation.launch.failure)
        found = [Failure(failed, reason)]
        if self._is_slow:
            found += [
                Failure(request, "not tried: a smaller size took too long", was_tried=False)
                for request in after
                if _is_same_call(request, failed)
            ]
        return found

    def rest(self) -> list[Request]:
        """Return the points that are worth another attempt, in their order."""
        failed = [failure.request for failure in self.failures()]
        return [request for request in self._left.values() if request not in failed]

    def _take(self, result: Point | Problem) -> None:
        self._clock.restart()
        self._on_result(self._left.pop(name_of(result)), result)


class SimulatorPool:
    """The attempts under way; a context manager, which ends them all."""

    def __init__(self) -> None:
        """Begin with none."""
        self._running: list[Attempt] = []
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Return the pool."""
        return self

    def __exit__(self, *details: object) -> None:
        """End what still runs."""
        self._stack.close()

    def __len__(self) -> int:
        """Return how many attempts are under way."""
        return len(self._running)

    def start(self, task: Task, on_result: Callable[[Request, Point | Problem], None]) -> Attempt:
        """Start an attempt; see Attempt."""
        attempt = Attempt(task, on_result)
        self._stack.callback(attempt.close)
        self._running.append(attempt)
        return attempt

    def wait(self) -> list[Attempt]:
        """Wait a moment, hand over results, and return the attempts that have ended."""
        time.sleep(SECONDS_BETWEEN_LOOKS)
        ended = [attempt for attempt in self._running if not attempt.is_running()]
        for attempt in ended:
            attempt.close()
            self._running.remove(attempt)
        return ended


def _is_same_call(one: Request, other: Request) -> bool:
    return (one.collective, one.algorithms) == (other.collective, other.algorithms)
