# SPDX-License-Identifier: Apache-2.0
"""The time left is right within a factor, also where pieces of work differ by a thousand."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

from espalier.io import console
from espalier.io.console import Progress
from espalier.peers import launches, simulated
from espalier.peers.cells import PlatformCell
from espalier.peers.contenders import Ours
from espalier.peers.experiment import Experiment, Run
from espalier.peers.simulated import Comparison, work
from espalier.profiles.profiles import Shape
from espalier.sampling.samples import Point, Request
from espalier.sampling.simulation_time import usual_seconds
from espalier.tuning import simulated_tuner

_MACHINE = "16n[latency=1us,bandwidth=10GB/s] x 8c[latency=300ns,bandwidth=8GB/s]"
# What one amount of work takes may be so much more or less than what another takes.
_MODEL_IS_WITHIN = 1.5


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self):
        """Begin anywhere."""
        self.now = 1000.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    fake = Clock()
    monkeypatch.setattr(console, "time", SimpleNamespace(monotonic=fake.monotonic))
    monkeypatch.setattr(simulated, "time", SimpleNamespace(monotonic=fake.monotonic))
    return fake


def worst_error(estimates, end):
    """Return the largest factor between what was told to be left and what was."""
    left = [(told, end - now) for now, told in estimates if end > now]
    return max(max(told / real, real / told) for told, real in left)


def work_through(clock, seconds, amounts):
    """Return what was told to be left after each piece of work but the last, and when."""
    bar = Progress("x", sum(amounts))
    estimates = []
    for took, amount in zip(seconds[:-1], amounts[:-1], strict=True):
        clock.now += took
        bar.advance(amount)
        estimates.append((clock.now, bar.seconds_left()))
    return estimates, clock.now + seconds[-1]


@pytest.mark.parametrize("seed", range(100))
def test_the_estimate_is_right_within_the_square_of_the_model(clock, seed):
    dice = random.Random(seed)  # noqa: S311 - cases, not secrets
    seconds = [10 ** dice.uniform(-2, 1) for _ in range(50)]
    amounts = [7 * one * _MODEL_IS_WITHIN ** dice.uniform(-1, 1) for one in seconds]
    estimates, end = work_through(clock, seconds, amounts)
    assert worst_error(estimates, end) <= _MODEL_IS_WITHIN**2


def test_counting_pieces_would_be_wrong_by_an_order_of_magnitude(clock):
    seconds = [10.0] * 20 + [0.01] * 180
    estimates, end = work_through(clock, seconds, [1] * 200)
    assert worst_error(estimates, end) > 10
    estimates, end = work_through(clock, seconds, seconds)
    assert worst_error(estimates, end) == pytest.approx(1)


def test_a_slow_start_does_not_tell_alone(clock):
    bar = Progress("x", 100, expected_seconds=100)
    assert bar.seconds_left() == pytest.approx(100)
    clock.now += 3
    bar.advance(0.01)
    assert 100 < bar.seconds_left() < 200
    clock.now += 100
    bar.advance(50)
    assert bar.seconds_left() == pytest.approx(100, rel=0.1)


def test_a_wrong_guess_is_forgotten(clock):
    bar = Progress("x", 100, expected_seconds=1)
    clock.now += 1000
    bar.advance(50)
    assert bar.seconds_left() == pytest.approx(1000, rel=0.1)


def test_before_anything_is_done_nothing_is_told(clock):
    bar = Progress("x", 10)
    clock.now += 5
    bar.skip(3)
    assert bar.seconds_left() is None


def test_what_took_no_time_does_not_make_the_rest_fast(clock):
    bar = Progress("x", 100)
    bar.skip(80)
    clock.now += 10
    bar.advance(10)
    assert bar.seconds_left() == pytest.approx(10)


def test_pauses_are_not_counted(clock):
    bar = Progress("x", 100)
    clock.now += 10
    with bar.paused():
        clock.now += 1000
    bar.advance(50)
    assert bar.seconds_left() == pytest.approx(10)


def test_no_more_is_left_than_the_limit_allows(clock):
    bar = Progress("x", 100, most_seconds=60)
    clock.now += 20
    bar.advance(1)
    assert bar.seconds_left() == pytest.approx(40)
    clock.now += 50
    assert bar.seconds_left() == 0


def test_what_exceeds_the_limit_is_not_bounded_by_it(clock):
    bar = Progress("x", 100, most_seconds=60)
    clock.now += 70
    bar.advance(1)
    bar.exceed(4)
    assert bar.seconds_left() == pytest.approx(210)


def test_more_work_than_expected_is_more_time(clock):
    bar = Progress("x", 10)
    clock.now += 10
    bar.advance(5)
    bar.extend(10)
    assert bar.seconds_left() == pytest.approx(30)


def test_lines_tell_the_time_left(clock, capsys):
    bar = Progress("comparing", 100)
    clock.now += 11
    bar.skip(10)
    clock.now += 11
    bar.advance(40)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["comparing: 10 %", "comparing: 50 %, about 27.5 s left"]


def test_points_of_the_simulator_differ_by_a_thousand():
    cheap, dear = (usual_seconds(*point) for point in (("bcast", 8, 128), ("alltoall", 2**20, 128)))
    assert 100 < dear / cheap < 1000
    assert usual_seconds("alltoall", 2**20, 128) == pytest.approx(16, rel=0.2)
    assert usual_seconds("barrier", 0, 128) == pytest.approx(0.05, rel=0.5)


class FakeChoosing:
    """Has a profile and a model for every place; tuning takes `seconds`."""

    def __init__(self, clock, seconds):
        """Keep both."""
        self._clock = clock
        self._seconds = seconds

    def num_simulators(self, _run):
        return 1

    def work(self, _run):
        return self._seconds

    def ours(self, run, _until):
        self._clock.now += self._seconds
        ours = Ours({}, Shape(run.num_ranks, 16), {}, {})
        ours.algorithms = lambda *_: ["profile/profile"]
        return ours


class FakeRecord:
    """Remembers nothing."""

    def recall(self, _task):
        return [], []

    def keep(self, _task, _result):
        pass


@pytest.mark.parametrize("tuning_seconds", [0.0, 300.0])
def test_a_comparison_tells_the_time_left(clock, monkeypatch, tuning_seconds):
    sizes = dict.fromkeys(("alltoall", "bcast", "gather", "reduce"), (8, 2**20))
    runs = tuple(
        Run(PlatformCell("x", placement, 128), _MACHINE, sizes, seconds_per_call=60)
        for placement in ("block", "cyclic")
    )
    experiment = Experiment("x", runs)
    choosing = FakeChoosing(clock, tuning_seconds)
    bar = Progress("comparing", sum(work(experiment, run, choosing) for run in runs))
    estimates = []
    dice = random.Random(1)  # noqa: S311 - cases, not secrets

    def measure(tasks, keep, _give_up, _num_at_once, _until):
        for task in tasks:
            for one in task.requests:
                seconds = usual_seconds(one.collective, one.bytes, 128)
                clock.now += seconds * _MODEL_IS_WITHIN ** dice.uniform(-1, 1)
                name = next(iter(one.algorithms), "native")
                keep(task, Point(one.collective, one.bytes, one.bytes, 1, {name: (1.0,)}))
                estimates.append((clock.now, bar.seconds_left()))
        return []

    monkeypatch.setattr(launches, "run", measure)
    Comparison(experiment, choosing, FakeRecord(), bar).run()
    end = clock.now
    # What is expected of ours is two profiles, here they choose the same: known once they chose.
    assert worst_error(estimates, end) <= 2 * _MODEL_IS_WITHIN**2
    assert len(estimates) == 2 * 5 * 8


def test_a_tuning_in_simulation_tells_the_time_left(clock):
    policy = SimpleNamespace(keeps_native=True)
    shortlist = SimpleNamespace(most=3, setting=SimpleNamespace(num_ranks=128))
    tunings = [
        SimpleNamespace(collective=name, sizes=[8, 2**20], shortlist=shortlist, policy=policy)
        for name in ("alltoall", "barrier", "bcast", "scatter")
    ]
    bar = Progress("tuning", sum(map(simulated_tuner._expected_work, tunings)))
    memory = SimpleNamespace(keep=lambda *_: None)
    tuning_work = simulated_tuner._Work(memory, bar, tunings)
    estimates = []
    for tuning in tunings:
        for size in [*tuning.sizes, 1024, 2**15]:
            for _ in range(4):
                clock.now += usual_seconds(tuning.collective, size, 128)
                point = Point(tuning.collective, size, size, 1, {"native": (1.0,)})
                tuning_work.take(tuning, Request(tuning.collective, size, ()), point)
                estimates.append((clock.now, bar.seconds_left()))
        tuning_work.finish(tuning)
    # Sizes between others are guessed to take three tenths of a call; here they take half.
    assert worst_error(estimates[:-16], clock.now) <= 3
    assert bar.seconds_left() == 0
