# SPDX-License-Identifier: Apache-2.0
"""Times of schedules and of peers' native calls on simulated machines, kept as a table."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import datetime
import json
import sys
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier.errors import Error
from espalier.sampling.candidates import real_size
from espalier.sampling.samples import Request
from espalier.sampling.simulation import DEFAULT_PEER, SimulatedJob, measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from espalier.sampling.measurement import Launch

    Measure = Callable[[SimulatedJob, Sequence[Request], float], Launch]

NATIVE = "native:"
_DATES = "dates.json"
_FIELDS = ("platform", "ranks", "operation", "bytes", "name", "us")


@dataclasses.dataclass(frozen=True)
class Time:
    """What one choice, or `native:<peer>`, took; bytes are those of the whole result."""

    platform: str
    num_ranks: int
    operation: str
    num_bytes: int
    name: str
    us: float


@dataclasses.dataclass(frozen=True)
class Place:
    """A machine by name, the ranks on it, and where they lie."""

    platform: str
    machine: str
    num_ranks: int
    placement: str = "block"


@dataclasses.dataclass(frozen=True)
class Limits:
    """Whose native calls are measured, and when a launch is ended."""

    peers: Sequence[str]
    seconds: float


def simulated(job: SimulatedJob, requests: Sequence[Request], seconds: float) -> Launch:
    """Measure in one launch."""
    return measure(job, requests, seconds=seconds)


def measure_times(
    place: Place,
    operation: str,
    choices_of_size: Mapping[int, Sequence[str]],
    limits: Limits,
    how: Measure = simulated,
) -> tuple[list[Time], list[str]]:
    """Measure choices by size in one launch, and the native calls of each peer in another one.

    Returns:
        The times, and what is missing and why.
    """
    times: list[Time] = []
    missing: list[str] = []
    for launch_of in ("", *limits.peers):
        choices = choices_of_size if not launch_of else dict.fromkeys(choices_of_size, ())
        if not launch_of and not any(choices.values()):
            continue
        found, lines = _measure(place, operation, choices, (launch_of, limits.seconds), how)
        times += found
        missing += lines
    return times, missing


def _measure(
    place: Place,
    operation: str,
    choices_of_size: Mapping[int, Sequence[str]],
    peer_and_seconds: tuple[str, float],
    how: Measure,
) -> tuple[list[Time], list[str]]:
    """Run one launch, of schedules if no peer is named."""
    peer, seconds = peer_and_seconds
    requests = [
        Request(operation, real_size(operation, size, place.num_ranks), tuple(choices))
        for size, choices in choices_of_size.items()
    ]
    job = SimulatedJob(place.machine, place.placement, place.num_ranks, peer or DEFAULT_PEER)
    start = time.monotonic()
    what = f"{place.platform}, {place.num_ranks} ranks, {operation}, {peer or 'schedules'}"
    try:
        launch = how(job, requests, seconds)
    except Error as error:
        return [], [f"{what}: {error}"]
    print(f"{what}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)  # noqa: T201
    return _times_of(launch, place, peer), _missing_of(launch, what)


def _times_of(launch: Launch, place: Place, peer: str) -> list[Time]:
    """Return what was asked for: of a launch of schedules its native calls are not a peer's."""
    return [
        Time(
            *(place.platform, place.num_ranks, point.collective, point.bytes),
            f"{NATIVE}{peer}" if peer else name,
            samples[0],
        )
        for point in launch.points
        for name, samples in point.samples_us.items()
        if (name == "native") == bool(peer)
    ]


def _missing_of(launch: Launch, what: str) -> list[str]:
    missing = [
        f"{what}, {problem.algorithm}: {problem.reason}: {problem.text}"
        for problem in launch.problems
    ]
    if launch.failure:
        missing.append(f"{what}: {launch.num_points_left} sizes: {launch.failure}")
    return missing


def write_times(times: Iterable[Time], path: Path) -> None:
    """Write a table, one time a line."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_FIELDS)
        for one in times:
            row = dataclasses.astuple(one)
            writer.writerow([*row[:-1], f"{one.us:.6g}"])


def read_times(path: Path) -> list[Time]:
    """Read such a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Time(
                row["platform"],
                int(row["ranks"]),
                row["operation"],
                int(row["bytes"]),
                row["name"],
                float(row["us"]),
            )
            for row in csv.DictReader(file)
        ]


def note_date(data: Path, study: str) -> None:
    """Keep in a folder of data that a study was measured today."""
    path = data / _DATES
    dates = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    dates[study] = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    path.write_text(json.dumps(dates, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def date_of(data: Path, study: str) -> str:
    """Return when a study was measured last."""
    dates: dict[str, str] = json.loads((data / _DATES).read_text(encoding="utf-8"))
    return dates[study]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def wrapped(text: str, indent: str = "") -> str:
    """Return a text in lines that a reader need not scroll; names of algorithms stay whole."""
    return textwrap.fill(
        text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def run_study(
    declared: Mapping[str, Any],
    description: str | None,
    places: str,
    measure_all: Callable[[Mapping[str, Any], Sequence[str], Path], None],
) -> None:
    """Parse a command line, `TIMES [--<places> NAME ...]`, and measure."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("times", type=Path)
    parser.add_argument(f"--{places}", dest="places", action="append", default=[])
    options = parser.parse_args()
    measure_all(declared, options.places, options.times)
    note_date(options.times.parent, options.times.stem)
