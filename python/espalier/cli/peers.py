# SPDX-License-Identifier: Apache-2.0
"""`espalier peers`."""

import dataclasses
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from espalier.base.durations import parse_seconds
from espalier.base.interruption import Interrupted
from espalier.base.units import parse_bytes_list
from espalier.cli.options import Json, Sizes
from espalier.errors import ArgumentError
from espalier.io.console import emit_json, say
from espalier.machines import machines
from espalier.peers import experiment, measured, study
from espalier.peers.cells import Place
from espalier.peers.choosing import Choosing
from espalier.peers.experiment import PEERS, SIZES, Experiment, Run
from espalier.peers.measured import Question
from espalier.profiles import profiles
from espalier.report.content import check_path, print_report, write_report
from espalier.report.peers import peers_report
from espalier.store.database import default_path

_BLOCK = "block"
_ALL = "all"
_BUDGET = "60s"
_USUAL_CANDIDATES = 4
_DEFAULT_PROFILE = Path("espalier-profile.json")
_ALL_PEERS = ",".join(PEERS)


def _of_command_line(  # noqa: PLR0913, PLR0917 - one parameter an option
    machine: str,
    placements: str,
    num_ranks: int,
    collectives: str,
    sizes: str,
    peers: str,
    under: str,
) -> Experiment:
    found = machines.load(machine)
    text = found.short_text
    names = experiment.check_collectives(collectives.split(","))
    asked = tuple(parse_bytes_list(sizes))
    runs = tuple(
        Run(
            place=Place(text, placement, num_ranks or found.num_cores),
            machine=text,
            sizes=dict.fromkeys(names, asked),
            tuned_sizes=asked,
        )
        for placement in placements.split(",")
    )
    return Experiment(
        "command line",
        runs,
        experiment.check_peers(peers.split(",")),
        experiment.check_peers([under])[0],
    )


def _show(document: dict[str, Any], output: Path | None, *, json: bool) -> None:
    report = peers_report(document)
    if output is not None:
        write_report(report, output)
        say(f"wrote {output}")
    if json:
        emit_json(document)
    else:
        print_report(report)


def peers(  # noqa: PLR0913, PLR0917 - one parameter an option
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="EXPERIMENT | -- LAUNCHER OPTIONS",
            help="A TOML file, as benchmarks/peers/peers.toml, or how to start: -- mpirun -n 4",
        ),
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option(
            "--machine", metavar="TEXT|FILE", help="Simulate this one instead of a file's."
        ),
    ] = None,
    placement: Annotated[
        str | None,
        typer.Option(
            "--placement",
            help="Of ranks, one or several: block,cyclic.",
            show_default="block",
        ),
    ] = None,
    ranks: Annotated[
        int, typer.Option("-p", "--ranks", min=0, help="How many; 0: one on each core.")
    ] = 0,
    collective: Annotated[
        str,
        typer.Option(
            "--collectives", "--collective", help="Separated by commas; all: one of each kind."
        ),
    ] = _ALL,
    sizes: Sizes = SIZES,
    platform: Annotated[
        list[str] | None,
        typer.Option("--platform", metavar="NAME", help="Of the experiment; may be repeated."),
    ] = None,
    against: Annotated[
        str, typer.Option("--peers", help="Whose algorithms to compare with.")
    ] = _ALL_PEERS,
    under: Annotated[
        str, typer.Option("--under", help="Whose algorithms run where the profile says native.")
    ] = "mpich",
    profile: Annotated[
        Path | None, typer.Option("--profile", metavar="FILE", help="Instead of tuning one.")
    ] = None,
    tune: Annotated[
        bool, typer.Option("--tune/--no-tune", help="Tune a profile for each simulated place.")
    ] = True,
    candidates: Annotated[
        int | None,
        typer.Option(
            "--candidates",
            min=1,
            help="Of the model's shortlist to measure at each size.",
            show_default="those of tuning; 4 with a launcher",
        ),
    ] = None,
    simulators: Annotated[
        int, typer.Option("--simulators", min=0, help="At the same time; 0: one on each core.")
    ] = 0,
    store: Annotated[
        Path | None, typer.Option("--store", metavar="FILE", help="Where results are kept.")
    ] = None,
    time_budget: Annotated[
        str, typer.Option("--time-budget", metavar="TIME", help="About how long to measure here.")
    ] = _BUDGET,
    mpi: Annotated[
        str | None, typer.Option("--mpi", help="openmpi or mpich, if the launcher does not say.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Report, .md or .html.")
    ] = None,
    json: Json = False,
) -> None:
    """Compare our collectives with those of other MPIs, cell by cell.

    On simulated machines with the algorithms that SimGrid has of four MPIs; with a launcher, here
    with what the MPI there does by itself. Ours are what a profile chooses, what the model chooses,
    and the best in hindsight; the lower bound says what no algorithm can beat. What was simulated
    is kept in the store: a comparison that was interrupted goes on when it is repeated.
    """
    if output is not None:
        check_path(output)
    command = shlex.join(["espalier", *sys.argv[1:]])
    given = words or []
    declared = Path(given[0]) if len(given) == 1 and given[0].endswith(".toml") else None
    if given and declared is None:
        question = Question(
            words=tuple(given),
            command=command,
            collectives=experiment.check_collectives(collective.split(",")),
            sizes=tuple(parse_bytes_list(sizes)),
            profile=_profile(profile, machine),
            machine=machine,
            placement=placement,
            num_candidates=candidates or _USUAL_CANDIDATES,
            seconds=parse_seconds(time_budget),
            vendor=mpi,
        )
        _show(measured.compare(question), output, json=json)
        return
    if (declared is None) == (machine is None):
        raise ArgumentError(
            "expected an experiment, --machine, or how to start ranks, got none or two of them",
            "try: espalier peers --machine '4n[latency=2us,bandwidth=10GB/s] x 4c[latency=300ns]'",
        )
    if declared is not None:
        names = [] if collective == _ALL else collective.split(",")
        found = experiment.read(declared).only(platform or [], names)
        found = dataclasses.replace(found, peers=experiment.check_peers(against.split(",")))
    else:
        found = _of_command_line(
            str(machine), placement or _BLOCK, ranks, collective, sizes, against, under
        )
    choosing = Choosing(
        store=store or default_path(),
        under=found.under,
        simulators=simulators,
        profile=profile,
        tunes=tune,
        num_candidates=candidates or 0,
        command=command,
    )
    try:
        document = study.compare(found, choosing)
    except Interrupted as interrupted:
        _show(interrupted.document, output, json=json)
        raise interrupted.cause from None
    _show(document, output, json=json)


def _profile(named: Path | None, machine: str | None) -> Path | None:
    """Return the profile to compare on the real machine; the usual one if there is no machine."""
    path = named
    if path is None and machine is None and _DEFAULT_PROFILE.exists():
        say(f"note: using {_DEFAULT_PROFILE}")
        path = _DEFAULT_PROFILE
    if path is not None:
        profiles.read(path)
    return path
