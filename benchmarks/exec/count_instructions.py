#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201
"""Count the instructions of one call with callgrind, and compare with the figures kept.

Instructions do not depend on what else the machine does, so a change of a few per cent shows.
"""

from __future__ import annotations

import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

import tomllib

NUM_CALLS = 1000
ALGORITHMS = ("ring", "bruck", "sparbit")
KINDS = ("schedule", "planned", "direct")


def self_costs(callgrind_output: str) -> dict[str, int]:
    """Instructions of each function itself, without those it calls."""
    costs: dict[str, int] = collections.defaultdict(int)
    function = ""
    is_call = False
    for line in callgrind_output.splitlines():
        if line.startswith("fn="):
            function = line.removeprefix("fn=")
        elif line.startswith("calls="):
            is_call = True
        elif line[:1].isdigit():
            if not is_call:
                costs[function] += int(line.split()[1])
            is_call = False
    return costs


def count(program: pathlib.Path, kind: str, algorithm: str) -> float:
    """Instructions per call outside MPI."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "callgrind.out"
        command = [
            *("valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no"),
            *(f"--callgrind-out-file={output}", f"--toggle-collect=*counted_{kind}*"),
            *(str(program), kind, algorithm, str(NUM_CALLS)),
        ]
        subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        costs = self_costs(output.read_text())
    ours = sum(cost for name, cost in costs.items() if not name.startswith("PMPI_"))
    return ours / NUM_CALLS


def measure(program: pathlib.Path) -> dict[str, dict[str, float]]:
    """Instructions per call by kind and algorithm."""
    return {
        kind: {algorithm: count(program, kind, algorithm) for algorithm in ALGORITHMS}
        for kind in KINDS
    }


def too_high(found: dict[str, float], kept: dict[str, float], tolerance: float) -> list[str]:
    """One line for each algorithm that needs more than it may."""
    return [
        f"{algorithm} must need at most {kept[algorithm] * (1 + tolerance):.0f} instructions per "
        f"call, got {found[algorithm]:.0f}: make it cheaper, or raise instructions.toml and say why"
        for algorithm in ALGORITHMS
        if found[algorithm] > kept[algorithm] * (1 + tolerance)
    ]


def main() -> int:
    """Print the table; exit code 1 if a figure is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("vendor", choices=("openmpi", "mpich"))
    arguments = parser.parse_args()
    os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
    os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    figures = tomllib.loads((pathlib.Path(__file__).parent / "instructions.toml").read_text())
    found = measure(arguments.program)
    print(f"instructions per call of 8 ranks outside MPI, {arguments.vendor}")
    print(f"{'algorithm':<10}{'schedule':>10}{'kept':>8}{'planned':>10}{'kept':>8}{'by hand':>9}")
    gates = {kind: figures[kind][arguments.vendor] for kind in ("schedule", "planned")}
    for algorithm in ALGORITHMS:
        row = "".join(
            f"{found[kind][algorithm]:>10.0f}{kept[algorithm]:>8}" for kind, kept in gates.items()
        )
        print(f"{algorithm:<10}{row}{found['direct'][algorithm]:>9.0f}")
    problems = [
        f"{kind}: {problem}"
        for kind, kept in gates.items()
        for problem in too_high(found[kind], kept, figures["tolerance"])
    ]
    for problem in problems:
        print(f"count_instructions: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
