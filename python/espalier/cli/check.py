# SPDX-License-Identifier: Apache-2.0
"""`espalier check`."""

import contextlib
import dataclasses
import enum
import math
import os
import time
from pathlib import Path
from typing import Annotated

import typer

from espalier.base.units import parse_integers
from espalier.catalog import extent, programs, proofs
from espalier.cli.options import Json
from espalier.errors import ArgumentError
from espalier.io.console import emit_json, progress
from espalier.report.check import print_proofs


class Roots(str, enum.Enum):
    """Which roots of a rooted collective to try."""

    classes = "classes"
    all = "all"


def _extent(ranks: str | None, roots: Roots | None, *, everything: bool) -> extent.Extent:
    wanted = extent.everything if everything else extent.Extent()
    if ranks is not None:
        wanted = dataclasses.replace(
            wanted, ranks=parse_integers(ranks, "numbers of ranks"), large=()
        )
    if roots is not None:
        wanted = dataclasses.replace(wanted, every_root_to=math.inf if roots is Roots.all else 0)
    return wanted


def _report(jobs: list[proofs.Job], done: list[proofs.Proof], start: float) -> dict[str, object]:
    seconds = time.perf_counter() - start
    return proofs.report(jobs, done, seconds, coverage=extent.coverage(done))


def _prove(jobs: list[proofs.Job], done: list[proofs.Proof]) -> None:
    weights = {job: job.weight() for job in jobs}
    with (
        progress("proving", sum(weights.values())) as bar,
        contextlib.closing(proofs.prove_all(jobs)) as results,
    ):
        for job, proof in results:
            done.append(proof)
            bar.advance(weights[job], f"{job.choice} p = {job.num_ranks}")


def check(
    pattern: Annotated[
        str | None,
        typer.Argument(
            metavar="PATTERN",
            help="Name, part of one, pattern with * and ?, or one choice: bcast/k_nomial[k=4].",
        ),
    ] = None,
    ranks: Annotated[
        str | None, typer.Option("-p", "--ranks", help="Numbers of ranks as in 1-33,64 (1-33).")
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Also larger, awkward numbers of ranks, segments, and every root of few ranks.",
        ),
    ] = False,
    roots: Annotated[
        Roots | None,
        typer.Option(
            "--roots",
            help="First, second, middle and last rank, or all.",
            show_default="classes; with --all all to 9 ranks",
        ),
    ] = None,
    program_file: Annotated[
        Path | None,
        typer.Option(
            "--programs",
            metavar="FILE",
            help="Prove programs from a file instead, in the form of 'espalier show --form json'.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Prove that algorithms do what their collective promises, in every variant.

    Ctrl-C prints what was proved so far. Exit code 1 if something is refuted.
    """
    if program_file is not None:
        if pattern is not None or ranks is not None:
            raise ArgumentError("expected either --programs or a pattern, got both")
        report = programs.prove_file(program_file)
    else:
        jobs = extent.plan(pattern, _extent(ranks, roots, everything=everything))
        proofs.check_memory(jobs, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
        done: list[proofs.Proof] = []
        start = time.perf_counter()
        try:
            _prove(jobs, done)
        except KeyboardInterrupt:
            _print(_report(jobs, done, start), json=json)
            raise
        report = _report(jobs, done, start)
    _print(report, json=json)
    if report["num_refuted"]:
        raise typer.Exit(1)


def _print(report: dict[str, object], *, json: bool) -> None:
    if json:
        emit_json(report)
    else:
        print_proofs(report)
