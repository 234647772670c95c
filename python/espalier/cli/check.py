# SPDX-License-Identifier: Apache-2.0
"""`espalier check`."""

import contextlib
import enum
import os
import time
from pathlib import Path
from typing import Annotated

import typer

from espalier import programs, proofs
from espalier.cli.options import Json
from espalier.console import emit_json, progress
from espalier.errors import ArgumentError
from espalier.units import parse_integers
from espalier.views.proofs import print_proofs


class Roots(str, enum.Enum):
    """Which roots of a rooted collective to try."""

    classes = "classes"
    all = "all"


def _ranks(text: str | None, everything: bool) -> list[int]:
    if text is not None:
        return parse_integers(text, "numbers of ranks")
    return [*proofs.usual_ranks, *(proofs.awkward_ranks if everything else ())]


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
        bool, typer.Option("--all", help="Also larger, awkward numbers of ranks, and every root.")
    ] = False,
    roots: Annotated[
        Roots, typer.Option("--roots", help="First, second, middle and last rank, or all.")
    ] = Roots.classes,
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
        jobs = proofs.plan(
            pattern, _ranks(ranks, everything), every_root=everything or roots is Roots.all
        )
        proofs.check_memory(jobs, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
        done: list[proofs.Proof] = []
        start = time.perf_counter()
        try:
            _prove(jobs, done)
        except KeyboardInterrupt:
            _print(proofs.report(jobs, done, time.perf_counter() - start), json=json)
            raise
        report = proofs.report(jobs, done, time.perf_counter() - start)
    _print(report, json=json)
    if report["num_refuted"]:
        raise typer.Exit(1)


def _print(report: dict[str, object], *, json: bool) -> None:
    if json:
        emit_json(report)
    else:
        print_proofs(report)
