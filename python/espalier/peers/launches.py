# SPDX-License-Identifier: Apache-2.0
"""Simulating the tasks of a comparison: a point that fails is given up, the others go on."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from espalier.sampling.pool import Failure, SimulatorPool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from espalier.sampling.pool import Attempt, Task
    from espalier.sampling.samples import Point, Problem, Request

    OnResult = Callable[[Task, Point | Problem], None]
    OnFailure = Callable[[Task, Failure], None]

_LONGEST_REASON = 160
_DEADLOCK = "deadlock"


def run(
    tasks: Sequence[Task],
    on_result: OnResult,
    on_failure: OnFailure,
    num_at_once: int = 2,
    until: float | None = None,
) -> list[Task]:
    """Measure all tasks; results are handed over as they come, also before an interruption.

    Returns:
        What is left: no launch begins when time.monotonic() is past `until`.
    """
    waiting = list(tasks)
    left: list[Task] = []
    with SimulatorPool() as pool:
        while waiting or pool:
            if until is not None and waiting and time.monotonic() > until:
                left, waiting = waiting, []
            while waiting and len(pool) < num_at_once:
                task = waiting.pop(0)
                pool.start(task, _of_task(task, on_result))
            for attempt in pool.wait():
                waiting[:0] = _rest(attempt, on_failure)
    return left


def _of_task(task: Task, on_result: OnResult) -> Callable[[Request, Point | Problem], None]:
    return lambda _, result: on_result(task, result)


def _rest(attempt: Attempt, on_failure: OnFailure) -> list[Task]:
    """Give up what an attempt cannot do; return what is to be done of its task."""
    for failure in attempt.failures():
        on_failure(attempt.task, replace(failure, reason=readable(failure.reason)))
    rest = attempt.rest()
    return [replace(attempt.task, requests=rest)] if rest else []


def readable(failure: str) -> str:
    """Return in a few words why a simulator ended early."""
    if _DEADLOCK in failure.lower():
        return "deadlock"
    return failure if len(failure) <= _LONGEST_REASON else f"{failure[:_LONGEST_REASON]} ..."
