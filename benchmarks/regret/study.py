#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What learning loses and gains in loops of one call, in simulation, and what MPI_Init takes.

Usage: study.py cells FOLDER [--collective NAME ...] [--peer NAME ...] [--minutes N] |
       study.py startup FOLDER
They write FOLDER/regret.json, a line for each cell. What is there already is not run again: remove
the file, or a line of it, to do that. benchmarks/pages.py writes the page about them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [
    *(str(FOLDER), str(FOLDER.parent / "reproduce")),
    str(FOLDER.parent.parent / "python"),
]

from regret_cells import best_known, cells_of, places_of  # noqa: E402
from regret_curves import Bound, best_at, checkpoints_of, worst_of  # noqa: E402
from regret_data import Data  # noqa: E402
from regret_runs import run_cell, run_loop  # noqa: E402
from simulated_times import note_date  # noqa: E402

from espalier.errors import Error  # noqa: E402
from espalier.launch.preload import Settings  # noqa: E402
from espalier.simulate.running import NATIVE  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from regret_cells import Cell
    from regret_runs import Ran

STUDY = "regret"


def platforms() -> Sequence[Mapping[str, Any]]:
    """Return the machines that studies share."""
    text = (FOLDER.parent / "platforms.toml").read_text(encoding="utf-8")
    found: Sequence[Mapping[str, Any]] = tomllib.loads(text)["platform"]
    return found


def row_of(
    cell: Cell, choice: str, ran: Mapping[str, Ran], learned: str, declared: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what is kept of a cell; times in microseconds."""
    loops = {name: one.loop for name, one in ran.items()}
    numbers = checkpoints_of(declared["drawn"], cell.num_calls)
    worst = worst_of(loops["learning"], loops["native"], Bound(**declared["bound"]))
    times = {
        name: [round(1e6 * loop.at(number), 3) for number in numbers]
        for name, loop in loops.items()
    }
    place = cell.place
    return {
        "platform": place.platform,
        "placement": place.placement,
        "num_ranks": place.num_ranks,
        "peer": place.peer,
        "collective": cell.collective,
        "bytes": cell.num_bytes,
        "best_known": choice,
        "learned": learned,
        "charged_us": round(1e6 * ran["learning"].charged_seconds, 3),
        "worst": {
            "calls": worst.num_calls,
            "lost_us": round(1e6 * worst.lost_seconds, 3),
            "share_of_bound": round(worst.share_of_bound, 5),
        },
        "calls": numbers,
        "times_us": times,
        "least_us": [round(1e6 * best_at(loops, number), 3) for number in numbers],
    }


def run_cells(declared: Mapping[str, Any], options: argparse.Namespace) -> None:
    """Run the cells that are not kept yet, and keep each at once."""
    data = Data(options.folder)
    peers = json.loads((options.folder / declared["best_known"]).read_text(encoding="utf-8"))
    start = time.monotonic()
    for cell in cells_of(declared, platforms()):
        is_wanted = cell.collective in (options.collective or [cell.collective])
        is_wanted = is_wanted and cell.place.peer in (options.peer or [cell.place.peer])
        if not is_wanted or data.has(cell.key):
            continue
        if options.minutes and time.monotonic() - start > 60 * options.minutes:
            say("the time is over; the same command goes on")
            break
        begin = time.monotonic()
        choice = best_known(cell, peers)
        try:
            ran, learned = run_cell(cell, choice)
        except Error as error:
            say(f"missing: {cell.key}: {error}")
            continue
        data.keep(row_of(cell, choice, ran, learned, declared))
        say(f"{cell.key}: {learned}, {time.monotonic() - begin:.1f} s")
        note_date(options.folder, STUDY)


def run_startup(declared: Mapping[str, Any], folder: Path) -> None:
    """Time MPI_Init alone, with statistics, and with learning as well."""
    chosen = declared["startup"]
    rows = []
    for place in places_of(chosen, platforms()):
        ways = {"statistics": NATIVE, "learning": Settings(learns=True, memory="off")}
        for name, settings in ways.items():
            ran = run_loop(place, ("barrier", 0, 1), settings)
            row = {"num_ranks": place.num_ranks, "peer": place.peer, "with": name}
            rows.append(row | {"us": round(1e6 * ran.init_seconds, 3)})
            say(f"MPI_Init, {place.num_ranks} ranks, {place.peer}, {name}: {rows[-1]['us']} us")
    Data(folder).keep_startup(rows)
    note_date(folder, STUDY)


def say(line: str) -> None:
    """Tell how it goes."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201


def main() -> None:
    """Parse the command line."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("cells", "startup"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--collective", action="append")
    parser.add_argument("--peer", action="append")
    parser.add_argument("--minutes", type=float)
    options = parser.parse_args()
    if options.task == "cells":
        run_cells(declared, options)
    else:
        run_startup(declared, options.folder)


if __name__ == "__main__":
    main()
