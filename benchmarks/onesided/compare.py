#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201
"""Print one-sided communication beside that of the MPI library, as experiments.toml declares.

Ours and theirs are timed in turns, over each conduit. Ranks are bound to processors; on a busy
machine only the ratios say something.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import tomllib

DECLARED = pathlib.Path(__file__).parent / "experiments.toml"
TIME_LIMIT_S = 600
CONDUITS = ("node", "rma")
OPTIONS = {
    "openmpi": ["--bind-to", "core", "--mca", "btl", "vader,self"],
    "mpich": ["-bind-to", "core"],
}


def points(arguments: argparse.Namespace, experiment: dict[str, Any], conduit: str) -> list[Any]:
    """Run the program once."""
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(
        [
            *(arguments.launcher, *OPTIONS[arguments.vendor], "-n", str(experiment["num_ranks"])),
            *(arguments.program, conduit),
            *(str(experiment["num_samples"]), str(experiment["most_bytes"])),
        ],
        check=True,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **root},
        text=True,
        timeout=TIME_LIMIT_S,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def interval(point: dict[str, Any]) -> str:
    """Return the ratio to the library with its quartiles."""
    return f"{point['ratio']:.2f} ({point['ratio_low']:.2f} .. {point['ratio_high']:.2f})"


def main() -> int:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("vendor", choices=sorted(OPTIONS))
    parser.add_argument("--launcher", default="mpirun")
    arguments = parser.parse_args()
    experiment = tomllib.loads(DECLARED.read_text(encoding="utf-8"))["onesided"]
    found = [points(arguments, experiment, conduit) for conduit in CONDUITS]
    print(
        f"| what | library | bytes | library | {' | '.join(f'{c} / library' for c in CONDUITS)} |"
    )
    print("|---|---|---|---|" + "---|" * len(CONDUITS))
    for row in zip(*found, strict=True):
        first = row[0]
        theirs = f"{first['theirs']} | {first['bytes']} | {first['theirs_us']:.2f} us"
        print(f"| {first['what']} | {theirs} | {' | '.join(map(interval, row))} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
