# SPDX-License-Identifier: Apache-2.0
"""Running espalier-grid-<vendor> once: a plan in, times out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier import installation
from espalier.clusters import SimulatedCluster
from espalier.launch.command import parse_command
from espalier.launch.measuring import MeasuringProgram, temporary_folder
from espalier.launch.samples import Found, SampleReader, SampleWatch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from espalier.launch.command import LaunchCommand

_PATIENCE_SECONDS = 120.0
_SIMULATION_PATIENCE_SECONDS = 3600.0


def grid_program(vendor: str) -> Path | None:
    """Return the program that times collectives along grids, None if it is not built."""
    folder = installation.build_folder()
    program = folder / "bin" / f"espalier-grid-{vendor}" if folder else None
    return program if program and program.is_file() else None


def plan_of(points: Sequence[Mapping[str, Any]], seconds: float = 60.0) -> dict[str, Any]:
    """Return a plan of points as the program reads it."""
    return {
        "schema": "espalier-grid-plan",
        "version": 1,
        "seconds": seconds,
        "points": [dict(point) for point in points],
    }


def measure(
    command: LaunchCommand,
    vendor: str,
    plan: Mapping[str, Any],
    variables: Mapping[str, str] | None = None,
) -> Found:
    """Measure all points of a plan in one launch.

    Raises:
        NotBuiltError: there is no program for this MPI.
        MpiError: the launcher or the program failed, or nothing came for too long.
    """
    program = MeasuringProgram(grid_program(vendor), f"espalier-grid-{vendor}", command)
    with temporary_folder() as folder:
        seconds = _PATIENCE_SECONDS + float(plan["seconds"])
        if vendor == "smpi":
            seconds = _SIMULATION_PATIENCE_SECONDS
        watch = SampleWatch(SampleReader(Path(folder) / "samples.jsonl", "espalier-grid"), seconds)
        program.run(plan, Path(folder), watch, variables)
    return watch.reader.found


def simulate(
    machine: str,
    num_ranks: int,
    plan: Mapping[str, Any],
    *,
    native: str = "ompi",
    algorithms: Sequence[str] = (),
) -> Found:
    """Measure on a simulated machine, filled node after node.

    Args:
        machine: its text or file.
        num_ranks: as many as the grids have positions.
        plan: as plan_of() returns it.
        native: whose choice of algorithms SimGrid's own collectives make: `ompi`, `mpich`, ...
        algorithms: what is fixed of it, such as `gather:ompi_binomial`.

    Raises:
        MpiError: SimGrid is not installed, or the program failed.
        NotBuiltError: the program or our part of the simulator is not built.
    """
    with SimulatedCluster(machine, num_ranks) as cluster:
        chosen = (f"coll-selector:{native}", *algorithms)
        words = cluster.frugal_words(grid_program("smpi"), [f"smpi/{one}" for one in chosen])
        return measure(parse_command(words), "smpi", plan, {"ESPALIER_MACHINE": machine})
