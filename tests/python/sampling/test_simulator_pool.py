# SPDX-License-Identifier: Apache-2.0
"""Several simulators at a time: what becomes of points that fail, and of those after them."""

from __future__ import annotations

from typing import Any

import fake_simulation
import pytest

from espalier.errors import MpiError
from espalier.peers import launches
from espalier.sampling.pool import Task
from espalier.sampling.samples import Point, Problem, Request
from espalier.sampling.simulation import SimulatedJob
from espalier.tuning.simulators import Limits, Simulators

JOB = SimulatedJob("4c[latency=1us,bandwidth=1GB/s]", "block", 4)


class Tuning:
    """Wants one list of points after another, and notes what becomes of them."""

    def __init__(self, *wanted: list[Request]) -> None:
        self.wanted = list(wanted)
        self.taken: list[int] = []
        self.failed: dict[Request, str] = {}

    def next_task(self) -> list[Request]:
        return self.wanted.pop(0) if self.wanted else []

    def take(self, point: Point) -> None:
        self.taken.append(point.bytes)

    def exclude(self, problem: Problem) -> None:
        raise AssertionError(problem)

    def fail(self, request: Request, why: str) -> None:
        self.failed[request] = why


@pytest.fixture(autouse=True)
def _simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_simulation.install(monkeypatch)


def one(num_bytes: int, algorithm: str) -> Request:
    return Request("bcast", num_bytes, (algorithm,), has_native=False)


def tune(*tunings: Tuning, seconds: float | None = None) -> Simulators:
    limits = Limits(2, seconds_per_point=0.01, seconds=seconds)
    simulators = Simulators(JOB, limits, lambda *_: None, lambda _: None)
    simulators.run(tunings)  # type: ignore[arg-type]
    return simulators


def test_a_tuning_goes_on_after_what_takes_too_long() -> None:
    wanted = [one(8, "ring"), one(8, "hang"), one(64, "ring"), one(64, "hang"), one(512, "hang")]
    tuning = Tuning(wanted, [one(64, "ring")])
    tune(tuning)
    assert tuning.taken == [8, 64]
    assert tuning.failed == {
        wanted[1]: "took longer than 0.01 s to simulate",
        wanted[3]: "not tried: a smaller size took too long",
        wanted[4]: "not tried: a smaller size took too long",
    }
    assert fake_simulation.started() == [[8, 8, 64, 64, 512], [64]]


def test_calls_are_tuned_side_by_side() -> None:
    tunings = [Tuning([one(8, "crash")], [one(64, "ring")]), Tuning([one(512, "ring")])]
    tune(*tunings)
    assert list(tunings[0].failed.values()) == ["ended with exit code 1: it said nothing"]
    assert [tuning.taken for tuning in tunings] == [[64], [512]]


def test_a_simulator_that_does_not_start_ends_a_tuning() -> None:
    with pytest.raises(MpiError, match="expected the simulator to start"):
        tune(Tuning([one(8, "mute")]))


def test_a_tuning_ends_when_its_time_is_over() -> None:
    tuning = Tuning([one(8, "hang")])
    assert tune(tuning, seconds=0.0).is_out_of_time
    assert not tuning.failed


def test_a_simulator_that_does_not_start_gives_up_one_point_of_a_comparison() -> None:
    points: list[int] = []
    failures: list[Any] = []
    launches.run(
        [Task(JOB, [one(8, "mute"), one(64, "ring")], 1.0)],
        lambda _, result: points.append(result.asked_bytes),
        lambda _, failure: failures.append(failure),
    )
    assert points == [64]
    assert [failure.request.bytes for failure in failures] == [8]
    assert "expected the simulator to start" in failures[0].reason
