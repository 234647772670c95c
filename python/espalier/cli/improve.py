# SPDX-License-Identifier: Apache-2.0
"""`espalier improve`."""

import os
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from espalier.base.durations import parse_seconds
from espalier.base.shares import parse_share
from espalier.cli.expansion import Repeat
from espalier.cli.groups import USUAL_PROFILE, StoreFile, carry_out, show
from espalier.cli.options import EffortOption, GoodEnough, Json, Mpi, ProfileOutput
from espalier.compare.experiment import check_environment
from espalier.errors import ArgumentError
from espalier.improvement import improver
from espalier.improvement.findings import Wish
from espalier.improvement.improver import WholeRuns
from espalier.io.console import say
from espalier.launch import preload
from espalier.machines import machines, priced
from espalier.report.improve import improvement_report
from espalier.sampling.goal import GOOD_ENOUGH, MEASURE
from espalier.store.database import default_path
from espalier.tuning.session import Files


@dataclass(frozen=True)
class Improved:
    """The program, and by which MPI it runs."""

    command: Annotated[
        list[str],
        typer.Argument(metavar="-- COMMAND", help="The MPI program: -- mpirun -n 16 ./program"),
    ]
    mpi: Mpi = None


@dataclass(frozen=True)
class Length:
    """How long to measure, and how thoroughly."""

    time_budget: Annotated[
        str,
        typer.Option(
            "--time-budget", metavar="TIME", help="To probe and to tune; runs come on top."
        ),
    ] = "120s"
    effort: EffortOption = MEASURE
    good_enough: GoodEnough = f"{100 * GOOD_ENOUGH:g}%"
    repetitions: Annotated[
        int, typer.Option("--repetitions", min=1, help="Blocks of three whole runs; 6 for 95 %.")
    ] = 6


@dataclass(frozen=True)
class Placing:
    """Whether the ranks should run elsewhere."""

    traffic: Annotated[
        bool,
        typer.Option(
            "--traffic/--no-traffic",
            help="Count in the first run who sends how much to whom, and propose a placement.",
        ),
    ] = True
    try_placement: Annotated[
        bool,
        typer.Option(
            "--try-placement", help="Compare whole runs with that placement; keep it if faster."
        ),
    ] = False

    def check(self) -> None:
        """Raise ArgumentError if a placement is to be tried that nobody looks for."""
        if self.try_placement and not self.traffic:
            raise ArgumentError("expected --traffic with --try-placement, got --no-traffic")


@dataclass(frozen=True)
class Kept:
    """What is known before, and where results go."""

    machine: Annotated[
        str,
        typer.Option(
            "--machine",
            metavar="MACHINE",
            envvar="ESPALIER_MACHINE",
            help="Text or file; the machine is probed without it.",
        ),
    ] = ""
    output: ProfileOutput = USUAL_PROFILE
    store: StoreFile = None


def _machine(named: str) -> str:
    """Return the machine to tune for; that of the environment may be for mapping alone."""
    is_inherited = bool(named) and named == os.environ.get("ESPALIER_MACHINE")
    if is_inherited and not priced.has_costs(machines.load(named)):
        say("note: ESPALIER_MACHINE does not say what messages cost, so the machine is probed")
        return ""
    return named


def improve(
    improved: Improved,
    length: Length,
    placing: Placing,
    kept: Kept,
    repeat: Repeat,
    json: Json = False,
) -> None:
    """Make an MPI program faster: find out what it calls, tune just that, and compare whole runs.

    Runs the program once to count its calls, probes the machine once, tunes the calls and sizes on
    which most time is spent, and compares whole runs with and without. What is slower in the
    program itself is taken back. If another placement keeps more messages inside nodes, the
    launcher's file for it is written. The profile is for 'espalier run --profile'. Interrupted, it
    keeps what it has, and the same command goes on.
    """
    placing.check()
    check_environment()
    target = preload.find_target(improved.command, improved.mpi)
    wish = Wish(
        command=target.command,
        vendor=target.vendor,
        files=Files(
            output=kept.output,
            store=kept.store or default_path(),
            is_resumed=None,
            repeat=repeat.text(),
            to_continue=repeat.text(),
        ),
        seconds=parse_seconds(length.time_budget),
        machine=_machine(kept.machine),
        effort=length.effort,
        good_enough=parse_share(length.good_enough),
    )
    runs = WholeRuns(target, length.repetitions, placing.traffic, placing.try_placement)

    def tell(document: dict[str, Any]) -> None:
        show(document, improvement_report, json=json)

    carry_out(lambda: improver.improve(wish, runs), tell)
