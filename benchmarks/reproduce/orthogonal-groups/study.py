#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure all layouts of orthogonal groups in simulation.

Usage: study.py TIMES.csv [--platform NAME ...]. It needs SimGrid and espalier-measure-smpi, and
goes on where the file ends. benchmarks/pages.py writes the page about the times.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

import group_layouts as layouts  # noqa: E402
from simulated_times import (  # noqa: E402
    NATIVE,
    Limits,
    Place,
    Time,
    measure_times,
    read_times,
    run_study,
    write_times,
)

from espalier.sampling.candidates import real_size  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping

_EACH_HAS_ALL = {"bcast", "reduce", "allreduce"}


def choices_for(declared: Mapping[str, Any], operation: str, num_ranks: int) -> list[str]:
    """Return for each schedule of the phases `like` and all layouts."""
    names = layouts.two_factor_layouts(num_ranks)
    names += layouts.three_factor_layouts(declared["three_phases"], operation, num_ranks)
    phases = next(one["phases"] for one in declared["operations"] if one["name"] == operation)
    return [
        choice
        for phase in phases
        for choice in (
            f"{operation}/{phase}",
            *(layouts.choice_of(operation, name, phase) for name in names),
        )
    ]


def sizes_of(declared: Mapping[str, Any], operation: str, num_ranks: int) -> list[int]:
    """Return the bytes of whole results."""
    factor = 1 if operation in _EACH_HAS_ALL else num_ranks
    sizes = [size * factor for size in declared["sizes"]]
    most = declared["most_result_bytes"]
    return [real_size(operation, size, num_ranks) for size in sizes if size <= most]


def measure(declared: Mapping[str, Any], names: list[str], path: Path) -> None:
    """Measure what is not in the file; it grows, so that nothing is lost."""
    times = read_times(path) if path.exists() else []
    for platform in declared["platforms"]:
        if names and platform["name"] not in names:
            continue
        for ranks, machine in platform["machines"].items():
            place = Place(platform["name"], machine, int(ranks), platform["placement"])
            for operation in declared["operations"]:
                times += measure_operation(declared, place, operation["name"], times)
                write_times(times, path)


def measure_operation(
    declared: Mapping[str, Any], place: Place, operation: str, known: list[Time]
) -> list[Time]:
    """Measure what is not known."""
    here = {
        (one.num_bytes, one.name)
        for one in known
        if (one.platform, one.num_ranks, one.operation)
        == (place.platform, place.num_ranks, operation)
    }
    sizes = sizes_of(declared, operation, place.num_ranks)
    wanted = choices_for(declared, operation, place.num_ranks)
    new = {size: [one for one in wanted if (size, one) not in here] for size in sizes}
    peers = [
        peer
        for peer in declared["peers"]
        if any((size, f"{NATIVE}{peer}") not in here for size in sizes)
    ]
    if not any(new.values()) and not peers:
        return []
    limits = Limits(peers, declared["seconds"])
    found, missing = measure_times(place, operation, new, limits)
    for line in missing:
        print(f"missing: {line}", file=sys.stderr)  # noqa: T201
    return [one for one in found if (one.num_bytes, one.name) not in here]


def main() -> None:
    """Parse the command line."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    run_study(declared, __doc__, "platform", measure)


if __name__ == "__main__":
    main()
