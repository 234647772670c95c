#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201
"""Run the experiments that benchmarks/*/*.toml declare and print tables of ratios.

An experiment names a program that takes an algorithm, a size and numbers of repetitions, and prints
one line of JSON. Times on a busy machine mean little; ratios with their intervals mean more.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import time
from typing import Any

import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIME_LIMIT_S = 300


def launch_command(vendor: str, num_ranks: int, build: pathlib.Path) -> list[str]:
    """Start ranks that give up the CPU while they wait: there may be fewer cores than ranks."""
    if vendor == "openmpi":
        launcher = shutil.which("mpirun.openmpi") or "mpirun"
        options = ["--oversubscribe", "--bind-to", "none", "--mca", "btl", "vader,self"]
        if num_ranks > (os.cpu_count() or 1):
            options += ["--mca", "mpi_yield_when_idle", "1"]
    else:
        launcher = shutil.which("mpiexec.mpich") or "mpiexec"
        options = []
        if num_ranks > (os.cpu_count() or 1):
            options = ["-genv", "LD_PRELOAD", str(build / "lib" / "libespalier_yield_ucx.so")]
    return [launcher, *options, "-n", str(num_ranks)]


def run_point(command: list[str]) -> dict[str, Any] | None:
    """One line of JSON, or None with the reason on standard error."""
    environment = os.environ | {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    try:
        done = subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=TIME_LIMIT_S,
            env=environment,
        )
        point: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (subprocess.SubprocessError, ValueError, IndexError) as error:
        print(f"run.py: {' '.join(command)}: {error}", file=sys.stderr)
        return None
    return point


def verdict(point: dict[str, Any]) -> str:
    """Whether the aim is met, as far as the interval tells."""
    if point["ratio_high"] <= 1.03:
        return "within 3 %"
    if point["ratio_low"] > 1.03:
        return "slower"
    return "not decided"


def print_row(point: dict[str, Any]) -> None:
    """One line of the table."""
    print(
        f"{point['algorithm']:<10}{point['num_ranks']:>5}{point['block_bytes']:>9}"
        f"{point['direct_us']:>12.2f}{point['schedule_us']:>12.2f}"
        f"{point['ratio']:>8.3f} [{point['ratio_low']:.3f} .. {point['ratio_high']:.3f}]"
        f"{point['difference_us']:>9.2f}  {verdict(point)}",
        flush=True,
    )


def run_experiment(
    experiment: dict[str, Any], vendor: str, build: pathlib.Path, effort: float
) -> list[dict[str, Any]]:
    """Run all points of one experiment under one MPI; the table grows while it runs."""
    program = build / "bin" / f"{experiment['program']}_{vendor}"
    if not program.exists():
        print(f"run.py: {program} is not built, left out", file=sys.stderr)
        return []
    print(f"\n{experiment['name']}, {vendor}: {experiment['summary']}")
    print(
        f"{'algorithm':<10}{'ranks':>5}{'bytes':>9}{'direct us':>12}{'schedule us':>12}"
        f"{'ratio':>8} [95 % interval]{'diff us':>9}"
    )
    points = []
    for num_ranks in experiment["num_ranks"]:
        for algorithm in experiment["algorithms"]:
            for size in experiment["sizes"]:
                num_pairs = max(20, int(size["num_pairs"] * effort))
                command = [
                    *launch_command(vendor, num_ranks, build),
                    *(str(program), algorithm, str(size["block_bytes"]), str(num_pairs)),
                    str(size["calls_per_sample"]),
                ]
                point = run_point(command)
                if point is not None:
                    print_row(point)
                    points.append(point | {"mpi": vendor})
    return points


def run_counts(vendor: str, build: pathlib.Path) -> bool:
    """Instructions of the executor, where valgrind is installed."""
    program = build / "bin" / f"instructions_{vendor}"
    if not program.exists() or shutil.which("valgrind") is None:
        return True
    print(flush=True)
    script = ROOT / "benchmarks" / "exec" / "count_instructions.py"
    done = subprocess.run([sys.executable, str(script), str(program), vendor], check=False)
    return done.returncode == 0


def main() -> int:
    """Exit code 1 if an experiment failed or a kept figure is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), action="append")
    parser.add_argument("--effort", type=float, default=1.0, help="factor on repetitions")
    parser.add_argument("--json", type=pathlib.Path, help="write all points to this file")
    arguments = parser.parse_args()
    generate = arguments.build / "bin" / "bench_generate"
    is_good = True
    if generate.exists():
        is_good = subprocess.run([str(generate)], check=False).returncode == 0
    points = []
    for vendor in arguments.mpi or ("openmpi", "mpich"):
        is_good = run_counts(vendor, arguments.build) and is_good
        for path in sorted((ROOT / "benchmarks").glob("*/*.toml")):
            experiment = tomllib.loads(path.read_text()).get("experiment")
            if experiment is not None:
                points += run_experiment(experiment, vendor, arguments.build, arguments.effort)
    if arguments.json is not None:
        report = {
            "schema": "espalier-benchmark",
            "version": 1,
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "machine": {"hostname": platform.node(), "num_cores": os.cpu_count()},
            "points": points,
        }
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    return 0 if is_good and points else 1


if __name__ == "__main__":
    sys.exit(main())
