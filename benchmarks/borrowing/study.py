#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to borrow rules of another shape, by leaving shapes out, in simulation.

Usage: study.py FOLDER. It writes FOLDER/borrowing.json, a line for each cell, and goes on where it
ended; benchmarks/pages.py writes the page about them.
"""

from __future__ import annotations

import argparse
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

import borrowing_data  # noqa: E402
from leaving_out import Distance, Shape, chosen_in, lenders_of, shape_of  # noqa: E402
from simulated_times import note_date  # noqa: E402

from espalier import _core  # noqa: E402
from espalier.sampling.candidates import real_size  # noqa: E402
from espalier.sampling.samples import NATIVE, Request  # noqa: E402
from espalier.sampling.setting import Setting  # noqa: E402
from espalier.sampling.simulation import SimulatedJob, measure  # noqa: E402
from espalier.tuning.call_tuning import Shortlist  # noqa: E402
from espalier.tuning.modelled import predict  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STUDY = "borrowing"


def shapes_of(declared: Mapping[str, Any]) -> list[Shape]:
    """Return all shapes with two ranks or more, small ones first."""
    shapes = [Shape(nodes, cores) for nodes in declared["nodes"] for cores in declared["cores"]]
    return sorted(shapes, key=lambda shape: (shape.num_ranks, shape.num_nodes))


def setting_of(shape: Shape, declared: Mapping[str, Any]) -> Setting:
    """Return the machine of a shape, with a rank on each core."""
    machine = declared["machine"].format(nodes=shape.num_nodes, cores=shape.num_cores)
    return Setting(machine, "block", shape.num_ranks)


def run_shape(shape: Shape, declared: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the cells of a shape: native calls, and what a tuning would simulate."""
    setting = setting_of(shape, declared)
    shortlist = Shortlist(setting, most=declared["shortlist"], factor=declared["factor"])
    asked = {
        call: shortlist.of(call, [real_size(call, size, shape.num_ranks) for size in sizes])
        for call, sizes in ((call, declared["sizes"]) for call in declared["collectives"])
    }
    times = _times(
        setting, [(call, size, *names) for call in asked for size, names in asked[call].items()]
    )
    native = {
        peer: _native(setting, [(call, size) for call in asked for size in asked[call]], peer)
        for peer in declared["peers"]
    }
    cells = []
    for call, of_sizes in asked.items():
        for size in declared["sizes"]:
            real = real_size(call, size, shape.num_ranks)
            model = predict(setting, tuple(of_sizes[real]), [real], len(of_sizes[real]))[real]
            choices = {
                name: {"us": times[call, real, name], "model_us": round(1e6 * model[name], 4)}
                for name in of_sizes[real]
                if (call, real, name) in times
            }
            cells.append(
                {
                    "num_nodes": shape.num_nodes,
                    "num_cores": shape.num_cores,
                    "collective": call,
                    "bytes": size,
                    "native_us": {peer: native[peer][call, real] for peer in native},
                    "best_model_us": round(1e6 * min(model.values()), 4),
                    "choices": choices,
                }
            )
    return cells


def lend(cells: Sequence[dict[str, Any]], declared: Mapping[str, Any], shape: Shape) -> int:
    """Simulate on a shape what others choose; return how many choices were added."""
    own = [cell for cell in cells if shape_of(cell) == shape]
    setting = setting_of(shape, declared)
    wanted = []
    for cell in own:
        call = cell["collective"]
        names = {
            name
            for distance in declared["distance"]
            for lender in lenders_of(cell, cells, Distance.declared(distance))
            for peer in declared["peers"]
            if (name := chosen_in(lender, peer, declared["min_gain"])) != NATIVE
        }
        missing = [
            name
            for name in sorted(names - cell["choices"].keys())
            if not _core.call_refuses(call, name, shape.num_ranks)
        ]
        if missing:
            wanted.append((cell, real_size(call, cell["bytes"], shape.num_ranks), missing))
    times = _times(setting, [(cell["collective"], size, *names) for cell, size, names in wanted])
    for cell, size, names in wanted:
        model = predict(setting, tuple(names), [size], len(names))[size]
        for name in names:
            us = times.get((cell["collective"], size, name))
            if us is not None:
                model_us = round(1e6 * model[name], 4)
                cell["choices"][name] = {"us": us, "model_us": model_us, "lent": True}
    return len(times)


def _times(setting: Setting, asked: Sequence[tuple[Any, ...]]) -> dict[tuple[str, int, str], float]:
    """Return the times of (call, size, choices...), in microseconds."""
    requests = [
        Request(call, size, (name,), has_native=False)
        for call, size, *names in asked
        for name in names
    ]
    if not requests:
        return {}
    job = SimulatedJob(setting.machine, setting.placement, setting.num_ranks)
    launch = measure(job, requests)
    _complain(launch.failure, launch.problems)
    return {
        (point.collective, point.asked_bytes, name): round(samples[0], 4)
        for point in launch.points
        for name, samples in point.samples_us.items()
    }


def _native(
    setting: Setting, asked: Sequence[tuple[str, int]], peer: str
) -> dict[tuple[str, int], float]:
    requests = [Request(call, size, ()) for call, size in asked]
    job = SimulatedJob(setting.machine, setting.placement, setting.num_ranks, peer)
    launch = measure(job, requests)
    _complain(launch.failure, launch.problems)
    return {(one.collective, one.asked_bytes): round(one.native_us[0], 4) for one in launch.points}


def _complain(failure: str, problems: Sequence[object]) -> None:
    for text in (failure, *map(str, problems)):
        if text:
            say(f"missing: {text}")


def say(line: str) -> None:
    """Tell how it goes."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201


def main() -> None:
    """Parse the command line."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    path = folder / borrowing_data.FILE
    cells = borrowing_data.read(path)
    for shape in shapes_of(declared):
        if any(shape_of(cell) == shape for cell in cells):
            continue
        start = time.monotonic()
        cells += run_shape(shape, declared)
        borrowing_data.write(cells, path)
        say(f"{shape}: {time.monotonic() - start:.1f} s")
    for shape in shapes_of(declared):
        say(f"{shape}: {lend(cells, declared, shape)} borrowed choices")
        borrowing_data.write(cells, path)
    note_date(folder, STUDY)


if __name__ == "__main__":
    main()
