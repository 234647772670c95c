# SPDX-License-Identifier: Apache-2.0
"""A whole probe: from the user's launcher options to a machine file and what was found.

Three launches: the first asks the ranks where they are, the second scans who is near to whom, the
third measures each level. Each needs what the one before found.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier import installation
from espalier.base.interruption import Interrupted
from espalier.conditions.cautions import Caution
from espalier.errors import ArgumentError, MpiError
from espalier.io.console import progress, say
from espalier.launch import programs
from espalier.launch.lines import GrowingLines
from espalier.launch.measuring import (
    MeasuringProgram,
    Patience,
    parse_launcher,
    temporary_folder,
)
from espalier.probing import outcome
from espalier.probing.detail_plan import detail_plan
from espalier.probing.plan import header_plan
from espalier.probing.record import RunRecord, scan_part
from espalier.probing.samples import SCHEMA, VERSION
from espalier.probing.scan import scan
from espalier.probing.scan_plan import Comparison, ScanWish, compare, scan_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from espalier.io.console import Progress
    from espalier.probing.plan import Plan
    from espalier.probing.samples import Header

_PATIENCE_SECONDS = 120.0
# A simulator needs longer than the time it simulates.
_PATIENCE_SECONDS_SIMULATED = 900.0
_SHARE_OF_SCAN = 0.3
_LEAST_SECONDS = 5.0


@dataclass(frozen=True)
class Goal:
    """What to find out, and in which time."""

    seconds: float = 60.0
    wish: ScanWish = field(default_factory=ScanWish)
    is_matrix_only: bool = False


@dataclass(frozen=True)
class Job:
    """Where to probe and where results go; `repeat` is the command that does it again."""

    words: tuple[str, ...]
    files: outcome.Files
    vendor: str | None = None
    repeat: str = ""


def probe(job: Job, goal: Goal) -> dict[str, Any]:
    """Probe, write the files that were asked for, and return the document of the report.

    Raises:
        Interrupted: after Ctrl-C, a signal or a failure, once something was measured.
    """
    start = time.monotonic()
    goal.wish.check()
    command = parse_launcher(job.words)
    job.files.check()
    vendor = job.vendor or programs.vendor_of(command)
    program = MeasuringProgram(
        installation.probe_program(vendor), f"espalier-probe-{vendor}", command
    )
    cause: BaseException | None = None
    with progress("probing", 100) as bar:
        session = _Session(program, RunRecord(job.files.samples), bar, goal)
        try:
            session.run()
        except (KeyboardInterrupt, SystemExit, MpiError) as error:
            bar.close()
            if not session.record.results:
                raise
            cause = error
    session.record.end(complete=cause is None)
    about = outcome.About(
        command=job.repeat,
        seconds=time.monotonic() - start,
        budget_seconds=goal.seconds,
        cuts=tuple(session.cuts),
        comparison=session.comparison,
        cautions=tuple(session.cautions),
        is_interrupted=cause is not None,
    )
    return _conclude(session.record, job, about, cause)


def again(path: Path, files: outcome.Files, repeat: str) -> dict[str, Any]:
    """Return the document of samples that were kept, and write the files that were asked for.

    Raises:
        ArgumentError: a machine file is asked for, and the probe was interrupted; or a file would
            replace the samples.
    """
    files = replace(files, source=path)
    files.check()
    found = outcome.read_samples(path)
    if files.machine is not None and found.is_interrupted:
        raise ArgumentError(
            f"{path}: expected samples of a whole probe for -o, got those of an interrupted one,"
            " which lack links",
            "probe again, or leave out -o to look at what was measured",
        )
    return outcome.conclude(found, files, outcome.About(command=repeat))


def _conclude(
    record: RunRecord, job: Job, about: outcome.About, cause: BaseException | None
) -> dict[str, Any]:
    if cause is None:
        return outcome.conclude(record.samples(), job.files, about)
    if record.is_kept:
        again_text = outcome.again_text(job.files.samples)
        say(f"what was measured is kept; to look at it again: {again_text}")
    try:
        document = outcome.conclude(record.samples(), job.files, about)
    except ArgumentError as error:
        say(f"note: too little was measured to say anything of the machine ({error.text})")
        raise cause from None
    raise Interrupted(document, cause)


class _Session:
    """The launches, what they found so far, and what has to be said about it."""

    def __init__(
        self, program: MeasuringProgram, record: RunRecord, bar: Progress, goal: Goal
    ) -> None:
        self.record = record
        self.cuts: list[str] = []
        self.cautions: list[Caution] = []
        self.comparison: Comparison | None = None
        self._program = program
        self._bar = bar
        self._goal = goal
        self._start = time.monotonic()
        self._is_simulated = False

    def run(self) -> None:
        header = self._launch(header_plan(), 0.0)
        self._is_simulated = header.is_simulated
        if header.num_ranks < 2:
            raise ArgumentError(
                "expected at least 2 ranks, since a message needs two ends, got 1",
                "ask for more, as in: -- mpirun -n 4",
            )
        self._scan(header)
        if not self._goal.is_matrix_only:
            self._details(header)

    def _scan(self, header: Header) -> None:
        share = 1.0 if self._goal.is_matrix_only else _SHARE_OF_SCAN
        seconds = share * self._goal.seconds
        plan = scan_plan(header, self._goal.wish, seconds)
        self.cuts += plan.cuts
        self._check_place(header, self._launch(plan, 100 * share))
        self.comparison = compare(self.record.results)
        if self.comparison is not None and self.comparison.is_disturbed:
            say(
                f"note: pairs that run together take {self.comparison.ratio:.2f} times as long;"
                " measuring them one by one"
            )
            plan = scan_plan(header, self._goal.wish, seconds, is_concurrent=False)
            self._launch(plan, 0.0)

    def _details(self, header: Header) -> None:
        found = scan(scan_part(self.record.samples()))
        wish = self._goal.wish
        plan = detail_plan(
            found, self._seconds_left(), scan_bytes=max(1, wish.num_bytes), seed=wish.seed
        )
        self.cuts += plan.cuts
        self._check_place(header, self._launch(plan, 100 * (1 - _SHARE_OF_SCAN)))

    def _seconds_left(self) -> float:
        if self._is_simulated:
            return (1 - _SHARE_OF_SCAN) * self._goal.seconds
        passed = time.monotonic() - self._start
        return max(_LEAST_SECONDS, self._goal.seconds - passed)

    def _launch(self, plan: Plan, progress_share: float) -> Header:
        with temporary_folder() as name:
            folder = Path(name)
            seconds = _PATIENCE_SECONDS_SIMULATED if self._is_simulated else _PATIENCE_SECONDS
            patience = Patience("a measured set", seconds + 10 * plan.effort.seconds_per_set)
            step = progress_share / max(1, plan.num_points)
            watch = _Watch(
                folder / "samples.jsonl",
                self.record,
                patience,
                lambda note: self._bar.advance(step, note),
            )
            self._program.run(plan.document(), folder, watch)
        if watch.num_sets_left:
            self.cuts.append(f"there was no time for {watch.num_sets_left} sets of pairs")
        self.record.count_left(watch.num_sets_left)
        if watch.header is None:
            raise MpiError(f"expected a header of {SCHEMA}, got none")
        return watch.header

    def _check_place(self, before: Header, after: Header) -> None:
        moved = [
            facts.rank
            for facts, now in zip(before.ranks, after.ranks, strict=False)
            if (facts.host, facts.node, facts.cpus) != (now.host, now.node, now.cpus)
        ]
        if moved or before.num_ranks != after.num_ranks:
            who = f"rank {moved[0]} and {len(moved) - 1} more" if moved else "the number of ranks"
            self.cautions.append(
                Caution(
                    "moved",
                    f"{who} changed place between two launches, so levels may be mixed up",
                    "bind the ranks, and name the hosts in the launcher's options",
                )
            )


class _Watch:
    """Records what comes, and loses patience when nothing does."""

    def __init__(
        self, path: Path, record: RunRecord, patience: Patience, on_result: Callable[[str], None]
    ) -> None:
        self.header: Header | None = None
        self.is_complete = False
        self.num_sets_left = 0
        self._on_result = on_result
        self._lines = GrowingLines(path, SCHEMA)
        self._record = record
        self._patience = patience

    def look(self) -> None:
        for note in self._lines.read_new(self._interpret):
            self._patience.renew()
            self._on_result(note)
        self._patience.check()

    def _interpret(self, value: dict[str, Any]) -> str | None:
        if value["kind"] == "header":
            self._lines.check_version(value, VERSION, "espalier-probe")
            self.header = self._record.begin(value)
        elif value["kind"] == "result":
            self._record.add(value)
            return f"{value['test']} {value['label']}"
        elif value["kind"] == "end":
            self.is_complete = True
            self.num_sets_left = int(value["sets_left"])
        return None
