# SPDX-License-Identifier: Apache-2.0
"""Running espalier-measure-<vendor> once: plan in, points out as they are finished."""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from espalier import installation
from espalier.console import document, say
from espalier.errors import MpiError, NotBuiltError
from espalier.launch import processes, root
from espalier.launch.environment import with_environment
from espalier.tuning.samples import Point, SampleReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from espalier.launch.command import LaunchCommand
    from espalier.tuning.samples import Problem, Request

_PATIENCE_SECONDS = 120.0
_LINES_OF_ERROR = 12


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    seconds: float
    seconds_per_point: float
    min_repetitions: int
    max_repetitions: int
    precision: float
    seed: int = 1


@dataclass
class Launch:
    """What one launch found."""

    header: dict[str, Any] = field(default_factory=dict)
    points: list[Point] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    num_points_left: int = 0


class Measurer:
    """Starts the measuring program of one MPI behind the user's launcher options."""

    def __init__(self, command: LaunchCommand, vendor: str) -> None:
        """Find the program.

        Raises:
            NotBuiltError: there is none for this MPI.
        """
        program = installation.measurement_program(vendor)
        if program is None:
            raise NotBuiltError(
                f"expected the program espalier-measure-{vendor}, found none in"
                f" {installation.build_folder() or installation.package}",
                "run make build on a machine with this MPI",
            )
        self._program = program
        self._command = command
        self._environment = root.permission(command)
        if self._environment:
            say(
                "note: measuring as root; "
                + " and ".join(f"{name}=1" for name in self._environment)
                + " set for Open MPI's launcher"
            )

    def run(
        self,
        requests: Sequence[Request],
        effort: Effort,
        on_result: Callable[[Point | Problem], None],
    ) -> Launch:
        """Measure points; each result is handed over as soon as it is there.

        Raises:
            MpiError: the launcher or the program failed, or nothing came for too long.
        """
        with tempfile.TemporaryDirectory(prefix="espalier-tune-") as name:
            folder = Path(name)
            plan = folder / "plan.json"
            plan.write_text(json.dumps(_plan(requests, effort)), encoding="utf-8")
            reader = SampleReader(folder / "samples.jsonl", list(requests))
            watch = _Watch(reader, effort, on_result)
            words = [
                str(self._program),
                "--plan",
                str(plan),
                "--output",
                str(folder / "samples.jsonl"),
            ]
            start = with_environment(self._command.with_program(words), {"ESPALIER_OFF": "1"})
            with (folder / "output.txt").open("w+b") as output:
                streams = processes.Streams(stdout=output, stderr=output)
                environment = {**self._environment, **start.environment}
                ended = processes.run(
                    start.words, streams, environment=environment, on_look=watch.look
                )
                watch.look()
                if ended.exit_code != 0 or not reader.is_complete:
                    raise self._failure(ended.exit_code, output)
        watch.launch.header = reader.header or {}
        watch.launch.num_points_left = reader.num_points_left
        return watch.launch

    def _failure(self, exit_code: int, output: IO[bytes]) -> MpiError:
        output.seek(0)
        lines = output.read().decode(errors="replace").strip().splitlines()
        # Launchers frame their message; what matters is in its first lines.
        kept = [line for line in lines if line.strip("- ")][:_LINES_OF_ERROR]
        shown = "\n".join(f"  {line}" for line in kept)
        if shown:
            say(shown)
        return MpiError(
            f"expected '{self._command.text()}' to start {self._program.name} and end with exit"
            f" code 0, got {exit_code}",
            "check the launcher options with a small program; TMPDIR has to be a folder that all"
            " hosts see",
            exit_code=1,
        )


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
        self._patience = _PATIENCE_SECONDS + 10 * effort.seconds_per_point
        self._last = time.monotonic()

    def look(self) -> None:
        for result in self._reader.read_new():
            self._last = time.monotonic()
            if isinstance(result, Point):
                self.launch.points.append(result)
            else:
                self.launch.problems.append(result)
            self._on_result(result)
        if time.monotonic() - self._last > self._patience:
            raise MpiError(
                f"expected a measured point within {self._patience:.0f} s, got none",
                "look for a hanging MPI, too many ranks for the processors, or an unreachable"
                " host; finished points are kept",
            )


def _plan(requests: Sequence[Request], effort: Effort) -> dict[str, Any]:
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
        points=[
            {
                "collective": request.collective,
                "bytes": request.bytes,
                "algorithms": list(request.algorithms),
            }
            for request in requests
        ],
    )
