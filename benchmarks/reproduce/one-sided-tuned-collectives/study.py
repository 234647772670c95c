#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure trees and exchanges of all radices in simulation.

Usage: study.py TIMES.csv [--machine NAME ...]. It needs SimGrid and espalier-measure-smpi, and goes
on where the file ends. benchmarks/pages.py writes the page about the times.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

import radix_candidates as candidates  # noqa: E402
from simulated_times import (  # noqa: E402
    Limits,
    Place,
    measure_times,
    read_times,
    run_study,
    write_times,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# The first dimension of a torus varies fastest, the last one of a fork tree.
FORK = "bcast/fork[dims={}]"


def launches(declared: Mapping[str, Any], name: str) -> Iterator[tuple[Place, str, dict[int, Any]]]:
    """Return place, operation and choices by size of each launch on a machine."""
    fork = declared["fork"]
    if fork["machine"] == name:
        extents = declared["machines"][name]["dims"][str(fork["ranks"])].split("x")
        choices = [
            *candidates.trees("bcast", fork["ranks"]),
            FORK.format("x".join(reversed(extents))),
        ]
        place, operation, sizes = _launch(declared, name, {**fork, "operation": "bcast"}, choices)
        yield Place(f"{name} fork", place.machine, place.num_ranks), operation, sizes
    for entry in declared["trees"]:
        choices = candidates.trees(entry["operation"], entry["ranks"])
        yield _launch(declared, name, entry, choices)
    for entry in declared["exchanges"]:
        yield _launch(declared, name, entry, entry["algorithms"])


def _launch(
    declared: Mapping[str, Any], name: str, entry: Mapping[str, Any], choices: list[str]
) -> tuple[Place, str, dict[int, Any]]:
    ranks, operation = entry["ranks"], entry["operation"]
    place = Place(name, candidates.machine_text(declared, name, ranks), ranks)
    sizes = [candidates.result_bytes(operation, size, ranks) for size in entry["sizes"]]
    return place, operation, dict.fromkeys(sizes, choices)


def measure(declared: Mapping[str, Any], names: list[str], path: Path) -> None:
    """Measure what has no times in the file, which grows."""
    times = read_times(path) if path.exists() else []
    limits = Limits(declared["peers"], declared["seconds"])
    for name in names or declared["machines"]:
        for place, operation, choices_of_size in launches(declared, name):
            if any((one.platform, one.operation) == (place.platform, operation) for one in times):
                continue
            is_fork = place.platform != name
            chosen = Limits((), limits.seconds) if is_fork else limits
            found, missing = measure_times(place, operation, choices_of_size, chosen)
            times += found
            for line in missing:
                print(f"missing: {line}", file=sys.stderr)  # noqa: T201
            write_times(times, path)


def main() -> None:
    """Parse the command line."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    run_study(declared, __doc__, "machine", measure)


if __name__ == "__main__":
    main()
