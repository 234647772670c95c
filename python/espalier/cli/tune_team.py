# SPDX-License-Identifier: Apache-2.0
"""`espalier tune team`: one-sided collectives."""

import os
from dataclasses import dataclass
from typing import Annotated

import typer

from espalier.base.durations import parse_seconds
from espalier.base.units import parse_bytes_list
from espalier.cli.expansion import Repeat
from espalier.cli.groups import ALL, Launch, show
from espalier.cli.options import Collectives, Json, Sizes, TimeBudget
from espalier.doctor.memory import state_folder
from espalier.errors import ArgumentError
from espalier.io.console import progress
from espalier.launch.measuring import parse_launcher
from espalier.report.team import team_report
from espalier.tuning import team_tuner
from espalier.tuning.team_tuner import COLLECTIVES, MODES, TeamGoal


@dataclass(frozen=True)
class Requested:
    """Which collectives are tuned, and for how long."""

    collectives: Collectives = ALL
    sizes: Sizes = "8B,512B,4KiB,32KiB,256KiB"
    time_budget: TimeBudget = "60s"
    anew: Annotated[
        bool, typer.Option("--anew", help="Measure also what an earlier run measured.")
    ] = False


@dataclass(frozen=True)
class Promised:
    """What the collectives promise, and by what they go."""

    mode_in: Annotated[
        str, typer.Option("--in", help=f"When they may touch buffers: {', '.join(MODES)}.")
    ] = "allsync"
    mode_out: Annotated[str, typer.Option("--out", help="Until when they may.")] = "allsync"
    local: Annotated[
        bool, typer.Option("--local", help="Buffers are anywhere; nobody knows those of others.")
    ] = False
    transport: Annotated[
        str | None,
        typer.Option(
            "--transport", help="node, rma or ucx.", show_default="as a program that names none"
        ),
    ] = None


def _goal(what: Requested, promised: Promised) -> TeamGoal:
    names = COLLECTIVES if what.collectives == ALL else tuple(what.collectives.split(","))
    return TeamGoal(
        collectives=names,
        sizes=tuple(parse_bytes_list(what.sizes)),
        seconds=parse_seconds(what.time_budget),
        mode_in=promised.mode_in,
        mode_out=promised.mode_out,
        has_local_addresses=promised.local,
        transport=promised.transport,
        is_anew=what.anew,
    )


def tune_team(
    launch: Launch, what: Requested, promised: Promised, repeat: Repeat, json: Json = False
) -> None:
    """Tune the one-sided collectives of a team of all ranks, for all later programs.

    As espalier_request_tune does in a program: what is found is kept for 30 days for teams with as
    many members that lie on as many nodes alike, by the same transport. Each request is timed in
    turns with what would run otherwise. Ctrl-C keeps what was measured.
    """
    goal = _goal(what, promised)
    goal.check()
    memory = os.environ.get("ESPALIER_MEMORY", "")
    if memory == "off" or not (memory or state_folder(os.environ)):
        raise ArgumentError(
            "expected a folder to keep what is found, got ESPALIER_MEMORY=off or no home",
            "unset ESPALIER_MEMORY, or name a file",
        )
    with progress("tuning", len(goal.requests)) as bar:
        found = team_tuner.tune(parse_launcher(launch.words), launch.mpi, goal, bar.advance)
    show(team_tuner.conclude(found, goal, repeat.text()), team_report, json=json)
    if found.cause is not None:
        raise found.cause
