# SPDX-License-Identifier: Apache-2.0
"""Running the tunings of several calls side by side, one simulator each.

What to simulate next follows from the model, which takes time as well: a call that is being
thought about has the place of one that is simulated.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from espalier.base.background import in_background
from espalier.sampling.processor_time import Clock
from espalier.sampling.samples import Point
from espalier.sampling.simulation import Simulation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from espalier.sampling.samples import Problem, Request
    from espalier.sampling.simulation import SimulatedJob
    from espalier.tuning.call_tuning import CallTuning

_SECONDS_BETWEEN_LOOKS = 0.05


@dataclass(frozen=True)
class Limits:
    """How many simulators run at the same time, and how long one may take for a point.

    For a point in processor time, so that it does not depend on what else runs here.
    """

    num_simulators: int
    seconds_per_point: float
    # Of everything, in real time; None: no limit.
    seconds: float | None = None


class _Running:
    """A launch for one call."""

    def __init__(
        self,
        job: SimulatedJob,
        tuning: CallTuning,
        requests: Sequence[Request],
        on_result: Callable[[CallTuning, Request, Point | Problem], None],
    ) -> None:
        self.tuning = tuning
        self._left = list(requests)
        self._on_result = on_result
        self.simulation = Simulation(job, requests, on_result=self._take)

    def start(self) -> None:
        """Start the time of the first point."""
        self._clock = Clock(self.simulation.group)

    def look(self, seconds_per_point: float) -> bool:
        """Take what is new; return whether the launch is still needed."""
        is_running = self.simulation.look()
        if is_running and self._clock.is_over(seconds_per_point):
            self.simulation.stop(f"took longer than {seconds_per_point:g} s to simulate")
            is_running = False
            for request in self._left[1:]:
                if request.algorithms == self._left[0].algorithms:
                    self.tuning.fail(request, "not tried: a smaller size took too long")
        if not is_running and self._left:
            # Points are measured in order: the first that is missing is the one that failed.
            self.tuning.fail(self._left[0], self.simulation.launch.failure)
        return is_running

    def _take(self, result: Point | Problem) -> None:
        self._clock.restart()
        request = self._left.pop(0)
        if isinstance(result, Point):
            self.tuning.take(result)
        else:
            self.tuning.exclude(result)
        self._on_result(self.tuning, request, result)


@dataclass
class _Work:
    """Where each call is that is not known yet."""

    waiting: deque[CallTuning]
    asked: dict[CallTuning, Future[list[Request]]] = field(default_factory=dict)
    running: dict[_Running, contextlib.ExitStack] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return how many calls something is done for."""
        return len(self.asked) + len(self.running)

    def __bool__(self) -> bool:
        """Return whether anything is left to do."""
        return bool(self.waiting or self.asked or self.running)


@dataclass
class Simulators:
    """All tunings of a machine."""

    job: SimulatedJob
    limits: Limits
    on_result: Callable[[CallTuning, Request, Point | Problem], None]
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
        work = _Work(deque(tunings))
        with contextlib.ExitStack() as everything:
            while work:
                while work.waiting and len(work) < self.limits.num_simulators:
                    tuning = work.waiting.popleft()
                    work.asked[tuning] = in_background(tuning.next_task)
                self._start_known(work, everything)
                self._look(work)
                passed = time.monotonic() - start
                if self.limits.seconds is not None and passed > self.limits.seconds:
                    self.is_out_of_time = bool(work)
                    return
                time.sleep(_SECONDS_BETWEEN_LOOKS)

    def _start_known(self, work: _Work, everything: contextlib.ExitStack) -> None:
        """Start a simulator for each call of which it is known what to simulate next."""
        for tuning in [one for one, task in work.asked.items() if task.done()]:
            requests = work.asked.pop(tuning).result()
            if not requests:
                self.on_call(tuning)
                continue
            one = _Running(self.job, tuning, requests, self.on_result)
            stack = contextlib.ExitStack()
            stack.enter_context(one.simulation)
            one.start()
            everything.callback(stack.close)
            work.running[one] = stack

    def _look(self, work: _Work) -> None:
        for one, stack in list(work.running.items()):
            if not one.look(self.limits.seconds_per_point):
                stack.close()
                del work.running[one]
                work.waiting.appendleft(one.tuning)
