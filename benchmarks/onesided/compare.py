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
NO_SUCH_CONDUIT = 3
OPTIONS = {
    "openmpi": ["--bind-to", "core"],
    "mpich": ["-bind-to", "core"],
}
NODE = {"OMPI_MCA_btl": "vader,self"}
TCP = {"OMPI_MCA_btl": "tcp,self", "UCX_TLS": "tcp,self"}


def points(
    arguments: argparse.Namespace, experiment: dict[str, Any], column: dict[str, Any]
) -> list[Any]:
    """Run the program once; nothing if its build has no such conduit."""
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    transports = TCP if column.get("uses_tcp") else NODE
    done = subprocess.run(
        [
            *(arguments.launcher, *OPTIONS[arguments.vendor], "-n", str(experiment["num_ranks"])),
            *(arguments.program, column["conduit"]),
            *(str(experiment[key]) for key in ("num_samples", "most_bytes", "tuning_seconds")),
        ],
        check=False,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **root, **transports, "ESPALIER_MEMORY": "off"},
        text=True,
        timeout=TIME_LIMIT_S,
    )
    if done.returncode == NO_SUCH_CONDUIT:
        print(f"left out: {column['title']}, which this build lacks", file=sys.stderr)
        return []
    done.check_returncode()
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
    columns = experiment["conduits"]
    runs = [(column["title"], points(arguments, experiment, column)) for column in columns]
    titles = [title for title, found in runs if found]
    print(f"| what | library | bytes | library | {' | '.join(f'{t} / library' for t in titles)} |")
    print("|---|---|---|---|" + "---|" * len(titles))
    for row in zip(*(found for _, found in runs if found), strict=True):
        first = row[0]
        theirs = f"{first['theirs']} | {first['bytes']} | {first['theirs_us']:.2f} us"
        print(f"| {first['what']} | {theirs} | {' | '.join(map(interval, row))} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
