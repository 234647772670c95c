# SPDX-License-Identifier: Apache-2.0
"""Running espalier-halo-<vendor> once: an input file in, times out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier import _core, installation
from espalier.clusters import SimulatedCluster
from espalier.errors import MpiError
from espalier.io import documents
from espalier.io.names import printable
from espalier.launch import programs
from espalier.launch.command import parse_command
from espalier.launch.measuring import MeasuringProgram, temporary_folder
from espalier.launch.samples import Found, SampleReader, SampleWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from espalier.launch.command import LaunchCommand

_PATIENCE_SECONDS = 120.0
_SIMULATION_PATIENCE_SECONDS = 3600.0
# SimGrid's own allgather has each rank send to each other.
_SIMULATOR_SETTINGS = ("smpi/allgather:bruck",)


@dataclass(frozen=True)
class Input:
    """An input file that was read and is right."""

    name: str
    text: str
    content: Mapping[str, Any]

    @property
    def num_points(self) -> int:
        """Return how many sizes are measured, of all groups."""
        return len(self.content["groups"]) * len(self.content["factors"])


@dataclass
class Measured:
    """What one launch found; `cause` is what ended it early, with some sizes measured."""

    found: Found
    cause: BaseException | None = None


def read_input(path: Path) -> Input:
    """Read an input file.

    Raises:
        FileError: it cannot be read.
        FormatError: it is wrong, with the line.
    """
    text = documents.read_text(path)
    return Input(str(path), text, _core.halo_input(text, printable(path)))


def measure(
    command: LaunchCommand,
    vendor: str | None,
    given: Input,
    variables: Mapping[str, str] | None = None,
    on_size: Callable[[], None] = lambda: None,
) -> Measured:
    """Measure everything in one launch, so that all cases meet the same binding.

    Raises:
        NotBuiltError: there is no program for this MPI.
        MpiError: the launcher or the program failed, or nothing came for too long, before any
            size was measured.
    """
    name = vendor or programs.vendor_of(command)
    program = MeasuringProgram(installation.halo_program(name), f"espalier-halo-{name}", command)
    with temporary_folder() as folder:
        seconds = _PATIENCE_SECONDS + 10 * given.content["seconds"] / given.num_points
        if name == "smpi":
            seconds = _SIMULATION_PATIENCE_SECONDS
        reader = SampleReader(Path(folder) / "samples.jsonl", "espalier-halo")
        watch = SampleWatch(reader, seconds, on_size)
        measured = Measured(watch.reader.found)
        try:
            program.run(given.text, Path(folder), watch, variables)
        except (KeyboardInterrupt, SystemExit, MpiError) as error:
            if not measured.found.points:
                raise
            measured.cause = error
    return measured


def simulate(
    machine: str,
    placement: str,
    num_ranks: int,
    given: Input,
    on_size: Callable[[], None] = lambda: None,
) -> Measured:
    """Measure on a simulated machine, whose levels the program is told.

    Raises:
        MpiError: SimGrid is not installed, or the program failed.
        NotBuiltError: the program or our part of the simulator is not built.
    """
    with SimulatedCluster(machine, num_ranks, placement=placement) as cluster:
        words = cluster.frugal_words(installation.halo_program("smpi"), _SIMULATOR_SETTINGS)
        variables = {"ESPALIER_MACHINE": machine}
        return measure(parse_command(words), "smpi", given, variables, on_size)
