# SPDX-License-Identifier: Apache-2.0
"""A simulator that does at once what the names of candidates say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from espalier.errors import MpiError
from espalier.sampling import pool
from espalier.sampling.samples import Point

if TYPE_CHECKING:
    import pytest

    from espalier.sampling.samples import Request


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every pool start it instead of the real one."""
    monkeypatch.setattr(pool, "Simulation", _Simulation)
    monkeypatch.setattr(_Simulation, "started", [])


def started() -> list[list[int]]:
    """Return the sizes of each launch."""
    return _Simulation.started


class _Simulation:
    """Times all points but `crash`, where it ends, and `hang`, where it stops coming on.

    With `mute` as its first candidate it does not begin to measure.
    """

    started: ClassVar[list[list[int]]] = []

    def __init__(self, _job: Any, requests: list[Request], _profiles: Any, on_result: Any) -> None:
        self.requests = requests
        self.on_result = on_result
        _Simulation.started.append([request.bytes for request in requests])
        self.launch = type("Launch", (), {"points": [], "problems": [], "failure": ""})()

    group = -1

    def __enter__(self) -> _Simulation:
        return self

    def __exit__(self, *details: object) -> None:
        pass

    def look(self) -> bool:
        done = len(self.launch.points)
        if done == len(self.requests):
            return False
        request = self.requests[done]
        if request.algorithms == ("mute",):
            raise MpiError("expected the simulator to start on 4 ranks, it ended")
        if request.algorithms == ("crash",):
            self.launch.failure = "ended with exit code 1: it said nothing"
            return False
        if request.algorithms == ("hang",):
            return True
        name = next(iter(request.algorithms), "native")
        point = Point(request.collective, request.bytes, request.bytes, 1, {name: (1.0,)})
        self.launch.points.append(point)
        self.on_result(point)
        return True

    def stop(self, why: str) -> None:
        self.launch.failure = why
