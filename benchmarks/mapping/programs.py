#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201
"""Map programs that nobody here wrote, and see what they gain and whether they bear it.

Usage: programs.py [NAME ...] [--pairs N] [--results FOLDER]. It runs the programs of programs.toml
on emulated hosts with ranks in blocks and dealt in turn, mapped and not, in turns, and prints a
table in Markdown. Needs root, a build, and the programs; those that are missing are left out.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent / "programs"), str(FOLDER.parent.parent / "python")]

import equality  # noqa: E402
import study  # noqa: E402

from espalier import installation  # noqa: E402
from espalier.base import intervals  # noqa: E402
from espalier.clusters import EmulatedCluster  # noqa: E402

# A program that waits for ever ends here.
_TIME_LIMIT_S = 45
_TOLERANCE = 1e-6
_TOPOLOGY = re.compile(r"^espalier: (MPI_(?:Cart|Dist_graph)_create\w*):? (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """What a run did: its time, what it computed, what it sent, and what is said of topologies."""

    seconds: float
    lines: list[str]
    sent_bytes: int
    topologies: list[str]
    problem: str


@dataclass(frozen=True)
class Program:
    """A program in its own folder, with the cluster it runs on."""

    declared: dict[str, Any]
    folder: pathlib.Path

    def run(self, cluster: EmulatedCluster, placement: str, mapping: str) -> Run:
        """Run it once; a run that fails or does not end has a problem."""
        words = cluster.launcher_words("openmpi", placement=placement)
        library = installation.build_folder() / "lib" / "libespalier-openmpi.so"
        settings = {"LD_PRELOAD": library, "ESPALIER_MAPPING": mapping, "ESPALIER_VERBOSE": 1}
        for name, value in ({"OMP_NUM_THREADS": 1} | settings).items():
            words += ["-x", f"{name}={value}"]
        words += ["-wdir", str(self.folder)]
        words += [word.format(here=FOLDER) for word in self.declared["command"]]
        before = sent_bytes(cluster)
        start = time.monotonic()
        code, output, errors = ended(words, self.folder)
        seconds = time.monotonic() - start
        last = (errors.strip().splitlines() or [""])[-1]
        problem = {0: "", None: "does not end"}.get(code, f"exit code {code}: {last}")
        lines = [] if problem else equality.result_of(self.declared, self.folder, output)
        topologies = [f"{name}: {text}" for name, text in _TOPOLOGY.findall(errors)]
        return Run(seconds, lines, sent_bytes(cluster) - before, topologies, problem)


def ended(words: list[str], folder: pathlib.Path) -> tuple[int | None, str, str]:
    """Run a command; return its exit code, none if it does not end, and what it printed."""
    process = subprocess.Popen(
        words,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        output, errors = process.communicate(timeout=_TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.terminate()
        output, errors = process.communicate()
        return None, output, errors
    return process.returncode, output, errors


def sent_bytes(cluster: EmulatedCluster) -> int:
    """Return what all hosts sent so far."""
    return sum(counters.sent_bytes for counters in cluster.link_counters())


def is_reordered(run: Run) -> bool:
    """Return whether a communicator got another order."""
    return any(" -> " in line for line in run.topologies)


def measure(program: Program, placement: str, shape: dict[str, Any], pairs: int) -> list[str]:
    """Return the cells of one row of the table."""
    with EmulatedCluster(shape["hosts"], shape["ranks_per_host"], rate=shape["rate"]) as cluster:
        runs = [(program.run(cluster, placement, "off"), program.run(cluster, placement, "on"))]
        plain, mapped = runs[0]
        if is_reordered(mapped) and not mapped.problem:
            for i in range(pairs - 1):
                both = {
                    mapping: program.run(cluster, placement, mapping)
                    for mapping in (("on", "off") if i % 2 == 0 else ("off", "on"))
                }
                runs.append((both["off"], both["on"]))
    for line in sorted(set(mapped.topologies)):
        print(f"  {placement}: {line}", flush=True)
    return cells(plain, mapped, runs)


def cells(plain: Run, mapped: Run, runs: list[tuple[Run, Run]]) -> list[str]:
    """Return what was asked for, bytes, ratio of times, and whether results are equal."""
    if plain.problem:
        return ["", "", "", f"not mapped: {plain.problem}"]
    kept = " + ".join(
        word
        for word, is_there in (
            ("reordered", is_reordered(mapped)),
            ("nothing better", any("nothing changes" in line for line in mapped.topologies)),
            ("reorder = 0", any("does not permit" in line for line in mapped.topologies)),
        )
        if is_there
    )
    problem = next((run.problem for _, run in runs if run.problem), "")
    if problem:
        return [kept, "", "", f"**{problem}**"]
    megabytes = f"{plain.sent_bytes / 1e6:.1f} -> {mapped.sent_bytes / 1e6:.1f}"
    return [kept or "none", megabytes, ratio(runs), verdict(plain, runs)]


def ratio(runs: list[tuple[Run, Run]]) -> str:
    """Return how many times as fast mapped runs are."""
    if len(runs) == 1:
        return ""
    times = [[run.seconds for run in side] for side in zip(*runs, strict=True)]
    found = intervals.signed_rank_ratio(*times)
    return f"{found.value:.2f} ({found.low:.2f} .. {found.high:.2f})"


def verdict(plain: Run, runs: list[tuple[Run, Run]]) -> str:
    """Return whether all mapped runs computed what the first plain run did."""
    rule = {"tolerance": _TOLERANCE}
    outcomes = [equality.compared(rule, plain.lines, mapped.lines) for _, mapped in runs]
    if all(outcome["equal"] for outcome in outcomes):
        return f"equal ({outcomes[0]['compared']} numbers)"
    return "**differ**"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("build/mapping"))
    options = parser.parse_args()
    declared = tomllib.loads((FOLDER / "programs.toml").read_text(encoding="utf-8"))
    rows = []
    for one in declared["program"]:
        if (options.names and one["name"] not in options.names) or not study.is_there(one):
            continue
        program = Program(one, options.results.resolve() / one["name"])
        program.folder.mkdir(parents=True, exist_ok=True)
        if "prepare" in one:
            text = one["prepare"].format(here=FOLDER, python=sys.executable)
            words = ["/bin/bash", "-euc", text]
            subprocess.run(words, cwd=program.folder, check=True, stdin=subprocess.DEVNULL)
        shape = declared["cluster"] | {k: one[k] for k in ("ranks_per_host",) if k in one}
        for placement in ("block", "cyclic"):
            found = measure(program, placement, shape, options.pairs)
            ranks = f"4 x {shape['ranks_per_host']}, {placement}"
            rows.append(f"| {' | '.join([one['title'], ranks, *found])} |")
            print(rows[-1], flush=True)
    print("\n| program | ranks | topologies | MB between hosts | times as fast | results |")
    print("|---|---|---|---|---|---|")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
