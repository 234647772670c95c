# SPDX-License-Identifier: Apache-2.0
"""`espalier compare`."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from espalier.base.durations import parse_seconds
from espalier.cli.options import Force, Json, MappedMachine, Maps, Mpi, ProfileFile
from espalier.compare import comparison
from espalier.compare.experiment import Design
from espalier.errors import ArgumentError
from espalier.io.console import emit_json, say
from espalier.launch import preload
from espalier.profiles import profiles
from espalier.report.compare import comparison_report
from espalier.report.content import check_path, print_report, write_report

_DEFAULT_PROFILE = Path("espalier-profile.json")


def _profile(named: Path | None, forced: str, *, maps: bool) -> Path | None:
    """Return the profile to compare with; unlike `run`, without a usable one there is no point."""
    path = named
    if path is None and not forced and _DEFAULT_PROFILE.exists():
        say(f"note: using {_DEFAULT_PROFILE}")
        path = _DEFAULT_PROFILE
    if path is None and not forced and not maps:
        raise ArgumentError(
            "expected a profile, a forced algorithm or mapping to compare with, got none of them",
            "make a profile with 'espalier tune', or try --force allgather=bruck",
        )
    if path is not None:
        profiles.read(path)
    return path


def compare(  # noqa: PLR0913, PLR0917 - one parameter an option
    command: Annotated[
        list[str],
        typer.Argument(metavar="-- COMMAND", help="The MPI program: -- mpirun -n 4 ./program"),
    ],
    profile: ProfileFile = None,
    force: Force = None,
    mapping: Maps = True,
    machine: MappedMachine = "",
    repetitions: Annotated[
        int, typer.Option("--repetitions", min=1, help="Blocks of three runs; 6 for 95 %.")
    ] = 7,
    time_budget: Annotated[
        str | None,
        typer.Option("--time-budget", metavar="TIME", help="Begin no block that ends later."),
    ] = None,
    timeout: Annotated[
        str | None,
        typer.Option("--timeout", metavar="TIME", help="End a run after it (10 times the first)."),
    ] = None,
    confidence: Annotated[
        float, typer.Option("--confidence", min=0.5, max=0.999, help="Of every interval.")
    ] = 0.95,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the order of the runs.")] = 1,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Report, .md or .html.")
    ] = None,
    mpi: Mpi = None,
    json: Json = False,
) -> None:
    """Run an MPI program with and without Espalier, in turns, and report what changed.

    The whole run, and each collective: calls, bytes, times, ratio with interval, what was chosen
    and why. Without a profile from 'espalier tune' or --force only mapping can change anything. If
    a run fails, the comparison ends with what it has and with the program's exit code. Input from a
    file (< FILE) is given to every run, other input to none.
    """
    if output is not None:
        check_path(output)
    forced = preload.parse_force(force or [])
    target = preload.find_target(command, mpi)
    design = Design(
        profile=_profile(profile, forced, maps=mapping),
        force=forced,
        maps=mapping,
        machine=machine,
        repetitions=repetitions,
        seconds=None if time_budget is None else parse_seconds(time_budget),
        timeout_seconds=None if timeout is None else parse_seconds(timeout),
        seed=seed,
    )
    words = ["--profile", str(design.profile)] if design.profile else []
    words += ["--force", forced] if forced else []
    words += [] if mapping else ["--no-mapping"]
    words += ["--machine", machine] if machine else []
    words += ["--time-budget", time_budget] if time_budget else []
    words += ["--repetitions", str(repetitions), "--seed", str(seed)]
    repeat = shlex.join(["espalier", "compare", *words, "--", *command])
    answer = comparison.compare(comparison.Question(target, design, repeat, confidence))
    report = comparison_report(answer.document)
    if output is not None:
        write_report(report, output)
        say(f"wrote {output}")
    if json:
        emit_json(answer.document)
    else:
        print_report(report)
    if answer.cause is not None:
        raise answer.cause
    raise typer.Exit(answer.exit_code)
