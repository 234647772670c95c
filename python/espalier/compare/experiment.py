# SPDX-License-Identifier: Apache-2.0
"""Running a program again and again, with and without Espalier.

There are three kinds of runs, because one kind cannot answer both questions:

* `plain`: the command as it stands, nothing preloaded. The baseline of the wall time.
* `espalier`: preloaded with the profile, statistics on, as `espalier run` does it. What statistics
  cost counts against us.
* `native`: preloaded, every call forced to the MPI library, statistics on. The plain program does
  not say how long its collectives take; this one does. It also shows what preloading costs.

A *block* is one run of each kind; its runs form pairs. Within a block the order is random, and
every second block repeats the order before backwards, so that a machine that slowly gets faster or
slower favours nobody. One plain run before all is thrown away: it fills the file cache.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from espalier.base import intervals, units
from espalier.errors import ArgumentError, Error, FormatError
from espalier.io.console import say
from espalier.launch import diagnosis, preload, processes, runs, traffic
from espalier.launch.run_folder import ADVICE, run_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from espalier.launch.environment import Start
    from espalier.launch.traffic import Traffic

PLAIN, NATIVE, ESPALIER = "plain", "native", "espalier"
KINDS = (PLAIN, NATIVE, ESPALIER)
TRAFFIC = "traffic"
_LEAST_TIMEOUT_SECONDS = 60.0
_TIMEOUT_FACTOR = 10.0
# Ranks that wait longer say for whom. Half the time limit at most: what they do is known in time.
_LONGEST_WATCH_SECONDS = 60.0
_LINES_OF_OUTPUT = 12
# Variables that preloaded programs inherit, with the values by which nothing changes.
_DECIDED_BY_COMMAND = {
    preload.OFF: ("", "0"),
    preload.FORCE: ("",),
    preload.MAPPING: ("", "off"),
}
TIMEOUT_EXIT_CODE = 124
_IF_LOST = "see whether a disk is full, such as that of temporary files (TMPDIR)"


@dataclass(frozen=True)
class Run:
    """One finished run. `statistics` is what the ranks left, none for plain runs.

    `sent` is who sent how much to whom, if that was counted.
    """

    kind: str
    block: int
    seconds: float
    statistics: dict[str, Any] | None = None
    sent: Traffic | None = None


@dataclass(frozen=True)
class Failure:
    """A run that failed, and ended the comparison."""

    kind: str
    block: int
    exit_code: int
    text: str
    advice: str = ""  # empty if the program failed


@dataclass(frozen=True)
class Design:
    """How often, how long, how sure to be, and with what."""

    profile: Path | None
    force: str = ""
    maps: bool = False
    machine: str = ""
    repetitions: int = 7
    seconds: float | None = None
    timeout_seconds: float | None = None
    seed: int = 1
    learns: bool = False
    counts_traffic: bool = False  # in native runs
    confidence: float = 0.95
    folder: Path | None = None  # in which ranks leave files; see run_folder()

    @property
    def least_blocks(self) -> int:
        """Return from how many blocks on a result can be significant."""
        return intervals.least_pairs(self.confidence)


@dataclass
class Results:
    """All runs that finished; complete blocks are what counts."""

    warm_up_seconds: float = 0.0
    runs: list[Run] = field(default_factory=list)
    failure: Failure | None = None
    is_interrupted: bool = False
    is_out_of_time: bool = False

    def blocks(self) -> list[dict[str, Run]]:
        """Return complete blocks, each as its runs by kind."""
        blocks: dict[int, dict[str, Run]] = {}
        for run in self.runs:
            blocks.setdefault(run.block, {})[run.kind] = run
        return [block for block in blocks.values() if len(block) == len(KINDS)]


class FailedRunError(Error):
    """The program fails, with or without Espalier; the exit code is its own."""


def orders(repetitions: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Yield the order of the runs of each block."""
    generator = random.Random(seed)  # noqa: S311 - nothing secret
    order: tuple[str, ...] = ()
    for block in range(repetitions):
        order = order[::-1] if block % 2 else tuple(generator.sample(KINDS, len(KINDS)))
        yield order


def experiment(
    target: preload.Target, design: Design, on_run: Callable[[str], None], results: Results
) -> None:
    """Fill `results` run by run, so that an interruption leaves what was finished.

    Args:
        target: The command.
        design: What to do.
        on_run: Called before each run with its description.
        results: Filled.

    Raises:
        FailedRunError: the program fails even without Espalier, or before anything is known.
    """
    runner = Runner(target, design)
    start = time.monotonic()
    on_run("warm-up, not counted")
    warm_up = runner.run(PLAIN, -1)
    if isinstance(warm_up, Failure):
        raise FailedRunError(
            f"{warm_up.text} already without Espalier, so there is nothing to compare",
            "make the command work first",
            exit_code=warm_up.exit_code,
        )
    results.warm_up_seconds = warm_up.seconds
    runner.set_timeout(warm_up.seconds)
    _say_if_too_long(design, warm_up.seconds)
    first_block = time.monotonic()
    for block, order in enumerate(orders(design.repetitions, design.seed)):
        now = time.monotonic()
        needed = (now - first_block) / block if block else 0.0
        if design.seconds is not None and block and now + needed > start + design.seconds:
            results.is_out_of_time = True
            return
        for kind in order:
            on_run(f"block {block + 1} of {design.repetitions}, {kind}")
            outcome = _run_after(results, runner, kind, block)
            if isinstance(outcome, Failure):
                results.failure = outcome
                return
            results.runs.append(outcome)


