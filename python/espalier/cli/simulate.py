# SPDX-License-Identifier: Apache-2.0
"""`espalier simulate`."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from espalier import _core
from espalier.base.durations import parse_seconds
from espalier.base.units import bytes_text, parse_bytes_list
from espalier.cli.options import Force, Json, Maps, ProfileFile
from espalier.cli.run import usable_profile
from espalier.errors import ArgumentError
from espalier.io.console import emit_json, say
from espalier.launch import preload
from espalier.report.content import print_report
from espalier.report.simulate import collectives_report, simulation_report
from espalier.sampling.goal import DEFAULT_SIZES, Goal
from espalier.simulate import collectives as measuring
from espalier.simulate import outcome, running
from espalier.simulate.collectives import Wish
from espalier.simulate.programs import find_program
from espalier.simulate.setting import PEERS, USUAL_PEER, Setting, make_setting
from espalier.store.database import default_path

_SIZES = ",".join(bytes_text(size).replace(" ", "") for size in DEFAULT_SIZES)

Machine = Annotated[
    str, typer.Option("--machine", metavar="MACHINE", help="To simulate: a text, or a file.")
]
Placement = Annotated[
    str | None,
    typer.Option(
        "--placement",
        help="Ranks on cores: block, cyclic, list:0,4,1,..., or a file with a core in each line.",
        show_default="as the machine file says, else block",
    ),
]
Ranks = Annotated[
    int | None, typer.Option("-p", "--ranks", min=1, help="How many.", show_default="all cores")
]
Peer = Annotated[
    str,
    typer.Option("--peer", help=f"Whose algorithms native calls have: {', '.join(PEERS)}."),
]
Collectives = Annotated[
    str | None,
    typer.Option("--collectives", help="Time these instead, separated by commas, or all."),
]


def _told(
    profile: Path | None, force: list[str] | None, *, is_used: bool, maps: bool
) -> preload.Settings:
    if not is_used and (profile is not None or force):
        raise ArgumentError("expected --no-espalier, or --profile and --force; got both")
    if not is_used:
        return running.NATIVE
    return preload.Settings(usable_profile(profile), preload.parse_force(force or []), maps=maps)


def _check_what(command: list[str] | None, collectives: str | None) -> None:
    if bool(command) == (collectives is not None):
        raise ArgumentError(
            f"expected either a program or --collectives, got {'both' if command else 'neither'}",
            "as in: -- main.c, or --collectives allgather,bcast",
        )


def _check_options(collectives: str | None, *, of_program: bool, of_collectives: bool) -> None:
    """Refuse what would have no effect."""
    if collectives is not None and of_program:
        raise ArgumentError(
            "expected with --collectives no --force, --no-espalier, --no-mapping, --source,"
            " --compile, --statistics, --compare and --cost, got one of them",
            "they are about a program",
        )
    if collectives is None and of_collectives:
        raise ArgumentError(
            "expected --sizes, --algorithms and --store with --collectives only, got a program"
        )


def _simulate_collectives(setting: Setting, wish: Wish, *, json: bool) -> None:
    measured = measuring.run(setting, wish)
    result = outcome.collectives_document(setting, measured)
    if json:
        emit_json(result)
    else:
        print_report(collectives_report(result))
    if measured.cause is not None:
        say(f"note: {len(measured.points)} points are kept in {wish.store}")
        raise measured.cause


def simulate(  # noqa: PLR0913, PLR0917 - one parameter an option
    machine: Machine,
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- PROGRAM ARGUMENTS]",
            help="A source (.c, .cc, .cpp, .cxx), or a program compiled for SMPI.",
        ),
    ] = None,
    collectives: Collectives = None,
    sizes: Annotated[
        str, typer.Option("--sizes", help="Of --collectives: bytes of the whole result.")
    ] = _SIZES,
    algorithms: Annotated[
        list[str] | None,
        typer.Option("--algorithms", metavar="PATTERN", help="Of --collectives, as in tune."),
    ] = None,
    store: Annotated[
        Path | None, typer.Option("--store", metavar="FILE", help="Where times are kept.")
    ] = None,
    placement: Placement = None,
    num_ranks: Ranks = None,
    peer: Peer = USUAL_PEER,
    profile: ProfileFile = None,
    force: Force = None,
    no_espalier: Annotated[
        bool, typer.Option("--no-espalier", help="Leave every call to the MPI library.")
    ] = False,
    mapping: Maps = True,
    sources: Annotated[
        list[Path] | None,
        typer.Option("--source", metavar="FILE", help="Of the same program. May be repeated."),
    ] = None,
    compile_options: Annotated[
        list[str] | None,
        typer.Option("--compile", metavar="OPTION", help="As in --compile=-Iinclude."),
    ] = None,
    smpi: Annotated[
        list[str] | None,
        typer.Option("--smpi", metavar="NAME:VALUE", help="A setting of the simulator."),
    ] = None,
    statistics: Annotated[
        Path | None,
        typer.Option("--statistics", metavar="FOLDER", help="Keep what every rank called there."),
    ] = None,
    timeout: Annotated[
        str | None, typer.Option("--timeout", metavar="TIME", help="Real time it may take.")
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Run the program without Espalier as well.")
    ] = False,
    cost: Annotated[
        bool, typer.Option("--cost", help="With --json: what simulating took, never the same.")
    ] = False,
    json: Json = False,
) -> None:
    """Run an MPI program on a simulated machine, with Espalier under it, or time collectives there.

    Communication takes the time that the machine says, computation none: the same command gives
    the same times. With --json the program's output goes to standard error.
    """
    _check_what(command, collectives)
    _check_options(
        collectives,
        of_program=any((force, sources, compile_options, statistics, compare, cost))
        or no_espalier
        or not mapping,
        of_collectives=any((algorithms, store)) or sizes != _SIZES,
    )
    setting = make_setting(machine, placement, num_ranks, peer, smpi or [])
    told = _told(profile, force, is_used=not no_espalier, maps=mapping)
    seconds = None if timeout is None else parse_seconds(timeout)
    if collectives is not None:
        names = _core.calls() if collectives == "all" else collectives.split(",")
        goal = Goal(tuple(names), tuple(parse_bytes_list(sizes)), tuple(algorithms or ()))
        repeat = shlex.join(["espalier", *sys.argv[1:]])
        wish = Wish(goal, store or default_path(), repeat, told.profile, seconds)
        _simulate_collectives(setting, wish, json=json)
        return
    words = command or []
    program = find_program(words, sources or [], compile_options or [])
    if not program.has_espalier and (told.profile or told.force or compare):
        raise ArgumentError(
            f"{words[0]}: expected a source with --profile, --force, --no-espalier or --compare,"
            " got a program without Espalier in it",
            "give its source instead: -- main.c",
        )
    how = running.Run(told, statistics, 2 if json else 1, seconds)
    finished = running.run(program, setting, how)
    native = running.run_native(program, setting, seconds) if compare else None
    result = outcome.program_document(words, setting, told, finished)
    result |= outcome.compared(finished, native) if native else {}
    result |= outcome.cost(finished) if cost or not json else {}
    if json:
        emit_json(result)
    else:
        print_report(simulation_report(result))
