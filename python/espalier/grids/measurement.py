# SPDX-License-Identifier: Apache-2.0
"""Running espalier-grid-<vendor> once: a plan in, times out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier import installation
from espalier.clusters import SimulatedCluster
from espalier.grids.samples import Found, GridReader
from espalier.launch.command import parse_command
from espalier.launch.measuring import MeasuringProgram, Patience, temporary_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from espalier.launch.command import LaunchCommand

_PATIENCE_SECONDS = 120.0
_SIMULATION_PATIENCE_SECONDS = 3600.0
# All simulated messages are the same pages; pieces of SimGrid's own size would be too many.
_SHARED_PAGES = "smpi/shared-malloc-blocksize:67108864"
# Each simulated rank has a copy of the program, in a file until it is loaded.
_MEMORY_FILES = Path("/dev/shm")  # noqa: S108 - the simulator makes the names


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
    program = MeasuringProgram(
        installation.grid_program(vendor), f"espalier-grid-{vendor}", command
    )
    with temporary_folder() as folder:
        seconds = _PATIENCE_SECONDS + float(plan["seconds"])
        if vendor == "smpi":
            seconds = _SIMULATION_PATIENCE_SECONDS
        watch = _Watch(GridReader(Path(folder) / "samples.jsonl"), seconds)
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
        settings = (_SHARED_PAGES, *(f"smpi/{one}" for one in chosen))
        words = [*cluster.launcher_words(), *(f"--cfg={one}" for one in settings)]
        if _MEMORY_FILES.is_dir():
            words = ["env", f"TMPDIR={_MEMORY_FILES}", *words]
        return measure(parse_command(words), "smpi", plan, {"ESPALIER_MACHINE": machine})


class _Watch:
    """Reads what comes, and loses patience when nothing does."""

    def __init__(self, reader: GridReader, seconds: float) -> None:
        self.reader = reader
        self._patience = Patience("a measured point", seconds)

    @property
    def is_complete(self) -> bool:
        return self.reader.is_complete

    def look(self) -> None:
        for _ in range(self.reader.read_new()):
            self._patience.renew()
        self._patience.check()
