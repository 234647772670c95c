# SPDX-License-Identifier: Apache-2.0
"""An experiment on simulated machines: ours and each peer in launches of their own."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from espalier.peers import launches
from espalier.peers.bounds import bound_us
from espalier.peers.cells import MODEL, Cell, Outcome
from espalier.peers.experiment import SAME_FOR_ALL, most_messages, most_seconds
from espalier.peers.launches import Failure, Task
from espalier.peers.record import is_failure
from espalier.tuning.call_tuning import REFERENCES
from espalier.tuning.samples import NATIVE, Point, Problem, Request
from espalier.tuning.simulation import SimulatedJob

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from espalier.console import Progress
    from espalier.peers.choosing import Choosing
    from espalier.peers.contenders import Ours
    from espalier.peers.experiment import Experiment, Run
    from espalier.peers.record import Record

    _Key = tuple[str, int]

_OURS = "ours"
_NO_TIME = "not simulated: the time was over"


@dataclass(frozen=True)
class LeftOut:
    """A call that was not simulated in some place, and why."""

    run: Run
    collective: str
    reason: str


@dataclass
class _Board:
    """What was found in one place: points and failures of each contender."""

    run: Run
    ours: Ours
    points: dict[str, dict[_Key, Point]] = field(default_factory=lambda: defaultdict(dict))
    failures: dict[str, dict[_Key, str]] = field(default_factory=lambda: defaultdict(dict))
    problems: list[Problem] = field(default_factory=list)


class Comparison:
    """One experiment; what is known at any time, also after an interruption, is in cells()."""

    def __init__(
        self,
        experiment: Experiment,
        choosing: Choosing,
        record: Record,
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
            self._bar.close()
            board = _Board(run, self._choosing.ours(run, until))
            self._boards.append(board)
            tasks = list(self._missing(self._tasks(board)))
            num_at_once = self._choosing.num_simulators
            left = launches.run(tasks, self._keep, self._give_up, num_at_once, until)
            for task in left:
                for request in task.requests:
                    key = request.collective, request.bytes
                    board.failures[_contender(task)][key] = _NO_TIME

    def cells(self) -> list[Cell]:
        """Return a cell for each point that anybody has a time or a failure in."""
        return [cell for board in self._boards for cell in _cells(board, self._experiment)]

    def problems(self) -> list[tuple[Run, Problem]]:
        """Return candidates of ours that gave a wrong result or were refused."""
        return [(board.run, problem) for board in self._boards for problem in board.problems]

    def _tasks(self, board: _Board) -> Iterator[Task]:
        run = board.run
        for collective in run.sizes:
            if collective not in run.simulated():
                messages = most_messages(collective, run.num_ranks)
                seconds = most_seconds(collective, run.num_ranks)
                reason = f"not simulated: {messages} messages, about {seconds:.0f} s a call"
                self._leave_out(run, [collective], reason)
                continue
            num_peers = 1 if collective in SAME_FOR_ALL else len(self._experiment.peers)
            for peer in (_OURS, *self._experiment.peers[:num_peers]):
                is_ours = peer == _OURS
                task = Task(
                    SimulatedJob(
                        run.machine,
                        run.place.placement,
                        run.num_ranks,
                        self._experiment.under if is_ours else peer,
                    ),
                    [
                        Request(
                            collective,
                            size,
                            board.ours.algorithms(collective, size) if is_ours else (),
                        )
                        for _, size in run.points(collective)
                    ],
                    run.seconds_per_point,
                    board.ours.profiles if is_ours else {},
                    f"{run.place.label} {collective} {peer}",
                    self._references() if is_ours else (),
                )
                self._board_of[task.name] = board
                yield task

    def _references(self) -> tuple[str, ...]:
        """Return whose native calls ours are compared with where that below them fails."""
        return tuple(name for name in REFERENCES if name != self._experiment.under)

    def _leave_out(self, run: Run, collectives: Sequence[str], reason: str) -> None:
        self.left_out += [LeftOut(run, collective, reason) for collective in collectives]

    def _missing(self, tasks: Iterator[Task]) -> Iterator[Task]:
        """Yield what is left of each task after what the store has."""
        for task in tasks:
            points, problems = self._record.recall(task)
            known: list[Point | Problem] = [*points, *problems]
            for result in known:
                self._note(task, result)
            done = {(point.collective, point.asked_bytes) for point in points}
            done |= {problem.place for problem in problems if is_failure(problem)}
            if done:
                self._bar.advance(len(done), task.name)
            task.requests = [
                request
                for request in task.requests
                if (request.collective, request.bytes) not in done
            ]
            if task.requests:
                yield task

    def _keep(self, task: Task, result: Point | Problem) -> None:
        self._record.keep(task, result)
        self._note(task, result)
        if isinstance(result, Point):
            self._bar.advance(1, task.name)

    def _give_up(self, task: Task, failure: Failure) -> None:
        self._record.keep_failure(task, failure)
        key = failure.collective, failure.asked_bytes
        self._board_of[task.name].failures[_contender(task)][key] = failure.reason
        self._bar.advance(1, task.name)

    def _note(self, task: Task, result: Point | Problem) -> None:
        board = self._board_of[task.name]
        name = _contender(task)
        if isinstance(result, Point):
            board.points[name][result.collective, result.asked_bytes] = result
        elif is_failure(result):
            board.failures[name][result.place] = result.text
        else:
            board.problems.append(result)


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
    point = board.points[peer].get(key)
    if point is not None:
        return Outcome(point.samples_us[NATIVE][0], NATIVE)
    return Outcome(None, note=board.failures[peer].get(key, ""))


def _ours(board: _Board, key: _Key) -> dict[str, Outcome]:
    point = board.points[_OURS].get(key)
    if point is not None:
        return board.ours.outcomes(point)
    wrong = [one.algorithm for one in board.problems if one.place == key]
    reason = board.failures[_OURS].get(key, f"{wrong[0]} gave no right result" if wrong else "")
    return {name: Outcome(None, note=reason) for name in board.ours.profiles} or (
        {MODEL: Outcome(None, note=reason)} if board.ours.candidates else {}
    )


def work(experiment: Experiment) -> int:
    """Return how many points all launches have: the steps of the progress bar."""
    return sum(
        len(run.points(collective))
        * (2 if collective in SAME_FOR_ALL else 1 + len(experiment.peers))
        for run in experiment.runs
        for collective in run.simulated()
    )
