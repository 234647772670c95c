# SPDX-License-Identifier: Apache-2.0
"""`espalier tune`."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from espalier import _core
from espalier.cli.options import Json
from espalier.console import emit_json
from espalier.durations import parse_seconds
from espalier.report.content import print_report
from espalier.report.tuning import tuning_report
from espalier.store.database import default_path
from espalier.tuning import tuner
from espalier.tuning.search import DEFAULT_CALLS, DEFAULT_SIZES, Goal
from espalier.tuning.tuner import InterruptedTuning, Job
from espalier.units import bytes_text, parse_bytes_list

_DEFAULT_SIZES = ",".join(bytes_text(size).replace(" ", "") for size in DEFAULT_SIZES)
_COLLECTIVES = ",".join(DEFAULT_CALLS)
_ALL = "all"
_BUDGET = "150s"


def _show(document: dict[str, Any], *, json: bool) -> None:
    if json:
        emit_json(document)
    else:
        print_report(tuning_report(document))


def tune(  # noqa: PLR0913, PLR0917 - one parameter an option
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- LAUNCHER OPTIONS",
            help="How to start ranks, without a program: -- mpirun -n 4",
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The profile.")
    ] = Path("espalier-profile.json"),
    collective: Annotated[
        str,
        typer.Option(
            "--collectives", "--collective", help="What to tune, separated by commas, or all."
        ),
    ] = _COLLECTIVES,
    sizes: Annotated[
        str, typer.Option("--sizes", help="Bytes of the whole result; 8..1MiB doubles.")
    ] = _DEFAULT_SIZES,
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithms",
            metavar="PATTERN",
            help="Candidates, as in 'espalier list', or one choice: bcast/k_nomial[k=4]."
            " May be repeated; all if left out.",
        ),
    ] = None,
    time_budget: Annotated[
        str, typer.Option("--time-budget", metavar="TIME", help="About how long to measure.")
    ] = _BUDGET,
    min_gain: Annotated[
        float, typer.Option("--min-gain", help="Keep native for smaller gains; 0.02 is 2 %.")
    ] = 0.02,
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
    json: Json = False,
) -> None:
    """Measure the algorithms on this machine and write a profile of the fastest.

    Every candidate's result is compared with the native one before it is timed. Measurements take
    turns with native ones; what looks best is measured again in fresh launches, and native is kept
    unless something is significantly faster. Ctrl-C keeps what was measured.
    """
    goal = Goal(
        collectives=tuple(_core.calls() if collective == _ALL else collective.split(",")),
        sizes=tuple(parse_bytes_list(sizes)),
        patterns=tuple(algorithms or ()),
        seconds=parse_seconds(time_budget),
        confidence=confidence,
        min_gain=min_gain,
        seed=seed,
    )
    options = {
        "-o": (str(output), "espalier-profile.json"),
        "--collectives": (collective, _COLLECTIVES),
        "--sizes": (sizes, _DEFAULT_SIZES),
        "--time-budget": (time_budget, _BUDGET),
        "--min-gain": (f"{min_gain:g}", "0.02"),
        "--confidence": (f"{confidence:g}", "0.95"),
        "--seed": (str(seed), "1"),
        "--store": (str(store), "None"),
        "--mpi": (str(mpi), "None"),
    }
    words = [
        word for name, (value, usual) in options.items() if value != usual for word in (name, value)
    ]
    words += [word for pattern in goal.patterns for word in ("--algorithms", pattern)]
    job = Job(
        words=tuple(command),
        output=output,
        store=store or default_path(),
        is_resumed=resume,
        vendor=mpi,
        repeat=shlex.join(["espalier", "tune", *words, "--", *command]),
    )
    try:
        document = tuner.tune(job, goal)
    except InterruptedTuning as interrupted:
        _show(interrupted.document, json=json)
        raise interrupted.cause from None
    _show(document, json=json)
