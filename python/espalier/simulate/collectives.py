# SPDX-License-Identifier: Apache-2.0
"""Collectives on a simulated machine: every candidate and the native call, each timed once."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from espalier.errors import MpiError
from espalier.io.console import progress
from espalier.sampling.candidates import requests_for
from espalier.sampling.samples import Point, Problem
from espalier.sampling.simulation import SimulatedJob, measure, measuring_program
from espalier.sampling.simulation_time import usual_seconds
from espalier.simulate import memory
from espalier.store.database import SessionFacts, Store, key_of
from espalier.store.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from espalier.io.console import Progress
    from espalier.sampling.goal import Goal
    from espalier.sampling.samples import Request
    from espalier.simulate.setting import Setting

STAGE = "simulated"
# The candidate that does what a program under the given profile would do.
_PROFILE = "given"


@dataclass(frozen=True)
class Wish:
    """What to measure: `goal`, with the choices of a profile, in how much real time, kept where."""

    goal: Goal
    store: Path
    command: str
    profile: Path | None = None
    seconds: float | None = None


@dataclass
class Measured:
    """What is known; `left_out` says what was not measured and why."""

    points: list[Point] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    cause: BaseException | None = None


def run(setting: Setting, wish: Wish) -> Measured:
    """Measure; one launch for each collective, so that one that fails takes no other along.

    Ctrl-C ends it, and is the `cause` of a result that has something.

    Raises:
        ArgumentError: nothing can be measured there.
        MpiError: SimGrid is missing, or nothing could be measured at all.
        OutOfMemoryError: there is too little for the ranks.
        NotBuiltError: the measuring program is not built.
    """
    wish.goal.check()
    job = SimulatedJob(
        setting.machine.name, setting.placement, setting.num_ranks, setting.peer, setting.options
    )
    job.check()
    memory.check(setting.num_ranks, measuring_program().stat().st_size)
    requests = _with_profile(requests_for(wish.goal, setting.num_ranks), wish)
    measured = Measured()
    with Store(wish.store) as store, _progress(requests, setting, wish) as bar:
        session = store.begin_session(_facts(setting, wish, requests))
        kept = Memory(store, session)

        def keep(result: Point | Problem) -> None:
            kept.keep(STAGE, result)
            if isinstance(result, Point):
                measured.points.append(result)
                seconds = usual_seconds(result.collective, result.asked_bytes, setting.num_ranks)
                bar.advance(seconds * len(result.samples_us), result.collective)
            else:
                measured.problems.append(result)

        try:
            _measure_all(job, requests, wish, measured, keep)
        except (KeyboardInterrupt, SystemExit) as error:
            if not measured.points:
                raise
            measured.cause = error
        if measured.cause is None and not measured.left_out and kept.store is not None:
            store.complete_session(session)
    if not measured.points:
        raise MpiError("; ".join(measured.left_out) or "expected measured points, got none")
    return measured


def _progress(
    requests: Sequence[Request], setting: Setting, wish: Wish
) -> AbstractContextManager[Progress]:
    work = [
        usual_seconds(one.collective, one.bytes, setting.num_ranks)
        * (len(one.algorithms) + one.has_native)
        for one in requests
    ]
    return progress("simulating", sum(work), sum(work), wish.seconds)


def _with_profile(requests: list[Request], wish: Wish) -> list[Request]:
    if wish.profile is None:
        return requests
    own = f"profile/{_PROFILE}"
    return [
        type(request)(request.collective, request.bytes, (own, *request.algorithms))
        for request in requests
    ]


def _measure_all(
    job: SimulatedJob,
    requests: Sequence[Request],
    wish: Wish,
    measured: Measured,
    keep: Callable[[Point | Problem], None],
) -> None:
    start = time.monotonic()
    profiles = {} if wish.profile is None else {_PROFILE: wish.profile.resolve()}
    for collective in wish.goal.collectives:
        own = [request for request in requests if request.collective == collective]
        left = None if wish.seconds is None else wish.seconds - (time.monotonic() - start)
        if left is not None and left <= 0:
            measured.left_out.append(f"{collective}: the time was over")
            continue
        before = len(measured.points)
        reason = ""
        try:
            reason = measure(job, own, profiles, keep, left).failure
        except MpiError as error:
            reason = str(error)
        missing = len(own) - (len(measured.points) - before)
        if missing:
            measured.left_out.append(f"{collective}: {missing} sizes; {reason or 'all were wrong'}")


def _facts(setting: Setting, wish: Wish, requests: Sequence[Request]) -> SessionFacts:
    about = {
        "machine": setting.machine.short_text,
        "placement": setting.placement,
        "num_ranks": setting.num_ranks,
        "num_nodes": setting.num_nodes,
        "peer": setting.peer,
        "options": list(setting.options),
    }
    points = [[one.collective, one.bytes, one.algorithms] for one in requests]
    key = key_of([about, points])
    return SessionFacts(
        key=key,
        command=wish.command,
        mpi={"vendor": "smpi", "version": f"algorithms of {setting.peer}"},
        job={"simulated": True, **about},
        method={"calls": 1},
    )
