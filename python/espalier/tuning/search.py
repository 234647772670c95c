# SPDX-License-Identifier: Apache-2.0
"""The search: many candidates shortly, few of them longer, one of them again in fresh launches."""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from espalier import _core, catalog
from espalier.console import say
from espalier.errors import ArgumentError, FileError
from espalier.sampling.measurement import Effort
from espalier.sampling.samples import Point, Problem, Request
from espalier.tuning import selection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.console import Progress
    from espalier.models.predictors import Setting
    from espalier.sampling.measurement import Measurer
    from espalier.store.database import Store
    from espalier.tuning.selection import Key, Verdict

DEFAULT_SIZES = (64, 512, 4096, 32768, 262144, 1048576, 4194304)
# An int counts the bytes of a call in the measuring program.
LARGEST_SIZE = 2**30
# What is tuned unless the user says otherwise: what programs spend their time in.
DEFAULT_CALLS = (
    "allgather",
    "allgatherv",
    "allreduce",
    "alltoall",
    "barrier",
    "bcast",
    "gather",
    "reduce",
    "scatter",
)
# The measuring program reduces elements of this size, and cuts some calls into equal parts.
_REDUCED_BYTES = 8
_EQUAL_PARTS = ("allgather", "alltoall", "gather", "reduce_scatter_block", "scatter")


@dataclass(frozen=True)
class Stage:
    """A round of measurements, and its share of the time."""

    name: str
    share: float
    min_repetitions: int
    max_repetitions: int
    precision: float


SCREENING = Stage("screening", 0.40, 5, 30, 0.05)
RACE = Stage("race", 0.25, 15, 150, 0.01)
CONFIRMATIONS = (
    Stage("confirmation 1", 0.175, 30, 300, 0.005),
    Stage("confirmation 2", 0.175, 30, 300, 0.005),
)
STAGES = (SCREENING, RACE, *CONFIRMATIONS)


@dataclass(frozen=True)
class Goal:
    """What to tune, and how sure to be."""

    collectives: tuple[str, ...]
    sizes: tuple[int, ...]
    patterns: tuple[str, ...] = ()
    seconds: float = 150.0
    confidence: float = 0.95
    min_gain: float = 0.02
    seed: int = 1

    def check(self) -> None:
        """Raise ArgumentError for what cannot be measured."""
        known = _core.calls()
        for name in self.collectives:
            if name not in known:
                raise ArgumentError(f"expected a collective of {', '.join(known)}, got '{name}'")
        for size in self.sizes:
            if not 1 <= size <= LARGEST_SIZE:
                raise ArgumentError(f"expected sizes from 1 B to 1 GiB, got {size} B")
        if self.seconds <= 0:
            raise ArgumentError(f"expected a time budget above 0 s, got {self.seconds:g} s")
        if not 0.5 <= self.confidence < 1:
            raise ArgumentError(f"expected a confidence in 0.5 .. 1, got {self.confidence:g}")
        if self.min_gain < 0:
            raise ArgumentError(f"expected a least gain of at least 0, got {self.min_gain:g}")


@dataclass
class Memory:
    """Where results go at once. A store that cannot be written any more is given up, loudly."""

    store: Store | None
    session: int
    problems: list[Problem] = field(default_factory=list)

    def recall(self, stage: str) -> list[Point]:
        """Return the points of a stage that an interrupted session measured."""
        return self.store.points(self.session, stage) if self.store else []

    def keep(self, stage: str, result: Point | Problem) -> None:
        """Keep a result."""
        if isinstance(result, Problem):
            self.problems.append(result)
        if self.store is None:
            return
        try:
            if isinstance(result, Point):
                self.store.add_point(self.session, stage, result)
            else:
                self.store.add_problem(self.session, stage, result)
        except FileError as error:
            self.store = None
            say(f"warning: {error}; going on without keeping measurements")


