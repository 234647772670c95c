#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201
"""Repeat the published tables of collectives along grids in simulation, beside what is published.

Usage: tables.py [--experiment NAME ...] [--output FOLDER]. Needs SimGrid, espalier-grid-smpi, and
the package on the path. Prints Markdown; FOLDER gets what was measured, one document for each size.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grid_outcome as outcome
import tomllib
from grid_measurement import plan_of, simulate

from espalier.io.console import json_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FOLDER = Path(__file__).resolve().parent
_NATIVE = ("bcast:scatter_LR_allgather", "gather:ompi_binomial", "scatter:ompi_binomial")


def points_of(experiment: Mapping[str, Any], grid: Sequence[int]) -> list[dict[str, Any]]:
    """Return a point for each collective."""
    ways: dict[str, list[str]] = {}
    for name in experiment["ms"]:
        collective, way = name.split()
        ways.setdefault(collective, []).append(way)
    return [
        {
            "grid": list(grid),
            "collective": collective,
            "bytes": experiment["mib"] << 20,
            "segment_bytes": experiment["segment_kib"] << 10,
            "ways": names,
            "trial_calls": experiment.get("trial_calls", 0),
        }
        for collective, names in ways.items()
    ]


def run(
    experiment: Mapping[str, Any], system: Mapping[str, Any], grid: Sequence[int]
) -> dict[str, Any]:
    """Simulate all collectives on a grid and return the document."""
    num_ranks = math.prod(grid)
    cores = system["node_cores"]
    machine = f"{num_ranks // cores}n[{system['node']}] x {cores}c[{system['core']}]"
    plan = plan_of(points_of(experiment, grid), seconds=1e9)
    start = time.monotonic()
    found = simulate(machine, num_ranks, plan, algorithms=_NATIVE)
    took = time.monotonic() - start
    print(f"{experiment['name']}, {num_ranks} ranks: {took:.0f} s", file=sys.stderr)
    if found.errors:
        raise SystemExit(f"expected no errors, got {found.errors}")
    return outcome.conclude(plan, machine, found)


def print_experiment(experiment: Mapping[str, Any], documents: Sequence[Mapping[str, Any]]) -> None:
    """Print a row for each collective and size."""
    print(
        f"\n**{experiment['name']}, {experiment['mib']} MiB**\n\n"
        "| collective | grid | standard ms | tiled ms | speed-up | published ms | speed-up |"
        " fastest mapping, its speed-up |\n|---|---|---|---|---|---|---|---|"
    )
    for name, published in experiment["ms"].items():
        for place, document in enumerate(documents):
            print_row(name, document, published[place], experiment, place)


def print_row(
    name: str,
    document: Mapping[str, Any],
    published: Sequence[float],
    experiment: Mapping[str, Any],
    place: int,
) -> None:
    """Print one size of one collective."""
    collective, way = name.split()
    standard = outcome.median_ms(document, collective, way, "identity")
    tiled = outcome.median_ms(document, collective, way, "tile")
    ranks = experiment.get("published_ranks")
    note = f" (p = {ranks[place]})" if ranks else ""
    best = outcome.trial_of(document, collective, way)
    found = f"{best['chosen']}, {best['gain']:.2f}" if best else "-"
    grid = "x".join(map(str, document["points"][0]["grid"]))
    print(
        f"| {way} {collective} | {grid} | {standard:.4g} | {tiled:.4g} | {standard / tiled:.2f}"
        f" | {published[0]:g} -> {published[1]:g}{note} | {published[0] / published[1]:.2f}"
        f" | {found} |"
    )


def write(document: Mapping[str, Any], name: str, folder: Path) -> None:
    """Write a document as soon as there is one: the next size takes long."""
    folder.mkdir(parents=True, exist_ok=True)
    ranks = math.prod(document["points"][0]["grid"])
    (folder / f"grid-{name}-{ranks}.json").write_text(json_text(document) + "\n")


def main() -> None:
    """Parse the command line, simulate, print."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    names = [experiment["name"] for experiment in declared["experiments"]]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiment", action="append", choices=names)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    for experiment in declared["experiments"]:
        if experiment["name"] not in (options.experiment or names):
            continue
        system = declared["systems"][experiment["system"]]
        documents = []
        for grid in experiment["grids"]:
            documents.append(run(experiment, system, grid))
            if options.output is not None:
                write(documents[-1], experiment["name"], options.output)
        print_experiment(experiment, documents)


if __name__ == "__main__":
    main()