def _run_after(results: Results, runner: Runner, kind: str, block: int) -> Run | Failure:
    """Run once; what keeps us from it is a failure if there are blocks that it must not lose."""
    try:
        return runner.run(kind, block)
    except (Error, OSError) as error:
        if not results.blocks():
            raise
        if isinstance(error, Error):
            return Failure(kind, block, error.exit_code, error.text, error.advice or _IF_LOST)
        text = f"expected to keep what the run leaves, got '{error.strerror or error}'"
        return Failure(kind, block, Error.exit_code, text, _IF_LOST)


def num_runs(num_blocks: int) -> int:
    """Return how many runs so many blocks are, with the one that is thrown away."""
    return 1 + len(KINDS) * num_blocks


def is_first_block_too_long(design: Design, run_seconds: float) -> bool:
    """Return whether it ends after the time budget; it is made all the same."""
    return design.seconds is not None and num_runs(1) * run_seconds > design.seconds


def _say_if_too_long(design: Design, run_seconds: float) -> None:
    if is_first_block_too_long(design, run_seconds):
        say(
            f"note: the first block ends after about {units.time_text(num_runs(1) * run_seconds)},"
            f" the time budget is {units.time_text(design.seconds or 0)}; it is made all the same,"
            f" but nothing is significant with less than {design.least_blocks} blocks: use a"
            " shorter input, or give more with --time-budget"
        )


def check_environment(environment: Mapping[str, str] = os.environ) -> None:
    """Raise ArgumentError if variables decide what all runs do, which the command has to decide."""
    for name, harmless in _DECIDED_BY_COMMAND.items():
        value = environment.get(name, "")
        if value not in harmless:
            raise ArgumentError(
                f"expected no {name} in the environment, got '{value}', which every run would obey",
                f"unset {name}",
            )


class Runner:
    """Starts one kind of run after the other, each with the same input."""

    def __init__(self, target: preload.Target, design: Design) -> None:
        """Take what to start, and with which settings."""
        self._target = target
        self._design = design
        self._timeout = design.timeout_seconds

    def set_timeout(self, usual_seconds: float) -> None:
        """Expect runs to take about this long."""
        if self._timeout is None:
            self._timeout = max(_LEAST_TIMEOUT_SECONDS, _TIMEOUT_FACTOR * usual_seconds)

    def run(self, kind: str, block: int) -> Run | Failure:
        """Run once; the program's output is shown only if it fails."""
        with run_folder(self._design.folder) as name:
            folder = Path(name) / "statistics"
            folder.mkdir()
            start = self._start(kind, folder)
            with tempfile.TemporaryFile() as output, _input() as stdin:
                streams = processes.Streams(stdin=stdin, stdout=output, stderr=output)
                ended = processes.run(
                    start.words,
                    streams,
                    environment=start.environment,
                    timeout_seconds=self._timeout,
                )
                if ended.exit_code != 0 or ended.timed_out:
                    text = diagnosis.describe_end(self._target.command, ended)
                    code = TIMEOUT_EXIT_CODE if ended.timed_out else ended.exit_code
                    return Failure(kind, block, code, text + _tail(output))
            if kind == PLAIN:
                return Run(kind, block, ended.seconds)
            sent = self._sent(folder.with_name(TRAFFIC)) if kind == NATIVE else None
            return Run(kind, block, ended.seconds, self._statistics(folder), sent)

    def _start(self, kind: str, folder: Path) -> Start:
        if kind == PLAIN:
            return self._target.plain()
        design, watch = self._design, self._watch()
        if kind == NATIVE:
            force = preload.all_native()
            settings = preload.Settings(
                force=force,
                statistics=folder,
                maps=False,
                watch=watch,
                learns=False,
                traffic=folder.with_name(TRAFFIC) if design.counts_traffic else None,
            )
        else:
            settings = preload.Settings(
                design.profile,
                design.force,
                folder,
                design.maps,
                design.machine,
                watch,
                design.learns,
            )
        return self._target.preloaded(settings)

    def _watch(self) -> str:
        limit = _LONGEST_WATCH_SECONDS
        if self._timeout is not None:
            limit = min(limit, self._timeout / 2)
        return preload.watch_after(limit, self._target.command)

    def _sent(self, folder: Path) -> Traffic | None:
        """Return the traffic that ranks left; None if it is not counted."""
        if not self._design.counts_traffic:
            return None
        try:
            return traffic.read(folder)
        except FormatError as error:
            say(f"note: {error.text}; it is not known who sends how much to whom; {ADVICE}")
            return None

    def _statistics(self, folder: Path) -> dict[str, Any]:
        try:
            return runs.explain_run(folder)
        except FormatError as error:
            if any(folder.iterdir()):
                raise
            raise FailedRunError(
                diagnosis.why_unseen(self._target.command), "compare an MPI program"
            ) from error


def _input() -> IO[bytes]:
    """Return our input if it is a file, from its beginning; nothing otherwise.

    A pipe can be read only once, and a terminal not without the user.
    """
    try:
        is_file = Path("/proc/self/fd/0").is_file()
    except OSError:
        is_file = False
    return Path("/proc/self/fd/0" if is_file else os.devnull).open("rb")


def _tail(output: IO[bytes]) -> str:
    output.seek(0)
    said = diagnosis.without_crash(output.read().decode(errors="replace"))
    lines = said.strip().splitlines()[-_LINES_OF_OUTPUT:]
    return "; its last output was:\n" + "\n".join(f"  {line}" for line in lines) if lines else ""
