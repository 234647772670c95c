# SPDX-License-Identifier: Apache-2.0
"""Running the tunings of several calls side by side, one simulator each."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from espalier.tuning.samples import Point
from espalier.tuning.simulation import Simulation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from espalier.tuning.call_tuning import CallTuning, Task
    from espalier.tuning.samples import Problem
    from espalier.tuning.simulation import SimulatedJob

_SECONDS_BETWEEN_LOOKS = 0.05


@dataclass(frozen=True)
class Limits:
    """How many simulators run at the same time, and how long one may take for a point."""

    num_simulators: int
    seconds_per_point: float
    # Of everything; None: no limit.
    seconds: float | None = None


class _Running:
    """A launch for one call."""

    def __init__(
        self,
        job: SimulatedJob,
        tuning: CallTuning,
        task: Task,
        on_result: Callable[[CallTuning, str, Point | Problem], None],
    ) -> None:
        self.tuning = tuning
        self._task = task
        self._renewed = time.monotonic()
        self._on_result = on_result
        self._done: set[int] = set()
        peer_job = replace(job, peer=task.peer)
        self.simulation = Simulation(peer_job, task.requests, on_result=self._take)

    def _take(self, result: Point | Problem) -> None:
        self._renewed = time.monotonic()
        if isinstance(result, Point):
            self.tuning.take(result, self._task.peer)
            self._done.add(result.asked_bytes)
        elif result.reason == "wrong":
            self.tuning.exclude(result)
            self._done.add(result.asked_bytes)
        self._on_result(self.tuning, self._task.peer, result)

    def look(self, seconds_per_point: float) -> bool:
        """Take what is new; return whether the launch is still needed."""
        is_running = self.simulation.look()
        if is_running and time.monotonic() - self._renewed > seconds_per_point:
            self.simulation.stop(f"a size took longer than {seconds_per_point:g} s to simulate")
            is_running = False
        if not is_running and self.simulation.launch.failure:
            # Points are measured in order: the first that is missing is the one that failed.
            missing = [one.bytes for one in self._task.requests if one.bytes not in self._done]
            if missing:
                self.tuning.fail(missing[0], self.simulation.launch.failure)
        return is_running


@dataclass
class Simulators:
    """All tunings of a machine."""

    job: SimulatedJob
    limits: Limits
    on_result: Callable[[CallTuning, str, Point | Problem], None]
    on_call: Callable[[CallTuning], None]
    is_out_of_time: bool = field(default=False, init=False)

    def run(self, tunings: Sequence[CallTuning]) -> None:
        """Measure until every call is known, or the time is over.

        Whatever ends this, no simulator is left running.

        Raises:
            MpiError: the simulator does not start.
            NotBuiltError: something is not built.
        """
        start = time.monotonic()
        waiting = deque(tunings)
        running: dict[_Running, contextlib.ExitStack] = {}
        with contextlib.ExitStack() as everything:
            while waiting or running:
                while waiting and len(running) < self.limits.num_simulators:
                    self._start(waiting, running, everything)
                for one, stack in list(running.items()):
                    if not one.look(self.limits.seconds_per_point):
                        stack.close()
                        del running[one]
                        waiting.appendleft(one.tuning)
                passed = time.monotonic() - start
                if self.limits.seconds is not None and passed > self.limits.seconds:
                    self.is_out_of_time = bool(waiting or running)
                    return
                if running and not (waiting and len(running) < self.limits.num_simulators):
                    time.sleep(_SECONDS_BETWEEN_LOOKS)

    def _start(
        self,
        waiting: deque[CallTuning],
        running: dict[_Running, contextlib.ExitStack],
        everything: contextlib.ExitStack,
    ) -> None:
        tuning = waiting.popleft()
        task = tuning.next_task()
        if task is None:
            self.on_call(tuning)
            return
        one = _Running(self.job, tuning, task, self.on_result)
        stack = contextlib.ExitStack()
        stack.enter_context(one.simulation)
        everything.callback(stack.close)
        running[one] = stack