class Search:
    """One tuning. What is known at any time, also after an interruption, is in verdicts()."""

    def __init__(self, measurer: Measurer, goal: Goal, memory: Memory, bar: Progress) -> None:
        """Keep what is needed; nothing is measured yet."""
        self._measurer = measurer
        self._goal = goal
        self._memory = memory
        self._bar = bar
        self._raced: dict[Key, Point] = {}
        self._confirmed: dict[Key, list[Point]] = {}
        self._nominees: dict[Key, str] = {}
        self._seconds_left = goal.seconds
        self._share_left = 1.0
        self.num_points_left = 0

    def run(self, requests: Sequence[Request]) -> None:
        """Measure until every point is decided or the time is over."""
        screened = self._measure(SCREENING, requests)
        again = []
        for key, point in screened.items():
            survivors = selection.promising(point, self._goal.confidence)
            if survivors:
                again.append(Request(*key, tuple(survivors)))
        raced = self._measure(RACE, again)
        nominees = selection.nominate(raced.values(), self._goal.confidence)
        self._nominees = nominees
        finals = [Request(*key, (name,)) for key, name in nominees.items()]
        for stage in CONFIRMATIONS:
            self._measure(stage, finals)

    def verdicts(self) -> list[Verdict]:
        """Return a verdict for every point measured so far; what is not confirmed is native."""
        complete = {
            key: points
            for key, points in self._confirmed.items()
            if len(points) == len(CONFIRMATIONS)
        }
        return selection.decide(
            self._raced,
            complete,
            self._nominees,
            confidence=self._goal.confidence,
            min_gain=self._goal.min_gain,
        )

    def native_samples(self) -> list[tuple[float, ...]]:
        """Return the times of the native call, point by point."""
        return [point.native_us for point in self._raced.values()]

    def _measure(self, stage: Stage, requests: Sequence[Request]) -> dict[Key, Point]:
        """Measure what the store does not have yet; return all points of the stage."""
        wanted = {(request.collective, request.bytes): request for request in requests}
        points = {
            selection.key_of(point): point
            for point in self._memory.recall(stage.name)
            if selection.key_of(point) in wanted
        }
        for point in points.values():
            self._note(stage, point)
        missing = sorted(
            (request for key, request in wanted.items() if key not in points),
            key=lambda request: request.bytes,
        )
        start = time.monotonic()
        seconds = self._seconds_left * stage.share / self._share_left
        self._bar.advance(0.0, stage.name)
        advanced = 0.0
        if missing:
            step = 100 * stage.share / len(missing)

            def take(result: Point | Problem) -> None:
                nonlocal advanced
                self._memory.keep(stage.name, result)
                if isinstance(result, Point):
                    points[selection.key_of(result)] = result
                    self._note(stage, result)
                    advanced += step
                    size = f"{result.collective} {result.bytes} B"
                    self._bar.advance(step, f"{stage.name}: {size}")

            effort = Effort(
                seconds=max(seconds, 0.5),
                seconds_per_point=max(4 * seconds / len(missing), 0.01),
                min_repetitions=stage.min_repetitions,
                max_repetitions=stage.max_repetitions,
                precision=stage.precision,
                seed=self._goal.seed + 1000 * STAGES.index(stage),
            )
            launch = self._measurer.run(missing, effort, take)
            self.num_points_left += launch.num_points_left
        self._bar.advance(max(0.0, 100 * stage.share - advanced), stage.name)
        self._seconds_left -= time.monotonic() - start
        self._share_left -= stage.share
        return points

    def _note(self, stage: Stage, point: Point) -> None:
        key = selection.key_of(point)
        if stage in CONFIRMATIONS:
            self._confirmed.setdefault(key, []).append(point)
        else:
            self._raced[key] = point


