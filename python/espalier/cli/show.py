# SPDX-License-Identifier: Apache-2.0
"""`espalier show`."""

import enum
import sys
from pathlib import Path
from typing import Annotated

import typer

from espalier.base.units import parse_bytes
from espalier.catalog import schedules
from espalier.catalog.crossings import Machine
from espalier.cli.options import Json
from espalier.errors import ArgumentError, FileError
from espalier.io.console import json_text, say
from espalier.report.figures import schedule
from espalier.report.show import print_schedule


class Form(str, enum.Enum):
    """What to show."""

    holdings = "holdings"
    sent = "sent"
    messages = "messages"
    program = "program"
    text = "text"
    json = "json"
    svg = "svg"


def _save(text: str, path: Path | None) -> None:
    if path is None:
        sys.stdout.write(text)
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(
            f"{path}: expected a file that can be written, got '{error.strerror}'"
        ) from error
    say(f"wrote {path}")


def _machine(text: str | None, placement: str | None, num_bytes: str | None) -> Machine | None:
    if text is None:
        given = [
            name for name, value in (("--placement", placement), ("--bytes", num_bytes)) if value
        ]
        if given:
            raise ArgumentError(
                f"expected --machine with {given[0]}, got none", "as in --machine 'node:2 core:4'"
            )
        return None
    size = None if num_bytes is None else parse_bytes(num_bytes)
    return Machine(text, placement, size)


def show(  # noqa: PLR0913, PLR0917 - one parameter an option
    algorithm: Annotated[
        str, typer.Argument(help="An algorithm, with arguments if wanted: bcast/k_nomial[k=4].")
    ],
    num_ranks: Annotated[int, typer.Option("-p", "--ranks", help="Number of ranks.")] = 4,
    root: Annotated[int, typer.Option("--root", help="Root, of collectives that have one.")] = 0,
    rank: Annotated[
        int | None, typer.Option("-r", "--rank", help="Show the program of this rank only.")
    ] = None,
    form: Annotated[
        Form | None,
        typer.Option(
            "--form",
            help="Blocks held after each round; what each rank sends; messages; program, or its"
            " bare text; programs for 'espalier check --programs' and other tools; picture.",
            show_default="holdings for bcast and allgather, else sent; program with --rank",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write text, json or svg to this file.")
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option(
            "--machine",
            help="Count what crosses nodes of a machine: '2n x 4c', 'node:2 core:4', or a file.",
        ),
    ] = None,
    placement: Annotated[
        str | None,
        typer.Option(
            "--placement",
            help="Ranks on its nodes: block, cyclic, cyclic:N, folded, list:0,4,1 of cores, or a"
            " file with a core in each line.",
            show_default="that of the machine file, else block",
        ),
    ] = None,
    num_bytes: Annotated[
        str | None,
        typer.Option(
            "--bytes",
            help="Size of a rank's block, or of the vector if there are none; else blocks count.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Draw an algorithm for a number of ranks, or print its program."""
    where = _machine(machine, placement, num_bytes)
    if form is None:
        form = Form(schedules.usual_form(algorithm)) if rank is None else Form.program
    if rank is not None and form in (Form.holdings, Form.sent, Form.messages, Form.svg):
        raise ArgumentError(
            f"--form {form.value} shows all ranks, got --rank {rank}", "leave it out"
        )
    if form is Form.svg:
        _save(schedule.draw(schedules.show_picture(algorithm, num_ranks, root, where)), output)
    elif form is Form.json:
        _save(json_text(schedules.show_programs(algorithm, num_ranks, root, rank)), output)
    else:
        shown = schedules.show(algorithm, form.value, num_ranks, root, rank, where)
        if json:
            _save(json_text(shown), output)
        elif form is Form.text or output is not None:
            _save(shown["drawing"] + "\n", output)
        else:
            print_schedule(shown)
