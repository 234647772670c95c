#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - a script that prints
"""Instructions of a call of 8 B that comes again, through the memory of a node, by callgrind.

Only calls are counted in which rank 0 waits for nobody, as the time of waiting is chance. On a busy
machine it may have to in some of them, so the least of several blocks is compared with
instructions.toml. A program that learns has these choices from its memory: nothing is checked
before the 128th call, so that no verdict, which is chance, too, comes in between.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import tomllib

NUM_BLOCKS = 6
CALLS_PER_BLOCK = 40
ALGORITHMS = {
    "bcast": "bcast/binomial[shared_memory=1]",
    "gather": "gather/flat[shared_memory=1]",
    "scan": "scan/linear[shared_memory=1]",
    "scatter": "scatter/flat[shared_memory=1]",
}


def profile(vendor: str) -> str:
    """All calls go through memory."""
    rules = [
        {
            "collective": call,
            "num_ranks": 2,
            "num_nodes": 1,
            "min_bytes": 0,
            "max_bytes": None,
            "algorithm": algorithm,
            "reason": "for the benchmark",
        }
        for call, algorithm in ALGORITHMS.items()
    ]
    document = {"schema": "espalier-profile", "version": 1, "mpi": {"vendor": vendor}}
    return json.dumps({**document, "rules": rules})


def instructions(arguments: argparse.Namespace, kind: str, *, learns: bool) -> float:
    """Instructions of a call on rank 0, in the least of the blocks."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "profile.json").write_text(profile(arguments.vendor), encoding="utf-8")
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        valgrind += [f"--toggle-collect=counted_{kind}", f"--dump-after=counted_{kind}"]
        program = [str(arguments.program), str(NUM_BLOCKS), str(CALLS_PER_BLOCK)]
        preload = ["env", f"LD_PRELOAD={':'.join([str(arguments.shim), *arguments.helper])}"]
        command = [word for word in arguments.launcher.split(";") if word]
        command += ["-n", "1", *preload, *valgrind, *program, ":", "-n", "1", *preload, *program]
        variables = {
            "ESPALIER_LEARN": "on" if learns else "off",
            "ESPALIER_MEMORY" if learns else "ESPALIER_PROFILE": str(folder / "profile.json"),
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
        subprocess.run(
            command,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=120,
        )
        return counted(folder)


def counted(folder: Path) -> float:
    """Instructions of a call in the least of the blocks that callgrind has a file for."""
    blocks = []
    for path in folder.glob("out.*"):
        text = path.read_text(encoding="utf-8")
        summary = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
        if summary and "desc: Trigger: --dump-after=" in text:
            blocks.append(int(summary[1]) / CALLS_PER_BLOCK)
    if len(blocks) != 2 * NUM_BLOCKS:
        sys.exit(f"node_instructions: expected {2 * NUM_BLOCKS} blocks, got {len(blocks)}")
    return min(blocks)


def main() -> int:
    """Print the table; exit code 1 if a figure is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("shim", type=Path)
    parser.add_argument("vendor", choices=("openmpi", "mpich"))
    parser.add_argument("--launcher", required=True, help="command and options, separated by ;")
    parser.add_argument("--helper", action="append", default=[], help="library to preload too")
    arguments = parser.parse_args()
    figures = tomllib.loads((Path(__file__).parent / "instructions.toml").read_text())
    problems = []
    print(f"instructions of a call that comes again on rank 0 of 2, {arguments.vendor}")
    for setting, learns in (("settled", False), ("learning", True)):
        for kind, figure in figures[arguments.vendor][setting].items():
            found = instructions(arguments, kind, learns=learns)
            limit = figure * (1 + figures["tolerance"])
            print(f"{kind:<10} {setting:<9} {found:7.1f}   kept {figure:5}")
            if found > limit:
                problems.append(
                    f"{kind}, {setting}: must need at most {limit:.0f} instructions, got "
                    f"{found:.0f}: make it cheaper, or change instructions.toml and say why"
                )
    for problem in problems:
        print(f"node_instructions: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
