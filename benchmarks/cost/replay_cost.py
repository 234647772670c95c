#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201
"""What a replay costs: instructions per message, which are a test, and seconds, which are not.

The points and the figures kept are in replay.toml. Seconds are those of the processor, programs of
all ranks included; on a busy machine they mean little.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Any

import tomllib

FIGURES = pathlib.Path(__file__).parent / "replay.toml"
TIME_LIMIT_S = 300


def arguments_of(point: dict[str, Any], num_ranks: int) -> list[str]:
    """What the program takes."""
    return [point["choice"], str(num_ranks), str(point["num_bytes"])]


def run(command: list[str]) -> dict[str, Any]:
    """One line of JSON."""
    done = subprocess.run(
        command,
        check=True,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=TIME_LIMIT_S,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def instructions(program: pathlib.Path, arguments: list[str], function: str) -> int:
    """Of one call of a function with all that it calls."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}"]
        run([*command, f"--toggle-collect=*{function}*", str(program), *arguments])
        total = re.search(r"^(?:totals|summary): (\d+)", output.read_text(), re.MULTILINE)
    if total is None:
        sys.exit("replay_cost: expected a total in the output of callgrind, got none")
    return int(total[1])


def count(program: pathlib.Path, figures: dict[str, Any]) -> int:
    """Print instructions per message; exit code 1 if a figure is exceeded."""
    num_ranks = figures["counted_ranks"]
    tolerance = figures["tolerance"]
    problems = []
    print(f"instructions per message, {num_ranks} ranks")
    print(f"{'choice':<34}{'programs':>9}{'replay':>9}{'kept':>9}")
    for point in figures["points"]:
        arguments = arguments_of(point, num_ranks)
        messages = run([str(program), *arguments])["messages"]
        programs = instructions(program, arguments, "counted_generate") / messages
        replay = instructions(program, arguments, "counted_replay") / messages
        kept = point["instructions"]
        print(f"{point['choice']:<34}{programs:>9.0f}{replay:>9.0f}{kept:>9}", flush=True)
        if replay > kept * (1 + tolerance):
            problems.append(
                f"{point['choice']} must need at most {kept * (1 + tolerance):.0f} instructions per"
                f" message, got {replay:.0f}: make it cheaper, or raise replay.toml and say why"
            )
    for problem in problems:
        print(f"replay_cost: {problem}", file=sys.stderr)
    return 1 if problems else 0


def time(program: pathlib.Path, figures: dict[str, Any]) -> int:
    """Print seconds and memory for each number of ranks and whether the aim is met."""
    print(
        f"{'choice':<34}{'ranks':>7}{'messages':>10}{'programs s':>11}{'replay s':>9}"
        f"{'MiB':>7}{'aim s':>7}"
    )
    for aim in figures["aims"]:
        for point in figures["points"]:
            if aim["num_ranks"] > point.get("most_ranks", aim["num_ranks"]):
                continue
            found = run([str(program), *arguments_of(point, aim["num_ranks"])])
            seconds = found["generate_s"] + found["replay_s"]
            print(
                f"{point['choice']:<34}{aim['num_ranks']:>7}{found['messages']:>10}"
                f"{found['generate_s']:>11.3f}{found['replay_s']:>9.3f}{found['peak_mib']:>7.0f}"
                f"{aim['seconds']:>7}  {'met' if seconds <= aim['seconds'] else 'missed'}",
                flush=True,
            )
    return 0


def main() -> int:
    """Count or time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("count", "time"))
    parser.add_argument("program", type=pathlib.Path)
    arguments = parser.parse_args()
    figures = tomllib.loads(FIGURES.read_text())
    return (count if arguments.what == "count" else time)(arguments.program, figures)


if __name__ == "__main__":
    sys.exit(main())
