# SPDX-License-Identifier: Apache-2.0
"""`espalier probe`."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from espalier.base.durations import parse_seconds
from espalier.base.interruption import Interrupted
from espalier.base.units import bytes_text, parse_bytes
from espalier.cli.options import Json
from espalier.errors import ArgumentError
from espalier.io.console import emit_json, say
from espalier.probing import prober
from espalier.probing.outcome import Files, samples_path
from espalier.probing.prober import Goal, Job
from espalier.probing.scan_plan import DEFAULT_BYTES, ScanWish
from espalier.report.content import print_report
from espalier.report.probe import probe_report
from espalier.report.probe_tables import tables_report

_OUTPUT = Path("espalier-machine.json")
_BUDGET = "60s"
_BYTES = bytes_text(DEFAULT_BYTES).replace(" ", "")


def _show(document: dict[str, Any], files: Files, *, json: bool, tables: bool) -> None:
    if files.figures is not None:
        # Imported late: it takes a second.
        from espalier.report.figures.probe import draw  # noqa: PLC0415

        drawn = draw(document, files.figures)
        say(f"wrote {len(drawn)} figures to {files.figures}")
    if json:
        emit_json(document)
        return
    print_report(probe_report(document))
    if tables:
        print_report(tables_report(document))


def _words(given: dict[str, tuple[object, object]]) -> list[str]:
    """Return the options that differ from what they usually are."""
    words: list[str] = []
    for name, (value, usual) in given.items():
        if value != usual:
            words += [name] if value is True else [name, str(value)]
    return words


def _check_sources(command: list[str] | None, source: Path | None) -> None:
    if source is not None and command:
        raise ArgumentError(
            f"expected --from or a launcher, got both '{source}' and '{shlex.join(command)}'",
            "leave one of them out",
        )
    if source is None and not command:
        raise ArgumentError(
            "expected a command with an MPI launcher, got nothing",
            "write it after --, as in: -- mpirun -n 4",
        )


def probe(  # noqa: PLR0913, PLR0917 - one parameter an option
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="-- LAUNCHER OPTIONS",
            help="How to start ranks, without a program: -- mpirun -n 4",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help=f"The machine file; {_OUTPUT}."),
    ] = None,
    matrix: Annotated[
        Path | None,
        typer.Option("--matrix", metavar="FILE", help="Write round trips: *.json, or CSV."),
    ] = None,
    figures: Annotated[
        Path | None, typer.Option("--figures", metavar="FOLDER", help="Draw SVG figures there.")
    ] = None,
    tables: Annotated[
        bool, typer.Option("--tables", help="Print all times too, as tables.")
    ] = False,
    time_budget: Annotated[
        str, typer.Option("--time-budget", metavar="TIME", help="About how long to measure.")
    ] = _BUDGET,
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="Above 24 ranks too, measure every pair.")
    ] = False,
    sample: Annotated[
        int,
        typer.Option(
            "--sample", min=1, metavar="N", help="Above 24 ranks, pairs of each two nodes."
        ),
    ] = 1,
    size: Annotated[
        str, typer.Option("--bytes", metavar="SIZE", help="Of the messages of the matrix.")
    ] = _BYTES,
    matrix_only: Annotated[
        bool, typer.Option("--matrix-only", help="Only find the levels, do not measure them.")
    ] = False,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="SAMPLES", help="Analyse kept samples, measure nothing."),
    ] = None,
    spread: Annotated[
        float | None,
        typer.Option("--spread", help="Repeat a pair of the matrix only until sd / mean is this."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the messages' contents.")] = 1,
    mpi: Annotated[
        str | None, typer.Option("--mpi", help="openmpi, mpich or smpi, if it is not clear.")
    ] = None,
    json: Json = False,
) -> None:
    """Measure what messages cost on this machine: levels, latencies, bandwidths, channels.

    Writes a machine file. Every finished measurement is kept beside it in *.samples.jsonl, which
    --from analyses again. Ctrl-C keeps what was measured and says what is known so far.
    """
    _check_sources(command, source)
    words = _words(
        {
            "-o": (output, None),
            "--matrix": (matrix, None),
            "--figures": (figures, None),
            "--tables": (tables, False),
            "--time-budget": (time_budget, _BUDGET),
            "--all-pairs": (all_pairs, False),
            "--sample": (sample, 1),
            "--bytes": (size, _BYTES),
            "--matrix-only": (matrix_only, False),
            "--from": (source, None),
            "--spread": (spread, None),
            "--seed": (seed, 1),
            "--mpi": (mpi, None),
        }
    )
    if source is not None:
        files = Files(output, matrix, figures)
        repeat = shlex.join(["espalier", "probe", *words])
        _show(prober.again(source, files, repeat), files, json=json, tables=tables)
        return
    target = output or _OUTPUT
    files = Files(None if matrix_only else target, matrix, figures, samples_path(target))
    wish = ScanWish(parse_bytes(size), all_pairs, sample, spread, seed)
    goal = Goal(parse_seconds(time_budget), wish, is_matrix_only=matrix_only)
    given = tuple(command or ())
    repeat = shlex.join(["espalier", "probe", *words, "--", *given])
    try:
        document = prober.probe(Job(given, files, mpi, repeat), goal)
    except Interrupted as interrupted:
        _show(interrupted.document, files, json=json, tables=tables)
        raise interrupted.cause from None
    _show(document, files, json=json, tables=tables)
