# SPDX-License-Identifier: Apache-2.0
"""`espalier run`."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from espalier.cli.groups import Preloaded
from espalier.cli.options import Json, Mpi, Statistics, TrafficFolder
from espalier.errors import Error, FileError, FormatError
from espalier.io.console import json_text, say
from espalier.launch import diagnosis, preload, processes, runs, traffic
from espalier.launch.run_folder import run_folder
from espalier.profiles import profiles
from espalier.report.run import run_summary, traffic_summary


@dataclass(frozen=True)
class Recorded:
    """What ranks leave."""

    statistics: Statistics = None
    traffic: TrafficFolder = None


def usable_profile(path: Path | None) -> Path | None:
    """Return a profile that can be used; the program runs without one that cannot."""
    if path is None:
        return None
    try:
        profiles.read(path)
    except Error as error:
        say(f"warning: {error}; the program runs without a profile")
        return None
    return path


@contextlib.contextmanager
def _statistics_folder(named: Path | None, *, is_needed: bool) -> Iterator[Path | None]:
    """Make the folder for statistics, without files of earlier runs; a temporary one if unnamed."""
    if named is None:
        if not is_needed:
            yield None
            return
        with run_folder() as folder:
            yield Path(folder)
        return
    try:
        named.mkdir(parents=True, exist_ok=True)
        for old in named.glob("rank-*.json"):
            old.unlink()
    except OSError as error:
        raise FileError(
            f"{named}: expected a folder for statistics, got '{error.strerror}'",
            "choose another with --statistics",
        ) from error
    yield named


def _prepare_traffic(folder: Path | None) -> None:
    """Make the folder, without files of earlier runs."""
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        traffic.clear(folder)
    except OSError as error:
        raise FileError(
            f"{folder}: expected a folder for traffic, got '{error.strerror}'",
            "choose another with --traffic",
        ) from error


def _print_traffic(folder: Path) -> None:
    try:
        say(traffic_summary(traffic.read(folder)))
    except FormatError as error:
        say(f"espalier: {error}")


def _print_summary(target: preload.Target, folder: Path, *, json: bool) -> None:
    if target.obstacle:
        return
    if not json:
        say(f"espalier: preloaded {target.library.name}: {target.why}")
    try:
        explained = runs.explain_run(folder)
    except FormatError:
        say(f"espalier: {diagnosis.why_unseen(target.command)}")
        return
    # Standard output belongs to the program.
    say(json_text(explained).rstrip() if json else run_summary(explained))


def _leaves_all(under: Preloaded) -> bool:
    """Return whether nothing lets another call than the native one run."""
    is_forced = bool(under.forced or os.environ.get("ESPALIER_FORCE"))
    return under.profile is None and not is_forced and under.learn is False


def run(
    command: Annotated[
        list[str],
        typer.Argument(metavar="-- COMMAND", help="The MPI program: -- mpirun -n 4 ./program"),
    ],
    under: Preloaded,
    recorded: Recorded,
    summary: Annotated[
        bool, typer.Option("--summary", help="Say afterwards what ran, on standard error.")
    ] = False,
    mpi: Mpi = None,
    json: Json = False,
) -> None:
    """Run an MPI program, unchanged, with Espalier under it.

    Input, output, signals and the exit code are the program's own. The program learns in its own
    calls which algorithms are faster, and checks the rules of a profile, unless --no-learn or
    ESPALIER_LEARN=off says otherwise. With --mapping topologies that permit another order of ranks
    are mapped; not every program that permits it bears it.
    """
    target = preload.find_target(command, mpi, or_native=True)
    if target.obstacle:
        say(f"espalier: {target.obstacle}")
    forced = under.forced
    usable = usable_profile(under.profile)
    if not target.obstacle and _leaves_all(under):
        mapped = (
            "only topologies with reorder = 1 are mapped" if under.mapping else "nothing changes"
        )
        say(
            "note: --no-learn and no --profile given, so collectives are left to the MPI library;"
            f" {mapped}"
        )
    counted = recorded.traffic
    _prepare_traffic(counted)
    with _statistics_folder(recorded.statistics, is_needed=summary or json) as folder:
        settings = preload.Settings(
            usable,
            forced,
            folder,
            under.mapping,
            under.machine,
            learns=under.learn,
            is_expected=True,
            traffic=counted,
        )
        start = target.preloaded(settings)
        ended = processes.run(
            start.words, processes.Streams(stdin=None), environment=start.environment
        )
        if ended.exit_code != 0:
            say(
                f"espalier: {diagnosis.describe_end(target.command, ended)}; ESPALIER_OFF=1 in"
                " front repeats it without Espalier, no --mapping with ranks in their order"
            )
        if folder is not None and (summary or json):
            _print_summary(target, folder, json=json)
        if counted is not None and not target.obstacle:
            _print_traffic(counted)
    raise typer.Exit(ended.exit_code)
