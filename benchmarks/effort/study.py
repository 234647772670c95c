#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near a guided search comes to the best of all candidates, and what it takes.

Usage: study.py simulated FOLDER | real FOLDER. They write FOLDER/effort.json; what is there is not
simulated again. benchmarks/pages.py writes the page about it.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [
    *(str(FOLDER), str(FOLDER.parent / "reproduce")),
    str(FOLDER.parent.parent / "python"),
]

import effort_data  # noqa: E402
from simulated_times import note_date  # noqa: E402

from espalier.sampling.candidates import candidates_for, real_size  # noqa: E402
from espalier.sampling.samples import Request  # noqa: E402
from espalier.sampling.setting import Setting  # noqa: E402
from espalier.sampling.simulation import SimulatedJob, measure  # noqa: E402
from espalier.tuning.modelled import predict  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

STUDY = "effort"
_ROOT_MAY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def simulate(declared: Mapping[str, Any], folder: Path) -> None:
    """Time every candidate of every declared call and size."""
    document = effort_data.read(folder)
    for platform in declared["platform"]:
        for placement in platform["placements"]:
            for call in declared["collectives"]:
                where = {"platform": platform["name"], "placement": placement, "collective": call}
                if any(where.items() <= row.items() for row in document["simulated"]):
                    continue
                start = time.monotonic()
                setting = Setting(platform["machine"], placement, platform["ranks"])
                rows = [{**where, **row} for row in _rows(call, setting, declared)]
                _mistake(rows, Setting(platform["mistaken"], placement, platform["ranks"]))
                document["simulated"] += rows
                effort_data.write(document, folder)
                say(f"{where}: {time.monotonic() - start:.0f} s")


def _rows(call: str, setting: Setting, declared: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    candidates = candidates_for(call, setting.num_ranks, (), setting)
    sizes = [real_size(call, size, setting.num_ranks) for size in declared["sizes"]]
    requests = [
        Request(call, size, (name,), has_native=False) for size in sizes for name in candidates
    ]
    requests += [Request(call, size, ()) for size in sizes]
    job = SimulatedJob(setting.machine, setting.placement, setting.num_ranks, declared["peer"])
    launch = measure(job, requests)
    if launch.failure or launch.problems:
        say(f"missing: {launch.failure} {launch.problems}")
    us: dict[int, dict[str, float]] = {size: {} for size in sizes}
    for point in launch.points:
        us[point.asked_bytes] |= {name: one[0] for name, one in point.samples_us.items()}
    predicted = predict(setting, candidates, sizes, len(candidates))
    for size in sizes:
        native = us[size].pop("native")
        yield {
            "bytes": size,
            "native_us": round(native, 4),
            "us": {name: round(one, 4) for name, one in us[size].items()},
            "predicted": {name: float(f"{one:.6g}") for name, one in predicted[size].items()},
        }


def _mistake(rows: Sequence[dict[str, Any]], believed: Setting) -> None:
    """Add what the model predicts of a machine that is not quite the one that is simulated."""
    candidates, sizes = tuple(rows[0]["predicted"]), [row["bytes"] for row in rows]
    found = predict(believed, candidates, sizes, len(candidates))
    for row in rows:
        row["mistaken"] = {name: float(f"{one:.6g}") for name, one in found[row["bytes"]].items()}


def measure_here(declared: Mapping[str, Any], folder: Path) -> None:
    """Tune with both efforts, and keep how long that took and what was found."""
    document = effort_data.read(folder)
    for effort in ("exhaustive", "measure"):
        with tempfile.TemporaryDirectory(prefix="espalier-effort-") as name:
            words = [sys.executable, "-m", "espalier", "tune", "run", "--effort", effort, "--json"]
            words += ["--collectives", ",".join(declared["collectives"])]
            words += ["--sizes", ",".join(map(str, declared["sizes"]))]
            words += ["-o", f"{name}/profile.json", "--store", f"{name}/store.sqlite"]
            words += ["--", *shlex.split(declared["launcher"])]
            python = str(FOLDER.parent.parent / "python")
            start = time.monotonic()
            done = subprocess.run(
                words,
                env={**os.environ, **_ROOT_MAY, "PYTHONPATH": python},
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            )
            seconds = time.monotonic() - start
        document["real"][effort] = _real(json.loads(done.stdout), seconds)
        effort_data.write(document, folder)
        say(f"{effort}: {seconds:.0f} s")


def _real(tuning: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    points = [
        {
            **{key: point[key] for key in ("collective", "bytes", "algorithm")},
            "native_us": point["native"]["median_us"],
            "best": point["best"],
            "us": {
                name: round(point["native"]["median_us"] / one["ratio"]["median"], 4)
                for name, one in point["candidates"].items()
            },
        }
        for point in tuning["points"]
    ]
    return {"seconds": round(seconds, 1), "version": tuning["mpi"]["version"], "points": points}


def say(line: str) -> None:
    """Tell how it goes."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201


def main() -> None:
    """Parse the command line."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("simulated", "real"))
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    if options.task == "simulated":
        simulate(declared["simulated"], options.folder)
    else:
        measure_here(declared["real"], options.folder)
    note_date(options.folder, STUDY)


if __name__ == "__main__":
    main()
