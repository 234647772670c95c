# SPDX-License-Identifier: Apache-2.0
"""`espalier halo`."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from espalier.cli import options
from espalier.cli.expansion import Repeat
from espalier.cli.groups import show_and_write
from espalier.cli.options import Json, JsonOutput, LauncherMpi, OptionalLauncher, Placement
from espalier.errors import ArgumentError
from espalier.halo import measurement, outcome
from espalier.halo.measurement import Input, Measured
from espalier.io import output_files
from espalier.io.console import json_text, progress
from espalier.launch.measuring import parse_launcher
from espalier.machines import machines
from espalier.report.halo import halo_report


@dataclass(frozen=True)
class Ranks:
    """Ranks that a launcher starts, or ranks of a simulated machine."""

    command: OptionalLauncher = None
    machine: Annotated[
        str | None,
        typer.Option("--machine", help="Simulate this machine instead: a text, or a file."),
    ] = None
    placement: Placement = None
    num_ranks: options.Ranks = None
    mpi: LauncherMpi = None

    def measure(self, given: Input) -> tuple[dict[str, Any], Measured]:
        """Return where the ranks were, and what was measured there."""
        if self.machine is not None:
            return _simulate(self.machine, self.placement, self.num_ranks, given)
        return _measure(self.command or [], self.mpi, given)

    def check(self) -> None:
        """Raise ArgumentError unless it is clear which ranks they are."""
        if bool(self.command) == (self.machine is not None):
            raise ArgumentError(
                "expected either --machine or a launcher, got"
                f" {'both' if self.command else 'neither'}",
                "as in: -- mpirun -n 4, or --machine '8n x 2s x 12c'",
            )


def _simulate(
    machine: str, placement: str | None, num_ranks: int | None, given: Input
) -> tuple[dict[str, Any], Measured]:
    described = machines.load(machine)
    name, count = machines.setting(described, placement, num_ranks)
    source = {"kind": "simulated", "text": machine, "placement": name}
    with progress("simulating", given.num_points) as bar:
        measured = measurement.simulate(machine, name, count, given, bar.advance)
    return source, measured


def _measure(command: list[str], mpi: str | None, given: Input) -> tuple[dict[str, Any], Measured]:
    launcher = parse_launcher(command)
    with progress("measuring", given.num_points) as bar:
        measured = measurement.measure(launcher, mpi, given, on_size=bar.advance)
    return {"kind": "measured", "text": shlex.join(command)}, measured


def halo(
    source: Annotated[
        Path,
        typer.Argument(metavar="INPUT", help="What to measure: docs/explanation/mapping/halo.md."),
    ],
    ranks: Ranks,
    repeat: Repeat,
    output: JsonOutput = None,
    json: Json = False,
) -> None:
    """Time halo exchanges on Cartesian communicators made in several ways.

    The ways of an input file take turns in one job; each is compared with the first one of the
    same grid. What arrives is checked before anything is timed. Ctrl-C keeps what was measured.
    """
    ranks.check()
    if output is not None:
        output_files.check_writable(output)
    given = measurement.read_input(source)
    origin, measured = ranks.measure(given)
    result = outcome.conclude(given, origin, measured, repeat.text())

    def write(path: Path) -> None:
        output_files.write_whole(
            path, json_text(result) + "\n", "the result", "choose another place with -o"
        )

    show_and_write(result, halo_report, output, write, json=json)
    if measured.cause is not None:
        raise measured.cause
