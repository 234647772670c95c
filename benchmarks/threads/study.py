#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run what experiments.toml declares, and keep the times in a folder of data.

Usage: study.py docs/benchmarks/data [--build build/release] [--launches N]. It takes four minutes
at most; the machine should have nothing else to do.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
sys.path[:0] = [str(ROOT / "python"), str(FOLDER.parent / "reproduce")]

from simulated_times import note_date  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

STUDY = "threads"
KEY = ("threads", "call", "algorithm", "manner", "doubles")
TIME_LIMIT_S = 300


def command(study: Mapping[str, Any], num_threads: int, build: Path) -> list[str]:
    """Return what starts a launch."""
    program = str(build / "bin" / "thread_times")
    numbers = (num_threads, study["num_samples"], study["sample_milliseconds"])
    return [program, *map(str, numbers)]


def launch(words: Sequence[str]) -> list[dict[str, Any]]:
    """Return what a launch prints."""
    done = subprocess.run(
        words,
        check=True,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=TIME_LIMIT_S,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def united(lines: Iterable[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
    """Return the times of each kind over launches, and the barriers of strict calls by threads."""
    times: dict[tuple[Any, ...], list[float]] = {}
    barriers: dict[str, list[str]] = {}
    for line in lines:
        if "strict" in line:
            barriers.setdefault(str(line["threads"]), []).append(line["strict"])
        else:
            times.setdefault(tuple(line[name] for name in KEY), []).append(line["us"])
    records = [dict(zip(KEY, key, strict=True)) | {"us": us} for key, us in times.items()]
    return sorted(records, key=lambda one: int(one["threads"])), barriers


def keep(lines: Iterable[Mapping[str, Any]], load: float, data: Path) -> None:
    """Write what all launches found, a line for each kind."""
    records, barriers = united(lines)
    text = ",\n".join(f"  {json.dumps(record)}" for record in records)
    head = f'"load": {load:.1f}, "cores": {len(os.sched_getaffinity(0))}'
    head += f', "strict": {json.dumps(barriers)}'
    (data / f"{STUDY}.json").write_text(f'{{{head}, "records": [\n{text}\n]}}\n', encoding="utf-8")
    note_date(data, STUDY)


def main() -> int:
    """Make all launches; every other time the most threads come first."""
    study = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))["study"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--launches", type=int, default=study["num_launches"])
    options = parser.parse_args()
    load = os.getloadavg()[0]
    lines = []
    for number in range(options.launches):
        for num_threads in sorted(study["num_threads"], reverse=number % 2 != 0):
            lines += launch(command(study, num_threads, options.build))
        sys.stderr.write(f"launch {number + 1} of {options.launches}: done\n")
    keep(lines, load, options.data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
