# SPDX-License-Identifier: Apache-2.0
"""The declared part of the cells in SimGrid, by the measuring program."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from declared import MAPPINGS, Cell
from distributions import block_bytes
from replaying import accepted

from espalier import installation
from espalier.clusters.simulated import SimulatedCluster
from espalier.errors import NotBuiltError
from espalier.io.console import document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from declared import Battery
    from results import Results, Times

# What the library's own call does is not looked at; these are quick to simulate.
_NATIVE = ("smpi/allgather:bruck", "smpi/allgatherv:ompi_bruck")


def sampled_cells(battery: Battery) -> Iterator[list[Cell]]:
    """Return the cells that one start of the simulator measures, start by start."""
    for num_ranks, mapping in itertools.product(battery.sampled_ranks, MAPPINGS):
        cells = [
            Cell(battery.name, num_ranks, size, mapping)
            for size in battery.sampled_sizes
            if num_ranks * sum(block_bytes(battery.distribution, num_ranks, size))
            <= battery.most_bytes
        ]
        if cells:
            yield cells


def simulate_battery(battery: Battery, results: Results, seconds: float) -> list[Cell]:
    """Simulate what is not there yet; return the cells that a start did not get to.

    Args:
        battery: What.
        results: Where finished cells go.
        seconds: A start of the simulator is ended after this time.
    """
    left = []
    for cells in sampled_cells(battery):
        missing = [cell for cell in cells if cell not in results.times]
        if missing:
            _measure(battery, missing, results, seconds)
        left += [cell for cell in missing if cell not in results.times]
    return left


def _measure(battery: Battery, cells: Sequence[Cell], results: Results, seconds: float) -> None:
    """Start the simulator once, and keep the cells it finished."""
    num_ranks, mapping = cells[0].num_ranks, cells[0].mapping
    placement = battery.system.placement(mapping, num_ranks)
    with (
        tempfile.TemporaryDirectory(prefix="espalier-sparbit-") as name,
        SimulatedCluster(battery.system.machine, num_ranks, placement=placement) as cluster,
    ):
        folder = Path(name)
        (folder / "plan.json").write_text(json.dumps(_plan(battery, cells)), encoding="utf-8")
        words = [*cluster.frugal_words(_program(), _NATIVE), str(_program())]
        words += ["--plan", str(folder / "plan.json"), "--output", str(folder / "samples.jsonl")]
        spent = _run(words, folder / "errors.txt", seconds)
        found = dict(_times(battery, folder / "samples.jsonl"))
        for index, times in found.items():
            results.add(cells[index], times, spent / len(found))
        if len(found) < len(cells):
            errors = (folder / "errors.txt").read_text(encoding="utf-8", errors="replace")
            print("\n".join([f"{num_ranks} ranks, {mapping}: not finished", errors[:300]]))  # noqa: T201


def _plan(battery: Battery, cells: Sequence[Cell]) -> dict[str, Any]:
    num_ranks = cells[0].num_ranks
    names = [f"allgather/{name}" for name in accepted(battery, num_ranks)]
    points = []
    for cell in cells:
        blocks = block_bytes(battery.distribution, num_ranks, cell.size)
        point = {"collective": battery.collective, "bytes": sum(blocks), "algorithms": names}
        parts = {"part_bytes": blocks} if battery.collective == "allgatherv" else {}
        points.append(point | parts)
    return document(
        "espalier-measurement-plan",
        1,
        seed=1,
        warmup=0,
        min_repetitions=1,
        max_repetitions=1,
        seconds_per_point=1e9,
        seconds=1e9,
        spread=True,
        points=points,
    )


def _run(words: Sequence[str], errors: Path, seconds: float) -> float:
    """Return the processor time of a start; it is ended with all its processes if it takes long."""
    before = os.times()
    with errors.open("wb") as file:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True
        )
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            file.write(f"ended after {seconds:g} s\n".encode())
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


def _times(battery: Battery, path: Path) -> Iterator[tuple[int, Times]]:
    """Return the times of each finished point."""
    slowest: dict[str, list[float]] = {}
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    for line in text.rpartition("\n")[0].splitlines():
        found = json.loads(line)
        if found["kind"] == "point":
            slowest = found["samples_us"]
        elif found["kind"] == "spread":
            yield (
                found["index"],
                {
                    name: (
                        found["fastest_us"][f"allgather/{name}"][0],
                        found["mean_us"][f"allgather/{name}"][0],
                        slowest[f"allgather/{name}"][0],
                    )
                    for name in battery.algorithms
                    if f"allgather/{name}" in slowest
                },
            )


def _program() -> Path:
    program = installation.measurement_program("smpi")
    if program is None:
        raise NotBuiltError(
            "expected the program espalier-measure-smpi, found none",
            "install SimGrid (Debian: libsimgrid-dev), then run make build",
        )
    return program
