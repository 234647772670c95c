# SPDX-License-Identifier: Apache-2.0
"""Starting the user's command with Espalier under it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from espalier import _core, installation
from espalier.base import calls
from espalier.errors import ArgumentError, EnvironmentFault, MpiError, NotBuiltError
from espalier.launch import programs, root
from espalier.launch.command import parse_command
from espalier.launch.environment import Start, with_environment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.launch.command import LaunchCommand

NATIVE = "native"
OFF = "ESPALIER_OFF"
FORCE = "ESPALIER_FORCE"
MAPPING = "ESPALIER_MAPPING"
WATCH = "ESPALIER_WATCH"
PROGRAM = "ESPALIER_PROGRAM"
_ARGUMENTS = re.compile(r"\[[^]]*\]")


@dataclass(frozen=True)
class Settings:
    """What the preloaded library is told; see DESIGN.md."""

    profile: Path | None = None
    force: str = ""
    statistics: Path | None = None
    maps: bool = False
    machine: str = ""
    watch: str = ""
    learns: bool | None = None  # None: as the environment says, or else it does
    is_expected: bool = False  # to call MPI_Init; a program that does not is told
    memory: str = ""
    traffic: Path | None = None  # where ranks write what they sent, if it is counted

    def variables(self) -> dict[str, str]:
        """Return the settings as environment variables."""
        variables = {FORCE: self.force} if self.force else {}
        if self.profile is not None:
            variables["ESPALIER_PROFILE"] = str(self.profile.resolve())
        if self.statistics is not None:
            variables["ESPALIER_STATISTICS"] = str(self.statistics.resolve())
        if self.maps:
            variables[MAPPING] = "on"
        if self.machine:
            variables["ESPALIER_MACHINE"] = self.machine
        if self.watch:
            variables[WATCH] = self.watch
        if self.learns is not None:
            variables["ESPALIER_LEARN"] = "on" if self.learns else "off"
        if self.memory:
            variables["ESPALIER_MEMORY"] = self.memory
        if self.traffic is not None:
            variables["ESPALIER_TRAFFIC"] = str(self.traffic.resolve())
        return variables


@dataclass(frozen=True)
class Target:
    """A command that can be started with and without Espalier.

    `why` says what the library was chosen by. With an obstacle there is no library, and the command
    runs as the user gave it.
    """

    command: LaunchCommand
    vendor: str
    library: Path
    why: str = ""
    obstacle: str = ""

    def plain(self) -> Start:
        """Return how to start the command as the user gave it."""
        return Start(self.command.words(), {})

    def preloaded(self, settings: Settings) -> Start:
        """Return how to start the command with Espalier in its ranks.

        Raises:
            EnvironmentFault: the dynamic linker cannot be told where the library is.
            NotBuiltError: traffic is to be counted, and the library for it was not built.
        """
        if self.obstacle:
            return self.plain()
        libraries = [self.library]
        if settings.traffic is not None:
            # In front: it sees the calls of the program before anything serves them.
            libraries.insert(0, _traffic_library(self.vendor))
        for library in libraries:
            if obstacle := installation.preload_obstacle(library):
                raise EnvironmentFault(obstacle, installation.MOVE)
        preloaded = ":".join(map(str, libraries))
        variables = {"LD_PRELOAD": preloaded, **settings.variables()}
        if settings.is_expected and (path := programs.binary_of(self.command)):
            variables[PROGRAM] = str(path)
        return with_environment(self.command, variables)


def find_target(words: Sequence[str], vendor: str | None, *, or_native: bool = False) -> Target:
    """Understand a command, and find the library that goes under it.

    With `or_native` a program that nothing can be preloaded into is a target, too.

    Raises:
        ArgumentError: no launcher or no program.
        MpiError: a launcher that is missing, refuses root, or belongs to another MPI; a program
            that nothing can be preloaded into.
        NotBuiltError: Espalier was not built for this MPI.
    """
    command = parse_command(words)
    if not command.program and not command.doubt:
        raise ArgumentError(
            f"expected a program behind the launcher options, got '{command.text()}'",
            "as in: -- mpirun -n 4 ./program",
        )
    root.check_permission(command)
    inspected = [programs.inspect(part.program[0]) for part in command.parts if part.program]
    program = inspected[0] if inspected and command.program else None
    if obstacle := programs.obstacle_of(inspected):
        if not or_native:
            raise MpiError(obstacle)
        return Target(command, "", Path(), obstacle=obstacle)
    why = f"--mpi {vendor} says so" if vendor else programs.why_chosen(command, program)
    vendor = check_vendor(vendor) or programs.choose_vendor(command, program)
    preloaded = programs.preloaded_for(vendor, program)
    library = installation.shim_library(preloaded)
    if library is None:
        advice = "run make build on a machine with this MPI"
        if preloaded == programs.STANDARD:
            advice = "make standard-abi builds it, and wheels have it"
        raise NotBuiltError(
            f"expected libespalier-{preloaded}.so, found none in"
            f" {installation.build_folder() or installation.package}",
            advice,
        )
    return Target(command, vendor, library, why)


def _traffic_library(vendor: str) -> Path:
    library = installation.traffic_library(vendor)
    if library is None:
        raise NotBuiltError(
            f"expected libespalier-traffic-{vendor}.so, found none", "run make build again"
        )
    return library


def check_vendor(vendor: str | None) -> str | None:
    """Return a vendor that the user named.

    Raises:
        ArgumentError: it is not known.
    """
    if vendor is not None and vendor not in installation.vendors:
        known = " or ".join(installation.vendors)
        raise ArgumentError(f"expected --mpi {known}, got '{vendor}'")
    return vendor


def parse_force(entries: Sequence[str]) -> str:
    """Return the value of ESPALIER_FORCE for `allgather=bruck`, `bcast=k_nomial[k=4]`, ...

    Raises:
        ArgumentError: an entry names no call or no algorithm of it.
    """
    parts = [part for entry in entries for part in entry.split(";") if part]
    for part in parts:
        if "," in _ARGUMENTS.sub("", part):
            raise ArgumentError(
                f"expected one call=algorithm, got '{part}'",
                "separate several by ';', or give each a --force of its own",
            )
        call, equals, choice = part.partition("=")
        if equals and call in calls.in_all_forms(_core.neighbor_calls()):
            if choice != NATIVE:
                _core.check_neighbor_choice(call, choice)
            continue
        if not equals or call not in calls.with_persistent(_core.calls()):
            known = ", ".join([*_core.calls(), *_core.neighbor_calls()])
            raise ArgumentError(
                f"expected call=algorithm with a call of {known}, got '{part}'",
                "as in --force allgather=bruck",
            )
        if choice != NATIVE:
            # Calls share algorithms: allgatherv=bruck is allgather/bruck.
            collective = _core.collective_of(call)
            _core.canonical(f"{collective}/{choice.removeprefix(f'{collective}/')}")
    return ";".join(parts)


def watch_after(seconds: float, command: LaunchCommand) -> str:
    """Return the value of ESPALIER_WATCH for this time, nothing if the user has set another."""
    is_set = WATCH in os.environ or any(word.startswith(WATCH) for word in command.options)
    return "" if is_set else f"{max(1, round(1000 * seconds))}ms"


def all_native() -> str:
    """Return the value of ESPALIER_FORCE that leaves every call to the MPI library."""
    return ";".join(f"{call}={NATIVE}" for call in [*_core.calls(), *_core.neighbor_calls()])
