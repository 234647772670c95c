# SPDX-License-Identifier: Apache-2.0
"""Running espalier-measure-<vendor> once: plan in, points out as they are finished."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier import installation
from espalier.io.console import document
from espalier.launch.measuring import MeasuringProgram, Patience, temporary_folder
from espalier.sampling.samples import Point, SampleReader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from espalier.launch.command import LaunchCommand
    from espalier.sampling.samples import Problem, Request

_PATIENCE_SECONDS = 120.0
# Of a call, in seconds and bytes per second: what is done says how fast the machine at hand is.
_USUAL_LATENCY = 20e-6
_USUAL_BANDWIDTH = 1e9


@dataclass(frozen=True)
class Effort:
    """How long to measure.

    Where the time of a point does not suffice for all of its candidates, the slowest may be left
    out after a call of each.
    """

    seconds: float
    seconds_per_point: float
    min_repetitions: int
    max_repetitions: int
    precision: float
    seed: int = 1
    leaves_out_slow: bool = False

    def usual_seconds(self, request: Request) -> float:
        """Return about how long a point takes: only to tell the time left."""
        num_candidates = len(request.algorithms) + request.has_native
        work = request.manner.work
        call = _USUAL_LATENCY + request.bytes / _USUAL_BANDWIDTH + (work.seconds if work else 0.0)
        most = self.seconds_per_point * request.weight
        return min(most, num_candidates * self.max_repetitions * call)


@dataclass
class Launch:
    """What one launch found."""

    header: dict[str, Any] = field(default_factory=dict)
    points: list[Point] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    num_points_left: int = 0
    # Why it ended before its last point; empty if it did not.
    failure: str = ""


class Measurer:
    """Starts the measuring program of one MPI behind the user's launcher options.

    Calls are made on a communicator with all ranks, or at the same time on communicators whose
    ranks are `groups`, all of one size.
    """

    def __init__(
        self, command: LaunchCommand, vendor: str, groups: Sequence[Sequence[int]] = ()
    ) -> None:
        """Find the program.

        Raises:
            NotBuiltError: there is none for this MPI.
        """
        self._groups = groups
        self._program = MeasuringProgram(
            installation.measurement_program(vendor), f"espalier-measure-{vendor}", command
        )

    def run(
        self,
        requests: Sequence[Request],
        effort: Effort,
        on_result: Callable[[Point | Problem], None],
        profiles: Mapping[str, Path] | None = None,
    ) -> Launch:
        """Measure points; each result is handed over as soon as it is there.

        Raises:
            MpiError: the launcher or the program failed, or nothing came for too long.
        """
        with temporary_folder() as name:
            folder = Path(name)
            reader = SampleReader(folder / "samples.jsonl", list(requests))
            watch = _Watch(reader, effort, on_result)
            plan = plan_document(requests, effort, profiles, self._groups)
            self._program.run(plan, folder, watch)
        watch.launch.header = reader.header or {}
        watch.launch.num_points_left = reader.num_points_left
        return watch.launch


class _Watch:
    """Hands results over, and loses patience when none come."""

    def __init__(
        self,
        reader: SampleReader,
        effort: Effort,
        on_result: Callable[[Point | Problem], None],
    ) -> None:
        self.launch = Launch()
        self._reader = reader
        self._on_result = on_result
        seconds = _PATIENCE_SECONDS + 10 * effort.seconds_per_point
        self._patience = Patience("a measured point", seconds)

    @property
    def is_complete(self) -> bool:
        return self._reader.is_complete

    def look(self) -> None:
        for result in self._reader.read_new():
            self._patience.renew()
            if isinstance(result, Point):
                self.launch.points.append(result)
            else:
                self.launch.problems.append(result)
            self._on_result(result)
        self._patience.check()


def plan_document(
    requests: Sequence[Request],
    effort: Effort,
    profiles: Mapping[str, Path] | None = None,
    groups: Sequence[Sequence[int]] = (),
) -> dict[str, Any]:
    """Return a measurement plan; profiles are files by name, for algorithms `profile/<name>`."""
    return document(
        "espalier-measurement-plan",
        1,
        seed=effort.seed,
        warmup=3,
        min_repetitions=effort.min_repetitions,
        max_repetitions=effort.max_repetitions,
        seconds_per_point=effort.seconds_per_point,
        seconds=effort.seconds,
        precision=effort.precision,
        leaves_out_slow=effort.leaves_out_slow,
        profiles={name: str(path) for name, path in (profiles or {}).items()},
        groups=[list(group) for group in groups],
        points=[
            {
                "collective": request.collective,
                "bytes": request.bytes,
                "native": request.has_native,
                "weight": request.weight,
                "algorithms": list(request.algorithms),
                **request.manner.members(),
            }
            for request in requests
        ],
    )
