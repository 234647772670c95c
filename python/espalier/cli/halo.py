# SPDX-License-Identifier: Apache-2.0
"""`espalier halo`."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from espalier.cli.options import Json
from espalier.errors import ArgumentError
from espalier.halo import measurement, outcome
from espalier.halo.measurement import Input, Measured
from espalier.io import output_files
from espalier.io.console import emit_json, json_text, progress, say
from espalier.launch.measuring import parse_launcher
from espalier.machines import machines
from espalier.report.content import print_report
from espalier.report.halo import halo_report


def _check_sources(command: list[str] | None, machine: str | None) -> None:
    if bool(command) == (machine is not None):
        raise ArgumentError(
            f"expected either --machine or a launcher, got {'both' if command else 'neither'}",
            "as in: -- mpirun -n 4, or --machine '8n x 2s x 12c'",
        )


def _simulate(
    machine: str, placement: str, num_ranks: int | None, given: Input
) -> tuple[dict[str, Any], Measured]:
    described = machines.load(machine)
    name, count = machines.setting(described, placement or None, num_ranks)
    source = {"kind": "simulated", "text": machine, "placement": name}
    with progress("simulating", given.num_points) as bar:
        measured = measurement.simulate(machine, name, count, given, bar.advance)
    return source, measured


def _measure(command: list[str], mpi: str | None, given: Input) -> tuple[dict[str, Any], Measured]:
    launcher = parse_launcher(command)
    with progress("measuring", given.num_points) as bar:
        measured = measurement.measure(launcher, mpi, given, on_size=bar.advance)
    return {"kind": "measured", "text": shlex.join(command)}, measured


def halo(  # noqa: PLR0913, PLR0917 - one parameter an option
    source: Annotated[
        Path,
        typer.Argument(metavar="INPUT", help="What to measure: docs/explanation/mapping/halo.md."),
    ],
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- LAUNCHER OPTIONS]",
            help="How to start ranks, without a program: -- mpirun -n 8",
        ),
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option("--machine", help="Simulate this machine instead: a text, or a file."),
    ] = None,
    placement: Annotated[
        str,
        typer.Option(
            "--placement",
            help="Ranks on the simulated machine: block, cyclic, list:0,4,1,...",
            show_default="as the file says, else block",
        ),
    ] = "",
    num_ranks: Annotated[
        int | None,
        typer.Option("-p", "--ranks", min=1, help="Simulated ranks.", show_default="all cores"),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write JSON there too.")
    ] = None,
    mpi: Annotated[
        str | None, typer.Option("--mpi", help="openmpi or mpich, if the launcher does not say.")
    ] = None,
    json: Json = False,
) -> None:
    """Time halo exchanges on Cartesian communicators made in several ways.

    The ways of an input file take turns in one job; each is compared with the first one of the
    same grid. What arrives is checked before anything is timed. Ctrl-C keeps what was measured.
    """
    _check_sources(command, machine)
    if output is not None:
        output_files.check_writable(output)
    given = measurement.read_input(source)
    if machine is not None:
        origin, measured = _simulate(machine, placement, num_ranks, given)
    else:
        origin, measured = _measure(command or [], mpi, given)
    result = outcome.conclude(given, origin, measured, _repeat())
    if output is not None:
        output_files.write_whole(
            output, json_text(result) + "\n", "the result", "choose another place with -o"
        )
        say(f"wrote {output}")
    if json:
        emit_json(result)
    else:
        print_report(halo_report(result))
    if measured.cause is not None:
        raise measured.cause


def _repeat() -> str:
    words = sys.argv[1:]
    return shlex.join(
        ["espalier", *(words[words.index("halo") :] if "halo" in words else ["halo"])]
    )
