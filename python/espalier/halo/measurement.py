# SPDX-License-Identifier: Apache-2.0
"""Running espalier-halo-<vendor> once: an input file in, times out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier import _core, documents, installation
from espalier.clusters import SimulatedCluster
from espalier.errors import MpiError
from espalier.halo.samples import Found, HaloReader
from espalier.launch import programs
from espalier.launch.command import parse_command
from espalier.launch.measuring import MeasuringProgram, Patience, temporary_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from espalier.launch.command import LaunchCommand

_PATIENCE_SECONDS = 120.0
_SIMULATION_PATIENCE_SECONDS = 3600.0
# All simulated messages are the same pages, mapped in pieces of this size: with SimGrid's own 1 MiB
# thousands of ranks need more mappings than the kernel permits. Its own allgather has each rank
# send to each other.
_SIMULATOR_SETTINGS = ("smpi/shared-malloc-blocksize:67108864", "smpi/allgather:bruck")
# Each simulated rank has a copy of the program, in a file until it is loaded.
_MEMORY_FILES = Path("/dev/shm")  # noqa: S108 - the simulator makes the names


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
    return Input(str(path), text, _core.halo_input(text, str(path)))


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
        watch = _Watch(HaloReader(Path(folder) / "samples.jsonl"), seconds, on_size)
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
        words = [*cluster.launcher_words(), *(f"--cfg={one}" for one in _SIMULATOR_SETTINGS)]
        if _MEMORY_FILES.is_dir():
            words = ["env", f"TMPDIR={_MEMORY_FILES}", *words]
        variables = {"ESPALIER_MACHINE": machine}
        return measure(parse_command(words), "smpi", given, variables, on_size)


class _Watch:
    """Reads what comes, and loses patience when nothing does."""

    def __init__(self, reader: HaloReader, seconds: float, on_size: Callable[[], None]) -> None:
        self.reader = reader
        self._on_size = on_size
        self._patience = Patience("a measured size", seconds)

    @property
    def is_complete(self) -> bool:
        return self.reader.is_complete

    def look(self) -> None:
        for _ in range(self.reader.read_new()):
            self._patience.renew()
            self._on_size()
        self._patience.check()
