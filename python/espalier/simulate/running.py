# SPDX-License-Identifier: Apache-2.0
"""Running a program in the simulator."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier.errors import FormatError
from espalier.io.console import say
from espalier.launch import processes, runs
from espalier.launch.complaints import Complaints
from espalier.launch.preload import Settings, all_native
from espalier.simulate import learning, memory
from espalier.simulate.failures import End, failure
from espalier.simulate.journal import Journal
from espalier.simulate.passing import Passing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from espalier.launch.processes import Ended
    from espalier.simulate.programs import Program
    from espalier.simulate.setting import Setting


# Every call is left to the MPI library, and still counted and timed: that takes no simulated time.
NATIVE = Settings(force=all_native(), maps=False)


@dataclass(frozen=True)
class Run:
    """How to run: what Espalier is told, where statistics stay, how long it may take.

    `output` is the file descriptor that the program's standard output goes to.
    """

    settings: Settings
    statistics: Path | None = None
    output: int = 1
    timeout_seconds: float | None = None


@dataclass(frozen=True)
class Finished:
    """A simulation that ended well. `statistics` and `explained` are empty without our layer."""

    simulated_seconds: float
    real_seconds: float
    memory_bytes: int
    statistics: list[dict[str, Any]]
    explained: dict[str, Any]

    @property
    def slowest_rank(self) -> dict[str, Any]:
        """Return the statistics of the slowest rank; there must be some."""
        return max(self.statistics, key=lambda rank: float(rank["seconds"]))

    @property
    def slowest_seconds(self) -> float:
        """Return the time of the slowest rank, that of the whole simulation where it is unknown."""
        return float(self.slowest_rank["seconds"]) if self.statistics else self.simulated_seconds


def run_native(program: Program, setting: Setting, timeout_seconds: float | None) -> Finished:
    """Simulate a program without Espalier; what it prints goes nowhere."""
    how = Run(NATIVE, output=subprocess.DEVNULL, timeout_seconds=timeout_seconds)
    return run(program, setting, how)


def run(program: Program, setting: Setting, how: Run) -> Finished:
    """Simulate a program until it ends.

    Raises:
        OutOfMemoryError: there is too little for the ranks.
        MpiError: SimGrid is missing, or the program or the simulator failed.
        NotBuiltError: our part of the simulator is not built.
    """
    memory.check(setting.num_ranks, program.file_bytes)
    with _folder(how.statistics) as (folder, statistics), setting.cluster() as cluster:
        journal = Journal(folder / "journal.jsonl")
        words = cluster.frugal_words(program.path, setting.simulator_options())
        environment = {
            **learning.variables(setting, how.settings),
            "ESPALIER_STATISTICS": str(statistics),
            "ESPALIER_SIMULATED_JOURNAL": str(folder / "journal.jsonl"),
            "LC_ALL": "C",
        }
        words += [str(program.path), *program.arguments]
        ended, complaints = _run(words, environment, journal, how)
        return _finished(End(ended, journal, complaints.found, complaints.own_lines), statistics)


@contextlib.contextmanager
def _folder(named: Path | None) -> Iterator[tuple[Path, Path]]:
    """Return a folder for our files, and one for those of the ranks."""
    with tempfile.TemporaryDirectory(prefix="espalier-simulate-") as name:
        folder = Path(name)
        yield folder, named or folder / "statistics"


def _run(
    words: list[str], environment: dict[str, str], journal: Journal, how: Run
) -> tuple[Ended, Complaints]:
    passing = Passing(journal)

    def look() -> None:
        journal.look()
        passing.show()

    with Complaints() as complaints:
        # Programs may read a file, but not what is typed: Ctrl-C has to come to us.
        stdin = subprocess.DEVNULL if sys.stdin.isatty() else None
        with os.fdopen(os.dup(complaints.writer), "wb") as stderr:
            streams = processes.Streams(stdin, how.output, stderr)
            try:
                ended = processes.run(
                    words,
                    streams,
                    environment=environment,
                    timeout_seconds=how.timeout_seconds,
                    on_look=look,
                )
            finally:
                passing.clear()
    return ended, complaints


def _finished(end: End, folder: Path) -> Finished:
    statistics = _statistics(folder)
    unfinished = [int(rank["rank"]) for rank in statistics if not rank["finalized"]]
    end = End(end.ended, end.journal, end.complaints, end.own_lines, unfinished)
    error = failure(end)
    own_lines = dict.fromkeys(end.own_lines) if end.journal.has_started else {}
    for line in own_lines:
        if error is None or line not in str(error):
            say(f"espalier: {line}")
    for complaint in end.complaints if error is None else ():
        say(f"the simulator: {complaint.text}")
    if error is not None:
        raise error
    explained = runs.explain_run(folder) if statistics else {}
    return Finished(
        end.journal.seconds, end.ended.seconds, end.journal.memory_bytes, statistics, explained
    )


def _statistics(folder: Path) -> list[dict[str, Any]]:
    try:
        return runs.read(folder)
    except FormatError:  # a program that was compiled without our layer
        return []
