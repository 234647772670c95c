#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201
"""Repeat the published table of weighted Cartesian grids in simulation, beside what is published.

Usage: tables.py [--nodes 8] [--nodes 64] [--output FOLDER]. Needs SimGrid, espalier-halo-smpi, and
the package on the path. Prints Markdown; FOLDER gets the documents of `espalier halo`.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

from espalier.base.units import bytes_text
from espalier.halo import measurement, outcome
from espalier.io.console import json_text
from espalier.report.halo import dims_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FOLDER = Path(__file__).resolve().parent
RANKS_PER_NODE = 24


def simulate(experiment: Mapping[str, Any], nodes: int) -> dict[str, Any]:
    """Run the input on a machine of some nodes, and return the document."""
    given = measurement.read_input(FOLDER / experiment["input"])
    machine = experiment["machine"].format(nodes=nodes, rate=experiment["rate"])
    start = time.monotonic()
    measured = measurement.simulate(machine, "block", nodes * RANKS_PER_NODE, given)
    print(f"{nodes} nodes: {time.monotonic() - start:.0f} s", file=sys.stderr)
    if measured.cause is not None:
        raise measured.cause
    source = {"kind": "simulated", "text": machine, "placement": "block"}
    command = f"espalier halo {given.name} --machine '{machine}'"
    return outcome.conclude(given, source, measured, command)


def print_largest(published: Sequence[Mapping[str, Any]], documents: Mapping[int, Any]) -> None:
    """Print milliseconds and percents of the largest halos, ours and theirs."""
    print(
        "| grid | nodes | method | ms | published | percent | published | processes | published |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for row in published:
        if row["nodes"] in documents:
            print_row(row, group_of(documents[row["nodes"]], row["grid"]))


def print_row(row: Mapping[str, Any], group: Mapping[str, Any]) -> None:
    """Print the three methods of a grid."""
    for place, case in enumerate(group["sizes"][-1]["cases"]):
        made = group["cases"][place]
        dims = dims_text(made["dims"], made["levels"]["dims_ml"])
        their_dims = row["dims"][place]
        same = "the same" if dims == their_dims else their_dims or "-"
        theirs = f"{row['ms'][place]:.1f}" if row["ms"][place] else "-"
        print(
            f"| {'x'.join(map(str, row['grid']))} | {row['nodes']} | {made['method']}"
            f" | {case['median_us'] / 1000:.1f} | {theirs}"
            f" | {100 * case['relative']:.0f} | {row['percent'][place]} | {dims} | {same} |"
        )


def group_of(document: Mapping[str, Any], grid: Sequence[int]) -> dict[str, Any]:
    """Return the group of a grid."""
    group: dict[str, Any] = next(one for one in document["groups"] if one["grid"] == list(grid))
    return group


def print_sizes(documents: Mapping[int, Any]) -> None:
    """Print milliseconds, and percents of method 1, of all sizes."""
    print("\n| grid | nodes | halo | method 1 | 2 | 3 |\n|---|---|---|---|---|---|")
    for nodes, document in documents.items():
        for group in document["groups"]:
            for size in group["sizes"]:
                cases = size["cases"]
                cells = [
                    f"{case['median_us'] / 1000:.3g} ms ({100 * case['relative']:.0f} %)"
                    for case in cases
                ]
                halo = bytes_text(cases[0]["bytes"])
                grid = "x".join(map(str, group["grid"]))
                print(f"| {grid} | {nodes} | {halo} | {' | '.join(cells)} |")


def main() -> None:
    """Parse the command line, simulate, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, action="append", choices=(8, 64))
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    experiment = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    documents = {nodes: simulate(experiment, nodes) for nodes in options.nodes or [8, 64]}
    if options.output is not None:
        options.output.mkdir(parents=True, exist_ok=True)
        for nodes, document in documents.items():
            (options.output / f"halo-{nodes}.json").write_text(json_text(document) + "\n")
    print_largest(experiment["published"], documents)
    print_sizes(documents)


if __name__ == "__main__":
    main()
