# SPDX-License-Identifier: Apache-2.0
"""Running the tunings of several calls side by side, one simulator each.

What to simulate next follows from the model, which takes time as well: a call that is being
thought about has the place of one that is simulated.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from espalier.base.background import in_background
from espalier.sampling.pool import SimulatorPool, Task
from espalier.sampling.samples import Point

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from espalier.sampling.pool import Attempt
    from espalier.sampling.samples import Problem, Request
    from espalier.sampling.simulation import SimulatedJob
    from espalier.tuning.call_tuning import CallTuning


@dataclass(frozen=True)
class Limits:
    """How many simulators run at the same time, and how long one may take for a point.

    For a point in processor time, so that it does not depend on what else runs here.
    """

    num_simulators: int
    seconds_per_point: float
    # Of everything, in real time; None: no limit.
    seconds: float | None = None


@dataclass
class _Work:
    """Where each call is that is not known yet."""

    waiting: deque[CallTuning]
    asked: dict[CallTuning, Future[list[Request]]] = field(default_factory=dict)
    running: dict[Attempt, CallTuning] = field(default_factory=dict)

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
        with SimulatorPool() as pool:
            while work:
                while work.waiting and len(work) < self.limits.num_simulators:
                    tuning = work.waiting.popleft()
                    work.asked[tuning] = in_background(tuning.next_task)
                self._start_known(work, pool)
                self._take_ended(work, pool)
                passed = time.monotonic() - start
                if self.limits.seconds is not None and passed > self.limits.seconds:
                    self.is_out_of_time = bool(work)
                    return

    def _start_known(self, work: _Work, pool: SimulatorPool) -> None:
        """Start a simulator for each call of which it is known what to simulate next."""
        for tuning in [one for one, task in work.asked.items() if task.done()]:
            requests = work.asked.pop(tuning).result()
            if not requests:
                self.on_call(tuning)
                continue
            task = Task(self.job, requests, self.limits.seconds_per_point)
            work.running[pool.start(task, partial(self._take, tuning))] = tuning

    def _take(self, tuning: CallTuning, request: Request, result: Point | Problem) -> None:
        if isinstance(result, Point):
            tuning.take(result)
        else:
            tuning.exclude(result)
        self.on_result(tuning, request, result)

    def _take_ended(self, work: _Work, pool: SimulatorPool) -> None:
        for attempt in pool.wait():
            if attempt.error is not None:
                raise attempt.error
            tuning = work.running.pop(attempt)
            for failure in attempt.failures():
                tuning.fail(failure.request, failure.reason)
            work.waiting.appendleft(tuning)
