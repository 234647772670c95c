# SPDX-License-Identifier: Apache-2.0
"""Starts bent programs and reads what their ranks wrote."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import forces

if TYPE_CHECKING:
    from collections.abc import Iterable

BATCH = 40
HUNG = 99


@dataclass(frozen=True)
class Line:
    """One call on one rank."""

    call: str
    error_class: int
    handled: str
    data: str
    digest: str


@dataclass
class Program:
    """What is known of the program of one seed: `ended`, `hung` or `crashed`."""

    seed: int
    kind: str = "?"
    verdict: str = "crashed"
    where: str = ""
    lines: dict[tuple[int, int], Line] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """How to launch: with a set of algorithms, or plain if there is none."""

    config: dict[str, Any]
    num_ranks: int
    force_set: str = ""
    kinds: str = ""
    limit: int = 20
    breakage: str = ""
    max_stops: int = 0

    def command(self, first: int, number: int, skipped: Iterable[int], folder: str) -> list[str]:
        """The words of the launch."""
        preload = [str(self.config["shim"])] if self.force_set else []
        preload += [str(library) for library in self.config["helpers"]]
        words = [str(word) for word in self.config["launcher"]]
        if self.config["vendor"] == "openmpi":
            words += ["-x", "LD_PRELOAD=" + ":".join(preload)] if preload else []
        else:
            words += ["-genv", "LD_PRELOAD", ":".join(preload)] if preload else []
        words += ["-n", str(self.num_ranks), str(self.config["program"]), str(first), str(number)]
        words += ["--limit", str(self.limit)]
        words += ["--out", folder] if folder else []
        words += ["--kinds", self.kinds] if self.kinds else []
        words += ["--break", self.breakage] if self.breakage and self.force_set else []
        skip = ",".join(map(str, skipped))
        return [*words, "--skip", skip] if skip else words

    def environment(self) -> dict[str, str]:
        """Variables of the launch; those of Espalier that are set outside do not count."""
        kept = {name: value for name, value in os.environ.items() if "ESPALIER_" not in name}
        kept |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        kept["ESPALIER_LEARN"] = "off"
        return kept | ({"ESPALIER_FORCE": forces.force(self.force_set)} if self.force_set else {})

    def launch(self, first: int, number: int, skipped: Iterable[int] = ()) -> tuple[int, Report]:
        """Run seeds in one launch; its exit code and what ranks reported."""
        with tempfile.TemporaryDirectory(prefix="bent-") as folder:
            words = self.command(first, number, skipped, folder)
            code = run(words, self.environment(), 60 + self.limit * 3 + 2 * number)
            return code, Report(Path(folder), self.num_ranks)


class Report:
    """The lines of all ranks of one launch."""

    def __init__(self, folder: Path, num_ranks: int) -> None:
        self.programs: dict[int, Program] = {}
        self.num_ended: dict[int, int] = {}
        self.num_hung = 0
        for rank in range(num_ranks):
            path = folder / f"rank-{rank}"
            if path.exists():
                self._read(path.read_text(encoding="utf-8"), rank)
        for seed, program in self.programs.items():
            if self.num_ended.get(seed, 0) == num_ranks:
                program.verdict = "ended"
            elif self.num_hung:
                program.verdict = "hung"

    def _read(self, text: str, rank: int) -> None:
        for line in text.splitlines():
            words = line.split()
            if words[0] == "hung":
                self.num_hung += 1
            elif words[0] == "program":
                seed = int(words[1])
                self.programs.setdefault(seed, Program(seed)).kind = words[2]
            elif words[0] == "call":
                self.programs[int(words[1])].where = words[4]
            elif words[0] == "done":
                key = (int(words[2]), rank)
                done = Line(words[4], int(words[6]), words[7], words[8], words[9])
                self.programs[int(words[1])].lines[key] = done
            elif words[0] == "end":
                seed = int(words[1])
                self.num_ended[seed] = self.num_ended.get(seed, 0) + 1


def run(words: list[str], environment: dict[str, str], seconds: int) -> int:
    """Run a launcher to its end, or end it; exit code."""
    with subprocess.Popen(
        words,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        return HUNG


def read_config(path: str) -> dict[str, Any]:
    """Vendor, launcher, helpers, shim and program."""
    config: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    return config


def run_seeds(job: Job, seeds: list[int]) -> dict[int, Program]:
    """Run seeds (ascending) in batches; after one that does not end, the rest is run without it.

    After `max_stops` of those the rest is left out.
    """
    programs: dict[int, Program] = {}
    left = seeds
    num_stops = 0
    while left and (not job.max_stops or num_stops < job.max_stops):
        batch, rest = left[:BATCH], left[BATCH:]
        chosen = set(batch)
        first, number = batch[0], batch[-1] - batch[0] + 1
        skipped = [seed for seed in range(first, first + number) if seed not in chosen]
        code, report = job.launch(first, number, skipped)
        left = rest
        for i, seed in enumerate(batch):
            program = report.programs.get(seed, Program(seed, where="start"))
            programs[seed] = program
            if program.verdict != "ended":
                left = batch[i + 1 :] + rest
                num_stops += 1
                break
        else:
            if code != 0:
                # All programs ended, then something failed: the last one has to answer for it.
                programs[batch[-1]].verdict = "crashed"
                programs[batch[-1]].where = "finalize"
    return programs
