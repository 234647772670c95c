#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - a script that prints
"""What the preloaded library adds to a call that it hands over to the MPI library.

`count` compares instructions per call, by callgrind, with instructions.toml; `time` compares
nanoseconds per call on two ranks, with and without the library in turn.

Settings that are compared: "nothing" (no settings: nothing to gain at all), "profile" (a profile
with rules, none of which changes the calls made here), "statistics" (calls are counted and timed).
With "traffic", the library is the one that counts messages.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import tomllib

NUM_CALLS = 10_000
SETTINGS = ("nothing", "profile", "statistics")
RULES = [
    {
        "collective": call,
        "num_ranks": 2,
        "num_nodes": 1,
        "min_bytes": 1 << 30,
        "max_bytes": None,
        "algorithm": algorithm,
        "reason": "for the benchmark",
    }
    for call, algorithm in (("bcast", "bcast/binomial"), ("allgather", "allgather/ring"))
]


def environment(setting: str, vendor: str, folder: Path) -> dict[str, str]:
    """Variables of a setting."""
    if setting == "profile":
        path = folder / "profile.json"
        profile = {"schema": "espalier-profile", "version": 1, "mpi": {"vendor": vendor}}
        path.write_text(json.dumps({**profile, "rules": RULES}), encoding="utf-8")
        return {"ESPALIER_PROFILE": str(path)}
    if setting in ("statistics", "traffic"):
        return {f"ESPALIER_{setting.upper()}": str(folder / setting)}
    return {}


def run(command: list[str], preload: str, variables: dict[str, str]) -> str:
    """Standard output of a program that has to succeed."""
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.run(
        command,
        env={**os.environ, **root, "LD_PRELOAD": preload, "ESPALIER_LEARN": "off", **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout


@functools.cache
def native_instructions(program: Path, call: str) -> float:
    """Instructions per call without any library of ours."""
    return instructions(program, call, "", {})


def instructions(program: Path, call: str, preload: str, variables: dict[str, str]) -> float:
    """Instructions per call, everything included."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}"]
        command += [f"--toggle-collect=counted_{call}", str(program), "count", str(NUM_CALLS)]
        run(command, preload, variables)
        summary = [x for x in output.read_text().splitlines() if x.startswith("summary:")]
    return int(summary[-1].split()[1]) / NUM_CALLS


def count(arguments: argparse.Namespace) -> int:
    """Print what is added per call; exit code 1 if a figure is exceeded."""
    figures = tomllib.loads((Path(__file__).parent / "instructions.toml").read_text())
    problems = []
    print(f"instructions added to one call on MPI_COMM_SELF, {arguments.vendor}")
    for setting, kept in figures[arguments.vendor].items():
        library = str(arguments.traffic if setting == "traffic" else arguments.shim)
        for call, figure in kept.items():
            native = native_instructions(arguments.program, call)
            with tempfile.TemporaryDirectory() as folder:
                variables = environment(setting, arguments.vendor, Path(folder))
                added = instructions(arguments.program, call, library, variables) - native
            limit = figure * (1 + figures["tolerance"])
            print(f"{call:<10} {setting:<11} {added:7.1f}   kept {figure:5}   native {native:7.1f}")
            if added > limit:
                problems.append(
                    f"{call} with {setting} must add at most {limit:.0f} instructions, got "
                    f"{added:.0f}: make it cheaper, or change instructions.toml and say why"
                )
    for problem in problems:
        print(f"shim_cost: {problem}", file=sys.stderr)
    return 1 if problems else 0


def time(arguments: argparse.Namespace) -> int:
    """Print nanoseconds per call; exit code 1 if more than 100 ns and 1 % are added."""
    launcher = [word for word in arguments.launcher.split(";") if word]
    command = [*launcher, "-n", "2", str(arguments.program), "time", "40", "2000"]
    best: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.repetitions):
            for setting in ("native", *SETTINGS):
                variables = environment(setting, arguments.vendor, Path(folder))
                libraries = [] if setting == "native" else [str(arguments.shim)]
                preload = ":".join([*libraries, *arguments.helper])
                found = json.loads(run(command, preload, variables))
                for name, value in found.items():
                    row = best.setdefault(name, {})
                    row[setting] = min(value, row.get(setting, value))
    print(f"nanoseconds of one call, best of {arguments.repetitions} runs, {arguments.vendor}")
    print(f"{'':<22}" + "".join(f"{name:>12}" for name in ("native", *SETTINGS)))
    problems = []
    for name, row in best.items():
        print(f"{name:<22}" + "".join(f"{row[key]:12.1f}" for key in ("native", *SETTINGS)))
        added = max(row["nothing"], row["profile"]) - row["native"]
        # Calls between ranks vary by more than the limit on a machine that does other things too.
        if name.startswith("self_") and added > max(100.0, 0.01 * row["native"]):
            problems.append(f"{name}: at most 100 ns or 1 % may be added, got {added:.0f} ns")
    for problem in problems:
        print(f"shim_cost: {problem}", file=sys.stderr)
    return 1 if problems else 0


def main() -> int:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("count", "time"))
    parser.add_argument("program", type=Path)
    parser.add_argument("shim", type=Path)
    parser.add_argument("vendor", choices=("openmpi", "mpich"))
    parser.add_argument("--traffic", type=Path, help="the library that counts messages")
    parser.add_argument("--launcher", default="", help="command and options, separated by ;")
    parser.add_argument("--helper", action="append", default=[], help="library to preload too")
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    return count(arguments) if arguments.what == "count" else time(arguments)


if __name__ == "__main__":
    sys.exit(main())
