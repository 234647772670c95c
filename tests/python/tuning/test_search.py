# SPDX-License-Identifier: Apache-2.0
"""A search that goes on after an interruption."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

from espalier.sampling.goal import Goal
from espalier.sampling.samples import NATIVE, Point, Request
from espalier.tuning.search import CONFIRMATIONS, HALVINGS, RACE, Search


def point(size: int, **microseconds: float) -> Point:
    """Return times of the native call, which takes 10 us, and of candidates; pairs differ."""
    times = {NATIVE: 10.0, **{f"bcast/{name}": one for name, one in microseconds.items()}}
    samples = {name: tuple(one * (1 + 0.001 * i) for i in range(30)) for name, one in times.items()}
    return Point("bcast", size, size, 1, samples)


@dataclass
class Measured:
    """What the store has of an interrupted session, and what is measured from now on."""

    stored: dict[str, list[Point]]
    fresh: dict[int, Point]
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def recall(self, stage: str) -> list[Point]:
        return self.stored.get(stage, [])

    def keep(self, stage: str, result: Point) -> None:
        pass

    def run(self, requests, effort, take):  # noqa: ARG002 - as a measurer
        for request in requests:
            self.asked.append(request.algorithms)
            found = self.fresh[request.bytes]
            names = (NATIVE, *request.algorithms)
            take(
                Point(
                    "bcast",
                    request.bytes,
                    request.bytes,
                    1,
                    {name: found.samples_us[name] for name in names if name in found.samples_us},
                )
            )
        return SimpleNamespace(num_points_left=0)


def search(measured: Measured) -> Search:
    bar = SimpleNamespace(advance=lambda *_: None, skip=lambda *_: None)
    found = Search(measured, Goal(("bcast",), (8, 16), seconds=10.0), measured, bar)
    found.run([Request("bcast", size, ("bcast/flat", "bcast/chain")) for size in (8, 16)])
    return found


def test_a_confirmation_of_another_nominee_is_measured_again():
    # Before the interruption the race of 8 B was all there was, where both are equally good. With
    # that of 16 B, one candidate does for both sizes.
    first = point(8, flat=5.0, chain=5.0)
    second = point(16, flat=9.0, chain=5.0)
    stored = {stage.name: [first, second] for stage in HALVINGS}
    stored[RACE.name] = [first, second]
    stored[CONFIRMATIONS[0].name] = [point(8, flat=5.0)]
    measured = Measured(stored, {8: first, 16: second})
    decided = {one.bytes: one.algorithm for one in search(measured).selections()}
    assert decided == {8: "bcast/chain", 16: "bcast/chain"}
    assert set(measured.asked) == {("bcast/chain",)}


def test_a_nominee_that_is_refused_in_a_fresh_launch_is_not_chosen():
    raced = point(8, flat=5.0)
    stored = {stage.name: [raced, point(16)] for stage in (*HALVINGS, RACE)}
    measured = Measured(stored, {8: point(8), 16: point(16)})
    decided = {one.bytes: one.algorithm for one in search(measured).selections()}
    assert decided == {8: NATIVE, 16: NATIVE}
