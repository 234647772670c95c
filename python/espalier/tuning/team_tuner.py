# SPDX-License-Identifier: Apache-2.0
"""Tuning the one-sided collectives of a team of all ranks, for later programs."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier import __version__, installation
from espalier.base.intervals import paired_ratio
from espalier.conditions import conditions
from espalier.conditions.cautions import Caution, to_json
from espalier.errors import ArgumentError, MpiError
from espalier.io.console import document
from espalier.launch import programs
from espalier.launch.lines import GrowingLines
from espalier.launch.measuring import MeasuringProgram, Patience, temporary_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from espalier.launch.command import LaunchCommand

COLLECTIVES = (
    "bcast",
    "scatter",
    "gather",
    "reduce",
    "allreduce",
    "allgather",
    "alltoall",
    "barrier",
)
MODES = ("allsync", "mysync", "nosync")
SAMPLES = "espalier-team-samples"
VERSION = 1
CONFIDENCE = 0.95
_LONGEST_WAIT_SECONDS = 120.0


@dataclass(frozen=True)
class TeamGoal:
    """What to tune: collectives of whole results of these sizes, in one pair of modes."""

    collectives: tuple[str, ...]
    sizes: tuple[int, ...]
    seconds: float
    mode_in: str = "allsync"
    mode_out: str = "allsync"
    has_local_addresses: bool = False
    transport: str | None = None
    is_anew: bool = False

    def check(self) -> None:
        """Check the names.

        Raises:
            ArgumentError: one is unknown.
        """
        for names, known, what in (
            (self.collectives, COLLECTIVES, "collectives"),
            ((self.mode_in, self.mode_out), MODES, "modes"),
        ):
            unknown = next((name for name in names if name not in known), None)
            if unknown is not None:
                raise ArgumentError(f"expected {what} among {', '.join(known)}, got '{unknown}'")

    @property
    def requests(self) -> list[dict[str, Any]]:
        """Return the requests of a plan, in the order in which they are tuned."""
        return [
            {"collective": name, "bytes": size}
            for name in self.collectives
            for size in ((0,) if name == "barrier" else self.sizes)
        ]

    def plan(self) -> dict[str, Any]:
        """Return what the program reads."""
        return document(
            "espalier-team-plan",
            VERSION,
            **({} if self.transport is None else {"transport": self.transport}),
            **{"in": self.mode_in, "out": self.mode_out},
            has_local_addresses=self.has_local_addresses,
            is_anew=self.is_anew,
            seconds=self.seconds,
            requests=self.requests,
        )


@dataclass
class Found:
    """What one launch found. `cause` is what ended it early, with some requests tuned."""

    header: dict[str, Any] = field(default_factory=dict)
    requests: list[dict[str, Any]] = field(default_factory=list)
    cause: BaseException | None = None


def tune(
    command: LaunchCommand,
    vendor: str | None,
    goal: TeamGoal,
    on_request: Callable[[], None] = lambda: None,
) -> Found:
    """Tune all requests in one launch; the program keeps what it finds.

    Raises:
        NotBuiltError: there is no program for this MPI.
        MpiError: the launcher or the program failed, or nothing came for too long, before any
            request was tuned.
    """
    name = vendor or programs.vendor_of(command)
    program = MeasuringProgram(installation.team_program(name), f"espalier-team-{name}", command)
    with temporary_folder() as folder:
        watch = _Watch(Path(folder) / "samples.jsonl", goal, on_request)
        try:
            # What is off keeps nothing, and reads nothing.
            program.run(goal.plan(), Path(folder), watch, {"ESPALIER_OFF": "0"})
        except (KeyboardInterrupt, SystemExit, MpiError) as error:
            if not watch.found.requests:
                raise
            watch.found.cause = error
    return watch.found


def conclude(found: Found, goal: TeamGoal, command: str) -> dict[str, Any]:
    """Return the document `espalier-team-tuning`."""
    return document(
        "espalier-team-tuning",
        VERSION,
        command=command,
        espalier=__version__,
        mpi=found.header["mpi"],
        num_ranks=found.header["num_ranks"],
        num_nodes=found.header["num_nodes"],
        transport=found.header["transport"],
        **{"in": goal.mode_in, "out": goal.mode_out},
        has_local_addresses=goal.has_local_addresses,
        requests=[_judged(request) for request in found.requests],
        num_requests_left=len(goal.requests) - len(found.requests),
        warnings=to_json(_cautions(found, goal)),
    )


def _judged(request: Mapping[str, Any]) -> dict[str, Any]:
    before, after = request["before"], request["after"]
    ratio = paired_ratio(before["times_us"], after["times_us"], CONFIDENCE)
    return {
        "collective": request["collective"],
        "bytes": request["bytes"],
        "before": _choice(before),
        "after": _choice(after),
        "ratio": {"value": ratio.value, "low": ratio.low, "high": ratio.high},
    }


def _choice(side: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "algorithm": side["algorithm"],
        "mechanism": side["mechanism"],
        "origin": side["origin"],
        "seconds": 1e-6 * statistics.median(side["times_us"]),
    }


def _cautions(found: Found, goal: TeamGoal) -> list[Caution]:
    cautions = conditions.of_job(found.header)
    left = len(goal.requests) - len(found.requests)
    if left:
        cautions.append(
            Caution(
                "requests_left",
                f"there was no time for {left} of {len(goal.requests)} requests",
                "repeat the command: what was measured is kept, and takes no time again",
            )
        )
    return cautions


class _Watch:
    """Takes over what the program writes, and loses patience when nothing comes."""

    def __init__(self, path: Path, goal: TeamGoal, on_request: Callable[[], None]) -> None:
        self.found = Found()
        self.is_complete = False
        self._lines = GrowingLines(path, SAMPLES)
        self._on_request = on_request
        share = goal.seconds / max(1, len(goal.requests))
        self._patience = Patience("a tuned request", _LONGEST_WAIT_SECONDS + 10 * share)

    def look(self) -> None:
        for request in self._lines.read_new(self._interpret):
            self.found.requests.append(request)
            self._patience.renew()
            self._on_request()
        self._patience.check()

    def _interpret(self, value: dict[str, Any]) -> dict[str, Any] | None:
        kind = value["kind"]
        if kind == "header":
            self._lines.check_version(value, VERSION, "espalier-team")
            self.found.header = value
        elif kind == "end":
            self.is_complete = True
        return value if kind == "request" else None
