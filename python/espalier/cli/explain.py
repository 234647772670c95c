# SPDX-License-Identifier: Apache-2.0
"""`espalier explain`."""

from pathlib import Path
from typing import Annotated

import typer

from espalier.base.units import MOST_RANKS, parse_bytes
from espalier.cli.options import Json
from espalier.errors import ArgumentError
from espalier.io.console import emit_json
from espalier.launch import runs
from espalier.profiles import explanation, profiles
from espalier.report.explain import print_profile, print_run


def _explain_run(folder: Path, question: explanation.Question, *, json: bool) -> None:
    if question != explanation.Question():
        raise ArgumentError(
            "--collective, --ranks, --nodes and --bytes ask about a profile, got a folder",
            "leave them out",
        )
    explained = runs.explain_run(folder)
    if json:
        emit_json(explained)
    else:
        print_run(explained)


def explain(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PROFILE|FOLDER",
            help="Profile, or folder with statistics that a run left (ESPALIER_STATISTICS).",
        ),
    ],
    collective: Annotated[
        str | None, typer.Option("--collective", help="An MPI call, as in allgatherv.")
    ] = None,
    num_ranks: Annotated[
        int | None,
        typer.Option("-p", "--ranks", max=MOST_RANKS, help="Ranks of the communicator."),
    ] = None,
    num_nodes: Annotated[
        int | None, typer.Option("--nodes", max=MOST_RANKS, help="Nodes they are on.")
    ] = None,
    size: Annotated[
        str | None, typer.Option("--bytes", help="Size of the whole result, as in 64KiB.")
    ] = None,
    json: Json = False,
) -> None:
    """Say what a profile chooses and why, or what ran in a program and why.

    A profile: which algorithm for which sizes, the measurements behind it, and what a simple model
    of latency and bandwidth says of the same candidates. A folder: per class of calls what ran,
    how long it took, why, and what was borrowed from measurements of another shape.
    """
    num_bytes = None if size is None else parse_bytes(size)
    question = explanation.Question(collective, num_ranks, num_nodes, num_bytes)
    if path.is_dir():
        _explain_run(path, question, json=json)
        return
    explained = explanation.explain_profile(profiles.read(path), question)
    if json:
        emit_json(explained)
    else:
        print_profile(explained)
