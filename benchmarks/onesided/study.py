#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run what experiments.toml declares, and keep the times in docs/benchmarks/data.

Usage: study.py [--build build/release]. On emulated hosts it needs root. A run takes up to ten
minutes; runs that were made before are made again.
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
    from collections.abc import Mapping

STUDY = "onesided"
DATA = ROOT / "docs" / "benchmarks" / "data"
TIME_LIMIT_S = 600


def command(run: Mapping[str, Any], program: Path) -> list[str]:
    """Return what starts a run with Open MPI."""
    arguments = ("conduit", "num_samples", "most_bytes", "tuning_seconds", "most_actions")
    ranks = [str(program), *(str(run[name]) for name in arguments)]
    launcher = ["mpirun.openmpi", "-n", str(run["num_ranks"])]
    if "hosts" not in run:
        return [*launcher, "--bind-to", "core", *ranks]
    per_host = str(run["num_ranks"] // run["hosts"])
    hosts = ["--hosts", str(run["hosts"]), "--ranks-per-host", per_host, "--rate", run["rate"]]
    return [str(ROOT / "bin" / "espalier"), "cluster", "run", *hosts, "--", *launcher, *ranks]


def times(run: Mapping[str, Any], build: Path) -> list[dict[str, Any]]:
    """Make a run; return a record for each comparison and size."""
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    near = {} if "hosts" in run else {"OMPI_MCA_btl": "vader,self"}
    near["ESPALIER_MEMORY"] = "off"  # each run finds out anew what is fastest
    done = subprocess.run(
        command(run, build / "bin" / "onesided_times_openmpi"),
        check=True,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **root, **near, **run.get("environment", {})},
        text=True,
        timeout=TIME_LIMIT_S,
    )
    records = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [{"run": run["title"], **record} for record in records]


def main() -> int:
    """Make all runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    build = parser.parse_args().build
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))["study"]
    records = []
    load = os.getloadavg()[0]
    for run in declared["runs"]:
        records += times(run, build)
        sys.stderr.write(f"{run['title']}: done\n")
    text = ",\n".join(f"  {json.dumps(record)}" for record in records)
    path = DATA / f"{STUDY}.json"
    path.write_text(f'{{"load": {load:.1f}, "records": [\n{text}\n]}}\n', encoding="utf-8")
    note_date(DATA, STUDY)
    return 0


if __name__ == "__main__":
    sys.exit(main())
