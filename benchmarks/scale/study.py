#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times at scale: curves of models to a million ranks, and one simulation of thousands.

Usage: study.py models FOLDER | simulate FOLDER [--ranks N]. They write FOLDER/scale-models.csv and
scale-simulated.csv; benchmarks/pages.py writes the page about them.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "reproduce")]

import model_curves  # noqa: E402
import page  # noqa: E402
from simulated_times import (  # noqa: E402
    NATIVE,
    Time,
    note_date,
    write_times,
)

from espalier.sampling.candidates import real_size  # noqa: E402
from espalier.sampling.samples import Request  # noqa: E402
from espalier.sampling.simulation import SimulatedJob, measure  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping


def ask_models(declared: Mapping[str, Any], data: Path) -> None:
    """Write what models say, and what asking cost."""
    start = time.process_time()
    values = []
    for value in model_curves.values_of(declared):
        values.append(value)
        model_curves.write_csv(values, data / page.MODELS)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    page.add_cost(data / page.COSTS, "all models", time.process_time() - start, memory)


def simulate(declared: Mapping[str, Any], num_ranks: int, data: Path) -> None:
    """Simulate the declared points in one launch, and record its CPU seconds and memory."""
    chosen = declared["simulation"]
    machine = model_curves.machine_of(declared, num_ranks)
    nodes = model_curves.num_nodes(declared, num_ranks)
    requests = [
        Request(
            point["collective"],
            real_size(point["collective"], point["bytes"], num_ranks),
            tuple(name.format(nodes=nodes) for name in point["algorithms"]),
        )
        for point in chosen["points"]
    ]
    start = time.monotonic()
    job = SimulatedJob(machine, "block", num_ranks, chosen["selector"])
    launch = measure(job, requests, seconds=chosen["seconds"])
    wall = time.monotonic() - start
    times = [
        Time(
            *(machine, num_ranks, point.collective, point.bytes),
            f"{NATIVE}{job.peer}" if name == "native" else name,
            samples[0],
        )
        for point in launch.points
        for name, samples in point.samples_us.items()
    ]
    write_times(times, data / page.SIMULATED)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    what = f"simulation of {num_ranks} ranks"
    page.add_cost(data / page.COSTS, what, seconds, used.ru_maxrss // 1024)
    print(f"{what}: {seconds:.0f} s of CPU, {wall:.0f} s, {used.ru_maxrss // 1024} MiB")  # noqa: T201
    for problem in (launch.failure, *map(str, launch.problems)):
        if problem:
            print(f"missing: {problem}", file=sys.stderr)  # noqa: T201


def main() -> None:
    """Parse the command line."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("models", "simulate"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ranks", type=int, default=declared["simulation"]["ranks"])
    options = parser.parse_args()
    data = options.folder
    data.mkdir(parents=True, exist_ok=True)
    if options.task == "models":
        ask_models(declared, data)
    else:
        simulate(declared, options.ranks, data)
    note_date(data, page.STUDY)


if __name__ == "__main__":
    main()
