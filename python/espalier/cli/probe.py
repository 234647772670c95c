# SPDX-License-Identifier: Apache-2.0
"""`espalier probe`."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from espalier.base.durations import parse_seconds
from espalier.base.units import bytes_text, parse_bytes
from espalier.cli.expansion import Repeat
from espalier.cli.groups import carry_out, show
from espalier.cli.options import Json, Launcher, LauncherMpi, Seed, TimeBudget
from espalier.errors import ArgumentError
from espalier.io.console import say
from espalier.probing import prober
from espalier.probing.outcome import Files, samples_path
from espalier.probing.prober import Goal, Job
from espalier.probing.scan_plan import DEFAULT_BYTES, ScanWish
from espalier.report.content import print_report
from espalier.report.probe import probe_report
from espalier.report.probe_tables import tables_report

_OUTPUT = Path("espalier-machine.json")


@dataclass(frozen=True)
class Source:
    """Ranks to measure with, or samples of ranks that were measured."""

    command: Launcher = None
    samples: Annotated[
        Path | None,
        typer.Option("--from", metavar="SAMPLES", help="Analyse kept samples, measure nothing."),
    ] = None
    mpi: LauncherMpi = None

    def check(self) -> None:
        """Raise ArgumentError unless it is one of both."""
        if self.samples is not None and self.command:
            raise ArgumentError(
                f"expected --from or a launcher, got both '{self.samples}' and"
                f" '{shlex.join(self.command)}'",
                "leave one of them out",
            )
        if self.samples is None and not self.command:
            raise ArgumentError(
                "expected a command with an MPI launcher, got nothing",
                "write it after --, as in: -- mpirun -n 4",
            )
        if self.samples is not None and self.mpi is not None:
            raise _measured_only("--mpi")


@dataclass(frozen=True)
class Written:
    """What is written and printed."""

    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help=f"The machine file; {_OUTPUT}."),
    ] = None
    matrix: Annotated[
        Path | None,
        typer.Option("--matrix", metavar="FILE", help="Write round trips: *.json, or CSV."),
    ] = None
    figures: Annotated[
        Path | None, typer.Option("--figures", metavar="FOLDER", help="Draw SVG figures there.")
    ] = None
    tables: Annotated[bool, typer.Option("--tables", help="Print all times too, as tables.")] = (
        False
    )
    json: Json = False

    def show(self, document: dict[str, Any]) -> None:
        """Draw and print what was found."""
        if self.figures is not None:
            # Imported late: it takes a second.
            from espalier.report.figures.probe import draw  # noqa: PLC0415

            drawn = draw(document, self.figures)
            say(f"wrote {len(drawn)} figures to {self.figures}")
        show(document, probe_report, json=self.json)
        if self.tables and not self.json:
            print_report(tables_report(document))


@dataclass(frozen=True)
class Scan:
    """What is measured, and how long."""

    time_budget: TimeBudget = "60s"
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="Above 24 ranks too, measure every pair.")
    ] = False
    sample: Annotated[
        int,
        typer.Option(
            "--sample", min=1, metavar="N", help="Above 24 ranks, pairs of each two nodes."
        ),
    ] = 1
    size: Annotated[
        str, typer.Option("--bytes", metavar="SIZE", help="Of the messages of the matrix.")
    ] = bytes_text(DEFAULT_BYTES).replace(" ", "")
    matrix_only: Annotated[
        bool, typer.Option("--matrix-only", help="Only find the levels, do not measure them.")
    ] = False
    spread: Annotated[
        float | None,
        typer.Option("--spread", help="Repeat a pair of the matrix only until sd / mean is this."),
    ] = None
    seed: Seed = 1

    def goal(self) -> Goal:
        """Return what to find out."""
        wish = ScanWish(parse_bytes(self.size), self.all_pairs, self.sample, self.spread, self.seed)
        return Goal(parse_seconds(self.time_budget), wish, is_matrix_only=self.matrix_only)

    def check_unused(self) -> None:
        """Raise ArgumentError if anything is said of measuring, for samples that were kept."""
        options = {
            "--time-budget": "time_budget",
            "--all-pairs": "all_pairs",
            "--sample": "sample",
            "--bytes": "size",
            "--matrix-only": "matrix_only",
            "--spread": "spread",
            "--seed": "seed",
        }
        usual = Scan()
        for option, name in options.items():
            if getattr(self, name) != getattr(usual, name):
                raise _measured_only(option)


def _measured_only(option: str) -> ArgumentError:
    return ArgumentError(
        f"expected --from without {option}, which says how to measure, got both",
        "leave one of them out",
    )


def probe(source: Source, written: Written, scan: Scan, repeat: Repeat) -> None:
    """Measure what messages cost on this machine: levels, latencies, bandwidths, channels.

    Writes a machine file. Every finished measurement is kept beside it in *.samples.jsonl, which
    --from analyses again. Ctrl-C keeps what was measured and says what is known so far.
    """
    source.check()
    if source.samples is not None:
        scan.check_unused()
        files = Files(written.output, written.matrix, written.figures)
        written.show(prober.again(source.samples, files, repeat.text()))
        return
    target = written.output or _OUTPUT
    machine = None if scan.matrix_only else target
    if machine is None and written.output is not None:
        say(
            f"note: --matrix-only measures no links, so {target} is not written;"
            f" measurements are kept in {samples_path(target)}"
        )
    files = Files(machine, written.matrix, written.figures, samples_path(target))
    job = Job(tuple(source.command or ()), files, source.mpi, repeat.text())
    carry_out(lambda: prober.probe(job, scan.goal()), written.show)
