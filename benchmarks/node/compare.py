#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201
"""Print collectives inside a node beside those of the MPI library, as experiments.toml declares.

Each run calls ours and those of the library in turns, one run with messages and one with shared
memory. Ranks are bound to processors; on a busy machine only the ratios say something.
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
OPTIONS = {
    "openmpi": ["--bind-to", "core", "--mca", "btl", "vader,self"],
    "mpich": ["-bind-to", "core"],
}


def points(arguments: argparse.Namespace, experiment: dict[str, Any], node: str) -> list[Any]:
    """Run the program once."""
    force = ";".join(f"{call}={name}" for call, name in experiment["force"].items())
    environment = {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "ESPALIER_FORCE": force,
        "ESPALIER_NODE": node,
    }
    command = [
        *(arguments.launcher, *OPTIONS[arguments.vendor], "-n", str(experiment["num_ranks"])),
        *("env", f"LD_PRELOAD={arguments.shim}", arguments.program),
        *(str(experiment["num_samples"]), str(experiment["most_bytes"])),
    ]
    done = subprocess.run(
        command,
        check=True,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env=environment,
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
    parser.add_argument("shim")
    parser.add_argument("vendor", choices=sorted(OPTIONS))
    parser.add_argument("--launcher", default="mpirun")
    arguments = parser.parse_args()
    experiment = tomllib.loads(DECLARED.read_text(encoding="utf-8"))["node"]
    by_messages = points(arguments, experiment, "off")
    by_memory = points(arguments, experiment, "on")
    print("| call | bytes | library | messages / library | shared memory / library |")
    print("|---|---|---|---|---|")
    for messages, memory in zip(by_messages, by_memory, strict=True):
        name, num_bytes = memory["collective"], memory["bytes"]
        native = f"{memory['native_us']:.2f} us"
        print(f"| {name} | {num_bytes} | {native} | {interval(messages)} | {interval(memory)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
