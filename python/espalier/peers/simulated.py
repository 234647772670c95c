# SPDX-License-Identifier: Apache-2.0
"""An experiment on simulated machines: ours and each peer in launches of their own."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from espalier.peers import launches
from espalier.peers.bounds import bound_us
from espalier.peers.cells import Cell, Outcome
from espalier.peers.experiment import SAME_FOR_ALL, most_messages, most_seconds
from espalier.peers.record import is_failure
from espalier.sampling.pool import Failure, Task
from espalier.sampling.samples import NATIVE, Point, Request, name_of
from espalier.sampling.simulation import SimulatedJob
from espalier.sampling.simulation_time import usual_seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from espalier.io.console import Progress
    from espalier.peers.choosing import Choosing
    from espalier.peers.contenders import Ours
    from espalier.peers.experiment import Experiment, Run
    from espalier.peers.record import RunRecord
    from espalier.sampling.samples import Problem

    _Key = tuple[str, int]

_OURS = "ours"
# Points of ours for one of a peer: two profiles, which sometimes choose the same.
_USUALLY_OURS = 2
_NO_TIME = "not simulated: the time was over"


@dataclass(frozen=True)
class LeftOut:
    """A call that was not simulated in some place, and why."""

    run: Run
    collective: str
    reason: str


def _table() -> dict[Any, Any]:
    return defaultdict(lambda: defaultdict(dict))


@dataclass
class _Board:
    """What was found in one place.

    Times in microseconds, and why there is none, by contender, by point, and by algorithm.
    """

    run: Run
    ours: Ours
    us: dict[str, dict[_Key, dict[str, float]]] = field(default_factory=_table)
    failures: dict[str, dict[_Key, dict[str, str]]] = field(default_factory=_table)
    problems: list[Problem] = field(default_factory=list)


class Comparison:
    """One experiment; what is known at any time, also after an interruption, is in cells()."""

    def __init__(
        self,
        experiment: Experiment,
        choosing: Choosing,
        record: RunRecord,
        bar: Progress,
    ) -> None:
        """Keep what is needed; nothing is simulated yet."""
        self._experiment = experiment
        self._choosing = choosing
        self._record = record
        self._bar = bar
        self._boards: list[_Board] = []
        self._board_of: dict[str, _Board] = {}
        self.left_out: list[LeftOut] = []

    def run(self) -> None:
        """Simulate everything that is not known yet, while there is time."""
        seconds = self._experiment.seconds
        until = None if seconds is None else time.monotonic() + seconds
        for run in self._experiment.runs:
            if until is not None and time.monotonic() > until:
                self._leave_out(run, run.simulated(), _NO_TIME)
                continue
            board = _Board(run, self._ours(run, until))
            self._boards.append(board)
            tasks = list(self._tasks(board))
            self._bar.extend(sum(map(_work_of, tasks)) - _expected_work(self._experiment, run))
            tasks = list(self._missing(tasks))
            num_at_once = self._choosing.num_simulators(run)
            left = launches.run(tasks, self._keep, self._give_up, num_at_once, until)
            for task in left:
                for request in task.requests:
                    self._fail(task, Failure(request, _NO_TIME))

    def _ours(self, run: Run, until: float | None) -> Ours:
        """Choose what stands for us, which shows how far it is by itself."""
        amount = self._choosing.work(run)
        if amount == 0:
            with self._bar.paused():
                return self._choosing.ours(run, until)
        self._bar.close()
        ours = self._choosing.ours(run, until)
        self._bar.advance(amount)
        return ours

    def cells(self) -> list[Cell]:
        """Return a cell for each point that anybody has a time or a failure in."""
        return [cell for board in self._boards for cell in _cells(board, self._experiment)]

    def problems(self) -> list[tuple[Run, Problem]]:
        """Return what gave a wrong result: candidates of ours, or native calls of a peer."""
        return [(board.run, problem) for board in self._boards for problem in board.problems]

    def _tasks(self, board: _Board) -> Iterator[Task]:
        """Yield a task for each contender: launches and communicators take time as well."""
        run = board.run
        calls = run.simulated()
        for collective in run.sizes:
            if collective not in calls:
                messages = most_messages(collective, run.num_ranks)
                seconds = most_seconds(collective, run.num_ranks)
                reason = f"not simulated: {messages} messages, about {seconds:.0f} s a call"
                self._leave_out(run, [collective], reason)
        for contender in (_OURS, *self._experiment.peers):
            own = [name for name in calls if self._has_own(contender, name)]
            job = SimulatedJob(
                run.machine,
                run.place.placement,
                run.num_ranks,
                self._experiment.under if contender == _OURS else contender,
            )
            task = Task(
                job,
                [one for name in own for one in _requests(board, name, contender)],
                run.seconds_per_point,
                board.ours.profiles if contender == _OURS else {},
                f"{run.place.label} {contender}",
            )
            self._board_of[task.name] = board
            yield task

    def _has_own(self, contender: str, collective: str) -> bool:
        return collective not in SAME_FOR_ALL or contender in (_OURS, self._experiment.peers[0])

    def _leave_out(self, run: Run, collectives: Sequence[str], reason: str) -> None:
        self.left_out += [LeftOut(run, collective, reason) for collective in collectives]

    def _missing(self, tasks: Iterable[Task]) -> Iterator[Task]:
        """Yield what is left of each task after what the store has."""
        for task in tasks:
            points, problems = self._record.recall(task)
            known: list[Point | Problem] = [*points, *problems]
            for result in known:
                self._note(task, result)
            done = {name_of(result) for result in known}
            task.requests = [one for one in task.requests if name_of(one) not in done]
            self._bar.skip(sum(_seconds(task, result) for result in known), task.name)
            if task.requests:
                yield task

    def _keep(self, task: Task, result: Point | Problem) -> None:
        self._record.keep(task, result)
        self._note(task, result)
        self._bar.advance(_seconds(task, result), task.name)

    def _give_up(self, task: Task, failure: Failure) -> None:
        self._record.keep_failure(task, failure)
        self._fail(task, failure)
        count = self._bar.advance if failure.was_tried else self._bar.skip
        count(_seconds(task, failure.request), task.name)

    def _fail(self, task: Task, failure: Failure) -> None:
        collective, size, algorithm = name_of(failure.request)
        failures = self._board_of[task.name].failures[_contender(task)]
        failures[collective, size][algorithm] = failure.reason

    def _note(self, task: Task, result: Point | Problem) -> None:
        board = self._board_of[task.name]
        contender = _contender(task)
        collective, size, algorithm = name_of(result)
        if isinstance(result, Point):
            board.us[contender][collective, size][algorithm] = result.samples_us[algorithm][0]
            return
        board.failures[contender][collective, size][algorithm] = result.text
        if not is_failure(result):
            whose = algorithm if contender == _OURS else f"{algorithm} of {contender}"
            board.problems.append(replace(result, algorithm=whose))


def _requests(board: _Board, collective: str, contender: str) -> Iterator[Request]:
    """Yield the points of a contender; a profile or candidate of ours that fails fails alone."""
    for _, size in board.run.points(collective):
        if contender != _OURS:
            yield Request(collective, size, ())
            continue
        for algorithm in board.ours.algorithms(collective, size):
            yield Request(collective, size, (algorithm,), has_native=False)


def _contender(task: Task) -> str:
    return task.name.rpartition(" ")[2]


def _cells(board: _Board, experiment: Experiment) -> Iterator[Cell]:
    run = board.run
    for collective in run.sizes:
        for asked, size in run.points(collective):
            key = collective, size
            is_same = collective in SAME_FOR_ALL
            peers = {
                peer: _peer(board, experiment.peers[0] if is_same else peer, key)
                for peer in experiment.peers
            }
            ours = _ours(board, key)
            if any(outcome.us or outcome.note for outcome in (*peers.values(), *ours.values())):
                yield Cell(
                    run.place, collective, asked, size, ours, peers, bound_us(run, collective, size)
                )


def _peer(board: _Board, peer: str, key: _Key) -> Outcome:
    us = board.us[peer][key].get(NATIVE)
    choice = NATIVE if us is not None else ""
    return Outcome(us, choice, board.failures[peer][key].get(NATIVE, ""))


def _ours(board: _Board, key: _Key) -> dict[str, Outcome]:
    return board.ours.outcomes(*key, board.us[_OURS][key], board.failures[_OURS][key])


def work(experiment: Experiment, run: Run, choosing: Choosing) -> float:
    """Return about how long a place is simulated, by one simulator after the other, in seconds."""
    return _expected_work(experiment, run) + choosing.work(run)


def _expected_work(experiment: Experiment, run: Run) -> float:
    return sum(
        _point_seconds(collective, size, run.num_ranks, run.seconds_per_point)
        * (_USUALLY_OURS + (1 if collective in SAME_FOR_ALL else len(experiment.peers)))
        for collective in run.simulated()
        for _, size in run.points(collective)
    )


def _work_of(task: Task) -> float:
    return sum(_seconds(task, request) for request in task.requests)


def _seconds(task: Task, one: Request | Point | Problem) -> float:
    collective, size, _ = name_of(one)
    return _point_seconds(collective, size, task.job.num_ranks, task.seconds_per_point)


def _point_seconds(collective: str, size: int, num_ranks: int, most: float) -> float:
    return min(most, usual_seconds(collective, size, num_ranks))
