# SPDX-License-Identifier: Apache-2.0
"""What espalier-measure-<vendor> writes: JSON lines, one for each finished point."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from espalier.launch.lines import GrowingLines
from espalier.sampling.manner import PLAIN, Manner

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SCHEMA = "espalier-samples"
VERSION = 1
NATIVE = "native"


@dataclass(frozen=True)
class Point:
    """One call and size, and the times of all candidates; the native call is usually one of them.

    Times with the same position were taken next to each other. `asked_bytes` is what the plan
    said, `bytes` what the call can have (a multiple of the ranks for allgather). `decided` is what
    candidates `profile/<name>` chose.
    """

    collective: str
    asked_bytes: int
    bytes: int
    calls_per_sample: int
    samples_us: Mapping[str, tuple[float, ...]]
    decided: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> tuple[str, int]:
        """Return which point it is, as it was asked for."""
        return self.collective, self.asked_bytes

    @property
    def native_us(self) -> tuple[float, ...]:
        """Return the times of the native call.

        Raises:
            KeyError: it was not asked for.
        """
        return self.samples_us[NATIVE]

    @property
    def candidates(self) -> list[str]:
        """Return the other candidates."""
        return [name for name in self.samples_us if name != NATIVE]


@dataclass(frozen=True)
class Problem:
    """A candidate that was not timed: `refused`, `slow` (for the time that there is) or `wrong`."""

    collective: str
    asked_bytes: int
    algorithm: str
    reason: str
    text: str

    @property
    def place(self) -> tuple[str, int]:
        """Return which point it is about."""
        return self.collective, self.asked_bytes


@dataclass(frozen=True)
class Request:
    """A point to measure: algorithms, and the native call unless `has_native` is false.

    With weight 2 it may take twice as much time as with weight 1. Calls are made in this manner.
    """

    collective: str
    bytes: int
    algorithms: tuple[str, ...]
    has_native: bool = True
    weight: float = 1.0
    manner: Manner = PLAIN


def name_of(one: Request | Point | Problem) -> tuple[str, int, str]:
    """Return what a request, or its result, is about: call, bytes asked for, algorithm."""
    if isinstance(one, Request):
        return one.collective, one.bytes, next(iter(one.algorithms), NATIVE)
    if isinstance(one, Point):
        return one.collective, one.asked_bytes, next(iter(one.samples_us))
    return one.collective, one.asked_bytes, one.algorithm


class SampleReader:
    """Reads the file while it grows."""

    def __init__(self, path: Path, requests: list[Request]) -> None:
        """Start at the beginning of the file, which may not exist yet."""
        self._lines = GrowingLines(path, SCHEMA)
        self._requests = requests
        self.header: dict[str, Any] | None = None
        self.is_complete = False
        self.num_points_left = 0
        self.creations: dict[str, dict[str, Any]] = {}

    def read_new(self) -> Iterator[Point | Problem]:
        """Yield what was added since the last call.

        Raises:
            FormatError: a line is not what it should be.
        """
        return self._lines.read_new(self._interpret)

    def _interpret(self, value: dict[str, Any]) -> Point | Problem | None:
        kind = value["kind"]
        if kind == "header":
            self._lines.check_version(value, VERSION, "espalier-measure")
            self.header = value
        elif kind == "end":
            self.is_complete = True
            self.num_points_left = int(value.get("points_left", 0))
        elif kind == "creation":
            self.creations[value["order"]] = value
        elif kind == "error":
            return Problem(
                value["collective"],
                self._requests[value["index"]].bytes,
                value["algorithm"],
                value["reason"],
                value["text"],
            )
        elif kind == "point":
            return _point(value, self._requests[value["index"]])
        return None


def _point(value: dict[str, Any], request: Request) -> Point:
    samples = {name: tuple(map(float, times)) for name, times in value["samples_us"].items()}
    lengths = {len(times) for times in samples.values()}
    if (NATIVE in samples) != request.has_native or len(lengths) != 1 or 0 in lengths:
        raise ValueError("all that was asked for needs equally many times")
    # A clock step of zero has no ratio.
    positive = {name: tuple(max(time, 1e-3) for time in times) for name, times in samples.items()}
    return Point(
        value["collective"],
        request.bytes,
        value["bytes"],
        value["calls_per_sample"],
        positive,
        value.get("decided", {}),
    )
