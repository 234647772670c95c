# SPDX-License-Identifier: Apache-2.0
"""A whole tuning on a simulated machine: from its description to a profile and a report."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from espalier.conditions import metadata
from espalier.io.console import progress
from espalier.machines import machines
from espalier.profiles import merging
from espalier.sampling.simulation_time import usual_seconds
from espalier.store.database import SessionFacts, Store, key_of
from espalier.tuning import simulated_outcome
from espalier.tuning.session import IF_UNWRITTEN, Session
from espalier.tuning.simulators import Limits, Simulators

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from espalier.io.console import Progress
    from espalier.machines.machines import Machine
    from espalier.sampling.samples import Point, Problem, Request
    from espalier.sampling.simulation import SimulatedJob
    from espalier.store.memory import Memory
    from espalier.tuning.call_tuning import CallTuning
    from espalier.tuning.session import Files
    from espalier.tuning.simulated_goal import SimulatedGoal

_OURS_STAGE = "simulation"
_NATIVE_STAGE = "simulation of native calls"
# Of a call's share of the progress; the rest is for sizes where the choice changes.
_FIRST_SHARE = 0.7
# What is left of a call after results beyond those expected: each takes one part of so many.
_SMALLEST_STEP = 3
# As many as most calls have at most.
_USUAL_CANDIDATES = 40
# A simulator of more ranks needs many gigabytes.
_MOST_RANKS_SIDE_BY_SIDE = 2048


def usual_num_simulators(num_ranks: int) -> int:
    """Return how many simulators run side by side: one a core, one for very many ranks."""
    return 1 if num_ranks > _MOST_RANKS_SIDE_BY_SIDE else os.cpu_count() or 1


def num_nodes(machine: Machine, job: SimulatedJob) -> int:
    """Return how many nodes the ranks of a job lie on."""
    placed = machine.place(job.placement, job.num_ranks)
    return len(set(machines.nodes_of_ranks(placed)))


def tune(goal: SimulatedGoal, files: Files, limits: Limits, machine: Machine) -> dict[str, Any]:
    """Tune, write the profile, and return the document of the report.

    Raises:
        Interrupted: after Ctrl-C or a signal, once something was measured.
    """
    goal.check()
    merging.check(files.output, goal.vendor)
    nodes = num_nodes(machine, goal.job)
    tunings = goal.tunings()
    with Store(files.store) as store, _progress(tunings, limits) as bar:
        session = Session(store, files, _facts(goal, files, nodes))
        work = _Work(session.memory, bar, tunings)
        work.recall()
        simulators = Simulators(goal.job, limits, work.take, work.finish)
        is_uninterrupted = session.carry_out(
            lambda: simulators.run(tunings),
            bar,
            lambda: any(tuning.chosen() for tuning in tunings),
        )
        is_complete = is_uninterrupted and not simulators.is_out_of_time
        about = {
            "command": files.repeat,
            "complete": is_complete,
            "version": "SimGrid SMPI",
            "profile": str(files.output),
            "cautions": simulated_outcome.cautions_of(
                tunings, session.memory.problems, is_out_of_time=simulators.is_out_of_time
            ),
        }
        chosen = [one for tuning in tunings for one in tuning.chosen()]
        profile = simulated_outcome.make_profile(goal, chosen, nodes, about)
        about["changes"] = merging.add(files.output, profile, IF_UNWRITTEN)
        if is_complete:
            session.complete()
    found = simulated_outcome.make_document(goal, profile, chosen, nodes, about)
    return session.conclude(found, is_complete=is_complete)


def _progress(tunings: Sequence[CallTuning], limits: Limits) -> AbstractContextManager[Progress]:
    total = sum(map(_expected_work, tunings))
    return progress("tuning", total, total / limits.num_simulators, limits.seconds)


def _expected_work(tuning: CallTuning) -> float:
    """Return about how long a call is simulated, in seconds."""
    num_points = min(tuning.shortlist.most, _USUAL_CANDIDATES) + tuning.policy.keeps_native
    first = sum(_point_work(tuning, size) for size in tuning.sizes) * num_points
    return first / _FIRST_SHARE


def _point_work(tuning: CallTuning, size: int) -> float:
    return usual_seconds(tuning.collective, size, tuning.shortlist.setting.num_ranks)


class _Work:
    """Keeps results, and says how far the work is."""

    def __init__(self, memory: Memory, bar: Progress, tunings: Sequence[CallTuning]) -> None:
        self._memory = memory
        self._bar = bar
        self._tunings = tunings
        self._left = {tuning.collective: _expected_work(tuning) for tuning in tunings}

    def recall(self) -> None:
        """Take what an interrupted session measured."""
        by_call = {tuning.collective: tuning for tuning in self._tunings}
        for stage in (_OURS_STAGE, _NATIVE_STAGE):
            for point in self._memory.recall(stage):
                tuning = by_call[point.collective]
                tuning.take(point)
                self._bar.skip(self._step(tuning, point.asked_bytes))

    def take(self, tuning: CallTuning, request: Request, result: Point | Problem) -> None:
        """Keep a result."""
        self._memory.keep(_NATIVE_STAGE if request.has_native else _OURS_STAGE, result)
        step = self._step(tuning, result.asked_bytes)
        self._bar.advance(step, f"{result.collective} {result.asked_bytes} B")

    def finish(self, tuning: CallTuning) -> None:
        """Count a call as done; what was expected and did not come took no time."""
        left, self._left[tuning.collective] = self._left[tuning.collective], 0.0
        self._bar.skip(left, f"{tuning.collective} is done")

    def _step(self, tuning: CallTuning, size: int) -> float:
        """Return how much a result is of what is expected of its call, which it never exhausts."""
        left = self._left[tuning.collective]
        step = min(_point_work(tuning, size), left / _SMALLEST_STEP)
        self._left[tuning.collective] = left - step
        return step


def _facts(goal: SimulatedGoal, files: Files, nodes: int) -> SessionFacts:
    identity = [
        goal.machine,
        goal.job.num_ranks,
        goal.job.peer,
        goal.job.settings,
        goal.collectives,
        goal.sizes,
        sorted(goal.sizes_of.items()),
        sorted(goal.ours_only),
        goal.patterns,
        [goal.most_candidates, goal.factor, goal.effort, goal.policy.good_enough],
        [goal.policy.keeps_native, goal.policy.widest_step],
        # Measurements of other code are others.
        metadata.code_version(),
    ]
    return SessionFacts(
        key=key_of(identity),
        command=files.repeat,
        mpi={"vendor": "smpi", "version": "SimGrid SMPI", "peer": goal.job.peer},
        job={
            "is_simulated": True,
            "num_ranks": goal.job.num_ranks,
            "num_nodes": nodes,
            "machine": goal.machine,
        },
        method={"is_simulated": True, "min_gain": goal.policy.min_gain},
    )
