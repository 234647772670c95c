# SPDX-License-Identifier: Apache-2.0
"""`espalier simulate program` and `espalier simulate collectives`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from espalier.base.durations import parse_seconds
from espalier.cli.commands import Family, options_before
from espalier.cli.expansion import Repeat
from espalier.cli.groups import StoreFile, Wanted, show
from espalier.cli.options import (
    Force,
    Json,
    Learns,
    Maps,
    Placement,
    ProfileFile,
    Ranks,
    Statistics,
)
from espalier.cli.run import usable_profile
from espalier.errors import ArgumentError
from espalier.io.console import say
from espalier.launch import preload
from espalier.report.simulate import collectives_report, simulation_report
from espalier.sampling.goal import Goal
from espalier.simulate import collectives as measuring
from espalier.simulate import outcome, running
from espalier.simulate.collectives import Wish
from espalier.simulate.programs import Program, find_program
from espalier.simulate.setting import PEERS, USUAL_PEER, Setting, make_setting
from espalier.store.database import default_path

Timeout = Annotated[
    str | None,
    typer.Option("--timeout", metavar="TIME", help="Real time it may take.", show_default="any"),
]


def _formerly(words: Sequence[str]) -> str:
    return "collectives" if options_before(words, "--collectives") else "program"


simulate = Family(formerly=_formerly)


@dataclass(frozen=True)
class SimulatedRanks:
    """Ranks on a machine that is simulated, and the MPI there."""

    machine: Annotated[
        str, typer.Option("--machine", metavar="MACHINE", help="To simulate: a text, or a file.")
    ]
    placement: Placement = None
    num_ranks: Ranks = None
    peer: Annotated[
        str,
        typer.Option("--peer", help=f"Whose algorithms native calls have: {', '.join(PEERS)}."),
    ] = USUAL_PEER
    smpi: Annotated[
        list[str] | None,
        typer.Option("--smpi", metavar="NAME:VALUE", help="A setting of the simulator."),
    ] = None

    def setting(self) -> Setting:
        """Return where to simulate.

        Raises:
            ArgumentError: something of it cannot be.
        """
        return make_setting(
            self.machine, self.placement, self.num_ranks, self.peer, self.smpi or []
        )


@dataclass(frozen=True)
class Simulated:
    """A program."""

    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- PROGRAM ARGUMENTS",
            help="A source (.c, .cc, .cpp, .cxx), or a program compiled for SMPI.",
        ),
    ]
    sources: Annotated[
        list[Path] | None,
        typer.Option("--source", metavar="FILE", help="Of the same program. May be repeated."),
    ] = None
    compile_options: Annotated[
        list[str] | None,
        typer.Option("--compile", metavar="OPTION", help="As in --compile=-Iinclude."),
    ] = None

    def find(self) -> Program:
        """Return the program, compiled if it is a source."""
        return find_program(self.command, self.sources or [], self.compile_options or [])


@dataclass(frozen=True)
class Under:
    """What Espalier does under the program."""

    profile: ProfileFile = None
    force: Force = None
    no_espalier: Annotated[
        bool, typer.Option("--no-espalier", help="Leave every call to the MPI library.")
    ] = False
    mapping: Maps = False
    learn: Learns = None

    def settings(self) -> preload.Settings:
        """Return what the library is told.

        Raises:
            ArgumentError: it is not to run, and told something.
        """
        if self.no_espalier and (self.profile is not None or self.force or self.learn):
            raise ArgumentError(
                "expected --no-espalier, or --profile, --force and --learn; got both"
            )
        if self.no_espalier:
            return running.NATIVE
        forced = preload.parse_force(self.force or [])
        return preload.Settings(
            usable_profile(self.profile), forced, maps=self.mapping, learns=self.learn or None
        )


@dataclass(frozen=True)
class Asked:
    """What to learn from a run, and how long it may take."""

    statistics: Statistics = None
    timeout: Timeout = None
    compare: Annotated[
        bool, typer.Option("--compare", help="Run the program without Espalier as well.")
    ] = False
    cost: Annotated[
        bool, typer.Option("--cost", help="With --json: what simulating took, never the same.")
    ] = False


def program(
    where: SimulatedRanks, simulated: Simulated, under: Under, asked: Asked, json: Json = False
) -> None:
    """Run an MPI program on a simulated machine, with Espalier under it.

    Communication takes the time that the machine says, computation none: the same command gives
    the same times. With --json the program's output goes to standard error.
    """
    setting = where.setting()
    setting.check_options()
    told = under.settings()
    seconds = _seconds(asked.timeout)
    found = simulated.find()
    if not found.has_espalier and (told.profile or told.force or told.learns or asked.compare):
        raise ArgumentError(
            f"{simulated.command[0]}: expected a source with --profile, --force, --learn,"
            " --no-espalier or --compare, got a program without Espalier in it",
            "give its source instead: -- main.c",
        )
    how = running.Run(told, asked.statistics, 2 if json else 1, seconds)
    finished = running.run(found, setting, how)
    native = running.run_native(found, setting, seconds) if asked.compare else None
    result = outcome.program_document(simulated.command, setting, told, finished)
    result |= outcome.compared(finished, native) if native else {}
    result |= outcome.cost(finished) if asked.cost or not json else {}
    show(result, simulation_report, json=json)


@dataclass(frozen=True)
class Timing:
    """What to time besides the candidates, how long, and where it is kept."""

    profile: ProfileFile = None
    timeout: Timeout = None
    store: StoreFile = None


def collectives(
    where: SimulatedRanks, what: Wanted, timing: Timing, repeat: Repeat, json: Json = False
) -> None:
    """Time collectives on a simulated machine: each candidate, and the native call.

    Times are exact, so each is measured once. With a profile, what it chooses is timed as well.
    """
    wish = Wish(
        Goal(what.calls, what.num_bytes, what.patterns),
        timing.store or default_path(),
        repeat.text(),
        usable_profile(timing.profile),
        _seconds(timing.timeout),
    )
    setting = where.setting()
    setting.check_options()
    measured = measuring.run(setting, wish)
    show(outcome.collectives_document(setting, measured), collectives_report, json=json)
    if measured.cause is not None:
        say(f"note: {len(measured.points)} points are kept in {wish.store}")
        raise measured.cause


def _seconds(timeout: str | None) -> float | None:
    return None if timeout is None else parse_seconds(timeout)


simulate.add(program, "program", "Run an MPI program there, with Espalier under it")
simulate.add(collectives, "collectives", "Time collectives there: all candidates and native calls")
