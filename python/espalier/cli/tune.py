# SPDX-License-Identifier: Apache-2.0
"""`espalier tune`, here or in simulation."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from espalier import _core
from espalier.base.durations import parse_seconds
from espalier.base.interruption import Interrupted
from espalier.base.units import bytes_text, parse_bytes_list
from espalier.cli.options import SIMULATED_VENDOR, Algorithms, Json, ProfileVendor, Sizes
from espalier.cli.tune_simulated import (
    DEFAULT_POINT_LIMIT,
    DEFAULT_SHORTLIST,
    Simulated,
    check_not_simulated,
)
from espalier.errors import ArgumentError
from espalier.io.console import emit_json
from espalier.report.content import print_report
from espalier.report.tune import tuning_report
from espalier.sampling.goal import DEFAULT_CALLS, DEFAULT_SIZES, Goal
from espalier.sampling.simulation import DEFAULT_PEER, PEERS
from espalier.store.database import default_path
from espalier.tuning import tuner
from espalier.tuning.session import Files
from espalier.tuning.tuner import Job

_DEFAULT_SIZES = ",".join(bytes_text(size).replace(" ", "") for size in DEFAULT_SIZES)
_COLLECTIVES = ",".join(DEFAULT_CALLS)
_ALL = "all"
_BUDGET = "150s"
_MIN_GAIN = 0.02


def _run(tune: Callable[[], dict[str, Any]], *, json: bool) -> None:
    try:
        document = tune()
    except Interrupted as interrupted:
        _show(interrupted.document, json=json)
        raise interrupted.cause from None
    _show(document, json=json)


def _show(document: dict[str, Any], *, json: bool) -> None:
    if json:
        emit_json(document)
    else:
        print_report(tuning_report(document))


def tune(  # noqa: PLR0913, PLR0917 - one parameter an option
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="-- LAUNCHER OPTIONS",
            help="How to start ranks, without a program: -- mpirun -n 4",
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The profile.")
    ] = Path("espalier-profile.json"),
    collective: Annotated[
        str,
        typer.Option(
            "--collectives", "--collective", help="What to tune, separated by commas, or all."
        ),
    ] = _COLLECTIVES,
    sizes: Sizes = _DEFAULT_SIZES,
    algorithms: Algorithms = None,
    time_budget: Annotated[
        str | None,
        typer.Option(
            "--time-budget",
            metavar="TIME",
            help="About how long to measure.",
            show_default=f"{_BUDGET}; no limit in simulation",
        ),
    ] = None,
    min_gain: Annotated[
        float | None,
        typer.Option(
            "--min-gain",
            help="Keep native for smaller gains; 0.02 is 2 %.",
            show_default=f"{_MIN_GAIN}; 0 in simulation",
        ),
    ] = None,
    confidence: Annotated[
        float, typer.Option("--confidence", help="Of intervals, and of all choices together.")
    ] = 0.95,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the order of candidates.")] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a tuning that was interrupted.")
    ] = False,
    store: Annotated[
        Path | None, typer.Option("--store", metavar="FILE", help="Where measurements are kept.")
    ] = None,
    mpi: Annotated[
        str | None, typer.Option("--mpi", help="openmpi or mpich, if the launcher does not say.")
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option(
            "--machine",
            metavar="TEXT|FILE",
            help="Tune in simulation on this machine, as in"
            " '8n[latency=2us,bandwidth=12GB/s] x 4c[latency=300ns,bandwidth=6GB/s]'.",
        ),
    ] = None,
    placement: Annotated[
        str | None,
        typer.Option("--placement", help="Of simulated ranks.", show_default="block"),
    ] = None,
    num_ranks: Annotated[
        int | None,
        typer.Option(
            "-p", "--ranks", help="Number of simulated ranks.", show_default="one for each core"
        ),
    ] = None,
    peer: Annotated[
        str, typer.Option("--peer", help=f"Whose native calls are simulated: {', '.join(PEERS)}.")
    ] = DEFAULT_PEER,
    vendor: ProfileVendor = SIMULATED_VENDOR,
    shortlist: Annotated[
        int, typer.Option("--shortlist", help="Candidates simulated at a size at most.")
    ] = DEFAULT_SHORTLIST,
    ours_only: Annotated[
        bool, typer.Option("--ours-only", help="In simulation: neither measure nor choose native.")
    ] = False,
    simulators: Annotated[
        int | None,
        typer.Option(
            "--simulators", min=1, help="Simulators side by side.", show_default="one a processor"
        ),
    ] = None,
    point_limit: Annotated[
        str,
        typer.Option(
            "--point-limit", metavar="TIME", help="Longest time to simulate a size of a call."
        ),
    ] = DEFAULT_POINT_LIMIT,
    json: Json = False,
) -> None:
    """Measure the algorithms on this machine and write a profile of the fastest.

    Every candidate's result is compared with the native one before it is timed. Measurements take
    turns with native ones; what looks best is measured again in fresh launches, and native is kept
    unless something is significantly faster. Ctrl-C keeps what was measured. A profile that is
    there keeps its rules for other shapes (ranks and nodes) and collectives.

    With --machine, a machine is simulated: times are exact, so each candidate is measured once, and
    where the choice changes between two sizes, sizes between them are measured too. The same
    command gives the same profile.
    """
    calls = tuple(_core.calls() if collective == _ALL else collective.split(","))
    options = {
        "-o": (str(output), "espalier-profile.json"),
        "--collectives": (collective, _COLLECTIVES),
        "--sizes": (sizes, _DEFAULT_SIZES),
        "--time-budget": (time_budget, None),
        "--min-gain": (None if min_gain is None else f"{min_gain:g}", None),
        "--confidence": (f"{confidence:g}", "0.95"),
        "--seed": (str(seed), "1"),
        "--store": (None if store is None else str(store), None),
        "--mpi": (mpi, None),
    }
    words = [
        word
        for name, (value, usual) in options.items()
        if value not in (None, usual)
        for word in (name, str(value))
    ]
    words += [word for pattern in algorithms or () for word in ("--algorithms", pattern)]
    if machine is None:
        check_not_simulated(
            {
                "--placement": placement is not None,
                "--ranks": num_ranks is not None,
                "--peer": peer != DEFAULT_PEER,
                "--for": vendor != SIMULATED_VENDOR,
                "--shortlist": shortlist != DEFAULT_SHORTLIST,
                "--ours-only": ours_only,
                "--simulators": simulators is not None,
                "--point-limit": point_limit != DEFAULT_POINT_LIMIT,
            }
        )
        goal = Goal(
            collectives=calls,
            sizes=tuple(parse_bytes_list(sizes)),
            patterns=tuple(algorithms or ()),
            seconds=parse_seconds(time_budget or _BUDGET),
            confidence=confidence,
            min_gain=_MIN_GAIN if min_gain is None else min_gain,
            seed=seed,
        )
        launcher = tuple(command or ())
        job = Job(
            words=launcher,
            files=Files(
                output=output,
                store=store or default_path(),
                is_resumed=resume,
                repeat=shlex.join(["espalier", "tune", *words, "--", *launcher]),
                to_continue=shlex.join(["espalier", "tune", "--resume", *words, "--", *launcher]),
            ),
            vendor=mpi,
        )
        _run(lambda: tuner.tune(job, goal), json=json)
        return
    if command:
        raise ArgumentError(
            "expected --machine or a launcher behind --, got both",
            "leave out the launcher: the ranks of --machine are simulated",
        )
    simulated = Simulated(
        machine=machine,
        placement=placement,
        num_ranks=num_ranks,
        peer=peer,
        vendor=vendor,
        most_candidates=shortlist,
        ours_only=ours_only,
        num_simulators=simulators,
        point_limit=point_limit,
        collectives=calls,
        sizes=tuple(parse_bytes_list(sizes)),
        patterns=tuple(algorithms or ()),
        min_gain=min_gain or 0.0,
        seconds=None if time_budget is None else parse_seconds(time_budget),
        seconds_per_point=parse_seconds(point_limit),
        output=output,
        store=store or default_path(),
        is_resumed=resume,
    )
    _run(lambda: simulated.run(words), json=json)
