#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201
"""Repeat the study of Sparbit on simulated clusters, beside what is published.

    study.py replay      all cells by the replay model
    study.py catalog     the best of the rest of the catalog, in the declared part of the cells
    study.py simulate    the declared part of the cells in SimGrid
    study.py keep        what the page is made from, docs/benchmarks/data, from what there is

Results go to a folder, cell by cell; what is there is not done again. benchmarks/pages.py writes
the page. Needs the package on the path
and, to simulate, SimGrid and espalier-measure-smpi.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from declared import FOLDER, batteries

sys.path.insert(0, str(FOLDER.parent))

from outcomes import write_outcomes
from page import OUTCOMES, ROWS, STUDY
from replaying import best_of_catalog, replay_battery
from results import Results
from simulated_times import note_date
from simulating import simulate_battery
from summary import summary
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


def keep(names: Sequence[str], results: Path, data: Path) -> None:
    """Write the rows of the tables, and what the figures are drawn from."""
    findings = [
        Findings(
            battery=batteries()[name],
            replayed=Results(results / f"replay-{name}.jsonl"),
            simulated=Results(results / f"simulate-{name}.jsonl"),
            catalog=Results(results / f"catalog-{name}.jsonl"),
        )
        for name in names
    ]
    rows = json.dumps(summary(findings), indent=1, ensure_ascii=False) + "\n"
    (data / ROWS).write_text(rows, encoding="utf-8")
    write_outcomes(findings, data / OUTCOMES)
    note_date(data, STUDY)


def main() -> None:
    """Parse the command line and do one step."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("replay", "catalog", "simulate", "keep"))
    parser.add_argument("--battery", action="append", choices=tuple(batteries()))
    parser.add_argument("--results", type=Path, default=_ROOT / "build" / "sparbit")
    parser.add_argument("--data", type=Path, default=_ROOT / "docs" / "benchmarks" / "data")
    parser.add_argument(
        "--seconds", type=float, default=600, help="most for a start of the simulator"
    )
    options = parser.parse_args()
    if options.step == "keep":
        keep(tuple(batteries()), options.results, options.data)
        return
    for name in options.battery or batteries():
        results = Results(options.results / f"{options.step}-{name}.jsonl")
        work(options.step, batteries()[name], results, options.seconds)


if __name__ == "__main__":
    main()