def requests_for(goal: Goal, num_ranks: int, nodes: Sequence[int] = ()) -> list[Request]:
    """Return the points to measure, each with all its candidates.

    Args:
        goal: what to tune.
        num_ranks: how many ranks there are.
        nodes: the node of each rank, for some candidates that fit them; empty if unknown.

    Raises:
        ArgumentError: there is no candidate at all.
    """
    requests: dict[tuple[str, int], Request] = {}
    for call in goal.collectives:
        variants = _of_nodes(call, tuple(nodes)) if nodes else _of_ranks(call, num_ranks)
        candidates = _matching(call, num_ranks, goal.patterns, variants)
        for size in goal.sizes:
            # Sizes that a call cannot have become the same after rounding.
            real = real_size(call, size, num_ranks)
            requests.setdefault((call, real), Request(call, real, candidates))
    if not any(request.algorithms for request in requests.values()):
        raise ArgumentError(
            f"expected algorithms for {num_ranks} ranks among {', '.join(goal.patterns)}, got none",
            "'espalier list' prints all algorithms",
        )
    return list(requests.values())


def real_size(call: str, size: int, num_ranks: int) -> int:
    """Return the next size that a call can have in the measuring program."""
    if call == "barrier":
        return 0
    element = _REDUCED_BYTES if _core.collective_of(call) in _reducing() else 1
    unit = element * num_ranks if call in _EQUAL_PARTS else element
    return -(-size // unit) * unit


@functools.cache
def _reducing() -> frozenset[str]:
    return frozenset(row["name"] for row in _core.collectives() if row["reduces"])


def candidates_for(
    call: str, num_ranks: int, patterns: Sequence[str], setting: Setting | None = None
) -> list[str]:
    """Return the choices for a call that accept this many ranks and match one of the patterns.

    Where the machine is known there are more of them: with groups that are its nodes, in the order
    of nodes to which ranks were dealt in turn, in pipelines.
    """
    return list(_candidates(call, num_ranks, tuple(patterns), setting))


@functools.cache
def _candidates(
    call: str, num_ranks: int, patterns: tuple[str, ...], setting: Setting | None
) -> tuple[str, ...]:
    if setting is None:
        variants = _of_ranks(call, num_ranks)
    else:
        variants = _of_machine(call, num_ranks, setting)
    return _matching(call, num_ranks, patterns, variants)


def _of_ranks(call: str, num_ranks: int) -> list[str]:
    return _core.variants(_core.collective_of(call), num_ranks)


def _of_machine(call: str, num_ranks: int, setting: Setting) -> list[str]:
    return _core.machine_variants(
        _core.collective_of(call), num_ranks, setting.machine, setting.placement
    )


def _of_nodes(call: str, nodes: tuple[int, ...]) -> list[str]:
    return _core.node_variants(_core.collective_of(call), nodes)


def _matching(
    call: str, num_ranks: int, patterns: Sequence[str], variants: Sequence[str]
) -> tuple[str, ...]:
    choices = [choice for choice in variants if not _core.call_refuses(call, choice, num_ranks)]
    if not patterns:
        return tuple(choices)
    wanted: list[str] = []
    for pattern in patterns:
        if "[" in pattern:
            choice = _core.canonical(pattern)
            wanted += [] if _core.call_refuses(call, choice, num_ranks) else [choice]
        else:
            names = {catalog.full_name(entry) for entry in catalog.find(pattern)}
            wanted += [choice for choice in choices if catalog.name_of(choice) in names]
    return tuple(dict.fromkeys(wanted))


def method(goal: Goal, header: dict[str, Any], num_tested: int) -> dict[str, Any]:
    """Return how the numbers came about, for the profile."""
    return {
        "confidence": goal.confidence,
        "min_gain": goal.min_gain,
        "correction": f"Holm over {num_tested} decisions, each from two fresh launches",
        "interval": "median of paired ratios, order statistics, widened by autocorrelation",
        "start": "dissemination barrier before each sample, slowest rank counts",
        "clock": "CLOCK_MONOTONIC",
        "clock_resolution_us": header.get("clock_resolution_us"),
        "max_ranks_per_node": header.get("max_ranks_per_node"),
        "min_cpus_per_node": header.get("min_cpus_per_node"),
        "time_budget_seconds": goal.seconds,
        "seed": goal.seed,
    }
