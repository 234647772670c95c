#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201
"""What a program gains that only preloads Espalier with learning on, on emulated hosts.

Usage: study.py [--cells PATTERN ...] [--all-sizes] [--list] [--time-limit TIME] [--again]
                [--results FILE] [--data FOLDER]

It runs the cells of experiments.toml, or those of any size whose names match a pattern, and keeps
each in FILE as soon as it is measured. What FILE has is not measured again, unless the library, the
loop or its numbers of calls have changed, or --again is given. In the end the records are kept in
FOLDER, for the page that benchmarks/pages.py writes; if cells are named, only if FOLDER is, too.
Needs root.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "reproduce"), str(ROOT / "python")]

import gains  # noqa: E402
import page  # noqa: E402
from cells import declared_cells, matching  # noqa: E402
from measurement import Study, measure  # noqa: E402
from runs import Program  # noqa: E402
from simulated_times import note_date  # noqa: E402

from espalier.base.durations import parse_seconds  # noqa: E402
from espalier.errors import Error  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cells import Cell

DATA = ROOT / "docs" / "benchmarks" / "data"
RESULTS = ROOT / "build" / "unprepared" / "cells.json"


def parse_arguments(declared: Mapping[str, Any]) -> argparse.Namespace:
    """Return the options; `data` is None where nothing is to be kept for the page."""
    parser = argparse.ArgumentParser(description="Measure loops that only learn.")
    parser.add_argument("--cells", nargs="+", metavar="PATTERN", help="as in '*/block/bcast/1KiB'")
    parser.add_argument("--all-sizes", action="store_true", help="all sizes in each configuration")
    parser.add_argument("--list", action="store_true", help="print the names of the cells, and end")
    parser.add_argument("--time-limit", default=declared["runs"]["time_limit"])
    parser.add_argument("--again", action="store_true", help="measure also what is known")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--data", type=Path, help="docs/benchmarks/data, unless cells are named")
    options = parser.parse_args()
    if options.data is None and options.cells is None:
        options.data = DATA
    return options


def chosen_cells(declared: Mapping[str, Any], options: argparse.Namespace) -> list[Cell]:
    """Return the cells that are asked for.

    Raises:
        ArgumentError: a pattern matches none.
    """
    if options.cells is not None:
        return matching(declared_cells(declared, has_all_sizes=True), options.cells)
    return declared_cells(declared, has_all_sizes=options.all_sizes)


def run(
    declared: Mapping[str, Any], options: argparse.Namespace, cells: Sequence[Cell]
) -> list[Cell]:
    """Measure, print and keep; return the cells that are missing."""
    study = Study(
        declared,
        {mpi: Program.find(mpi) for mpi in {cell.mpi for cell in cells}},
        options.results.resolve().parent / "lessons",
        time.monotonic() + parse_seconds(options.time_limit),
    )

    def say(record: gains.Record) -> None:
        print(page.line_of(record, declared), flush=True)

    missing = measure(study, cells, options.results, say, again=options.again)
    records = study.current(gains.read(options.results), cells)
    print(page.summary(declared, records))
    if options.data is not None and gains.succeeded(records):
        (options.data / page.DATA).write_text(gains.text_of(records), encoding="utf-8")
        note_date(options.data, page.STUDY)
    return missing


def main() -> int:
    """Exit code 1 if cells are missing."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    options = parse_arguments(declared)
    try:
        cells = chosen_cells(declared, options)
        if options.list:
            print("\n".join(cell.name for cell in cells))
            return 0
        missing = run(declared, options, cells)
    except Error as error:
        print(f"study.py: {error}", file=sys.stderr)
        return error.exit_code
    if missing:
        names = " ".join(cell.name for cell in missing)
        print(
            f"study.py: {len(missing)} of {len(cells)} cells are missing; the same command, without"
            f" --again, goes on with them: {names}",
            file=sys.stderr,
        )
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
