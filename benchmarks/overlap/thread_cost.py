#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201
"""What a thread for progress costs two ranks of Open MPI, each on a processor of its own.

Usage: thread_cost.py. It keeps the records for the page that benchmarks/pages.py writes. Needs two
processors and what `make bench-overlap` builds.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import tomllib

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
sys.path[:0] = [str(FOLDER), *(str(FOLDER.parent / name) for name in ("reproduce", "unprepared"))]
sys.path.insert(0, str(ROOT / "python"))

import page  # noqa: E402
from measurement import look_around  # noqa: E402
from simulated_times import note_date  # noqa: E402

from espalier import installation  # noqa: E402
from espalier.errors import EnvironmentFault, Error, NotBuiltError  # noqa: E402
from espalier.launch.command import LaunchCommand, parse_command  # noqa: E402
from espalier.launch.environment import with_environment  # noqa: E402

DATA = ROOT / "docs" / "benchmarks" / "data"
_FORCED = {"ESPALIER_LEARN": "off", "ESPALIER_FORCE": "ibarrier=dissemination"}
VARIANTS: dict[str, dict[str, str]] = {
    page.NATIVE: {},
    page.OURS: _FORCED,
    page.THREAD: {**_FORCED, "ESPALIER_PROGRESS": "thread"},
}


def command_of(declared: dict[str, Any]) -> tuple[LaunchCommand, Path]:
    """Return how the program is started, and the library that is preloaded under it.

    Raises:
        NotBuiltError: one of them is missing.
        MpiError: the launcher is.
    """
    mpi, numbers = declared["mpi"], declared["thread_cost"]
    library, folder = installation.shim_library(mpi), installation.build_folder()
    path = None if folder is None else folder / "bin" / f"thread_cost_{mpi}"
    if library is None or path is None or not path.is_file():
        raise NotBuiltError(
            f"expected thread_cost_{mpi} and libespalier-{mpi}.so in {folder}, found not both",
            "run make bench-overlap",
        )
    program = [str(path), str(numbers["steps"]), str(numbers["rounds"])]
    words = [f"mpirun.{mpi}", "-n", "2", "--bind-to", "core", *program]
    return parse_command(words), library


def run(command: LaunchCommand, library: Path, variant: str, limit_seconds: float) -> page.Record:
    """Return what the program printed.

    Raises:
        EnvironmentFault: it failed.
    """
    variables = VARIANTS[variant]
    words = command.words()
    if variables:
        words = with_environment(command, {"LD_PRELOAD": str(library), **variables}).words
    done = subprocess.run(words, capture_output=True, text=True, timeout=limit_seconds, check=False)
    if done.returncode != 0:
        raise EnvironmentFault(f"expected {variant} to succeed, it wrote {done.stderr}")
    figures: page.Record = json.loads(done.stdout.splitlines()[-1])
    return {"variant": variant, **figures}


def main() -> int:
    """Measure in turns, and keep."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    limit_seconds = declared["runs"]["limit_seconds"]
    records = []
    busy = look_around()
    try:
        command, library = command_of(declared)
        for turn in range(declared["runs"]["turns"]):
            names = list(VARIANTS)
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                records.append(run(command, library, name, limit_seconds))
                print(json.dumps(records[-1]), flush=True)
    except Error as error:
        print(f"thread_cost.py: {error}", file=sys.stderr)
        return error.exit_code
    kept = {"busy_processors": busy, "runs": records}
    (DATA / page.COST_DATA).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    note_date(DATA, page.COST)
    return 0


if __name__ == "__main__":
    sys.exit(main())
