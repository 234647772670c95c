#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201
"""Repeat the study of Sparbit on simulated clusters, beside what is published.

    study.py replay      all cells by the replay model
    study.py catalog     the best of the rest of the catalog, in the declared part of the cells
    study.py simulate    the declared part of the cells in SimGrid
    study.py page        docs/benchmarks/sparbit.md and its figures from what there is

Results go to a folder, cell by cell; what is there is not done again. Needs the package on the path
and, to simulate, SimGrid and espalier-measure-smpi.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import figures
from contests import UNITED
from declared import FOLDER, MAPPINGS, batteries
from page import page
from replaying import best_of_catalog, replay_battery
from results import Results
from simulating import simulate_battery
from tables import Findings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from declared import Battery

_ROOT = FOLDER.parents[2]


def work(step: str, battery: Battery, results: Results, seconds: float) -> None:
    """Do one step for a battery and say what it took."""
    start = time.monotonic()
    before = len(results.times)
    left = 0
    if step == "replay":
        replay_battery(battery, results)
    elif step == "catalog":
        best_of_catalog(battery, results)
    else:
        left = len(simulate_battery(battery, results, seconds))
    took = time.monotonic() - start
    print(
        f"{step} {battery.name}: {len(results.times) - before} new cells in {took:.0f} s"
        + (f", {left} not finished" if left else ""),
        file=sys.stderr,
        flush=True,
    )


def write_page(names: Sequence[str], results: Path, folder: Path) -> None:
    """Write the page and its figures."""
    findings = [
        Findings(
            battery=batteries()[name],
            replayed=Results(results / f"replay-{name}.jsonl"),
            simulated=Results(results / f"simulate-{name}.jsonl"),
            catalog=Results(results / f"catalog-{name}.jsonl"),
        )
        for name in names
    ]
    drawings = folder / "figures"
    drawings.mkdir(parents=True, exist_ok=True)
    today = datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat()
    (folder / "sparbit.md").write_text(page(findings, today), encoding="utf-8")
    known = [found for found in findings if found.replayed.times]
    gathers = [found for found in known if found.battery.collective == "allgather"]
    vectors = [found for found in known if found.battery.collective == "allgatherv"]
    for found in gathers:
        path = drawings / f"sparbit-{found.battery.name}.svg"
        figures.draw_winners(figures.mapping_panels(found), path)
    if vectors:
        panels = [figures.united_panel(found) for found in vectors]
        figures.draw_winners(panels, drawings / "sparbit-allgatherv.svg")
    figures.draw_improvements(
        [
            *((found, mapping) for found in gathers for mapping in (*MAPPINGS, UNITED)),
            *((found, UNITED) for found in vectors),
        ],
        drawings / "sparbit-improvements.svg",
    )


def main() -> None:
    """Parse the command line and do one step."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("replay", "catalog", "simulate", "page"))
    parser.add_argument("--battery", action="append", choices=tuple(batteries()))
    parser.add_argument("--results", type=Path, default=_ROOT / "build" / "sparbit")
    parser.add_argument("--page", type=Path, default=_ROOT / "docs" / "benchmarks")
    parser.add_argument(
        "--seconds", type=float, default=600, help="most for a start of the simulator"
    )
    options = parser.parse_args()
    if options.step == "page":
        write_page(tuple(batteries()), options.results, options.page)
        return
    for name in options.battery or batteries():
        results = Results(options.results / f"{options.step}-{name}.jsonl")
        work(options.step, batteries()[name], results, options.seconds)


if __name__ == "__main__":
    main()
