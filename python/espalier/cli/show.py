# SPDX-License-Identifier: Apache-2.0
"""`espalier show`."""

import enum
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from espalier.base.units import MOST_RANKS, parse_bytes
from espalier.catalog import schedules
from espalier.catalog.crossings import Machine
from espalier.cli.options import Json, Placement
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


_OF_ALL_RANKS = (Form.holdings, Form.sent, Form.messages, Form.svg)


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


@dataclass(frozen=True)
class Crossed:
    """A machine whose nodes messages cross."""

    machine: Annotated[
        str | None,
        typer.Option(
            "--machine",
            help="Count what crosses nodes of a machine: '2n x 4c', 'node:2 core:4', or a file.",
        ),
    ] = None
    placement: Placement = None
    num_bytes: Annotated[
        str | None,
        typer.Option(
            "--bytes",
            help="Size of a rank's block, or of the vector if there are none; else blocks count.",
        ),
    ] = None

    def described(self) -> Machine | None:
        """Return the machine, if there is one.

        Raises:
            ArgumentError: something is said of none.
        """
        if self.machine is None:
            given = {"--placement": self.placement, "--bytes": self.num_bytes}
            for name in (name for name, value in given.items() if value):
                raise ArgumentError(
                    f"expected --machine with {name}, got none", "as in --machine 'node:2 core:4'"
                )
            return None
        size = None if self.num_bytes is None else parse_bytes(self.num_bytes)
        return Machine(self.machine, self.placement, size)


@dataclass(frozen=True)
class Shown:
    """Which ranks of the algorithm to show."""

    algorithm: Annotated[
        str, typer.Argument(help="An algorithm, with arguments if wanted: bcast/k_nomial[k=4].")
    ]
    num_ranks: Annotated[
        int, typer.Option("--ranks", "-p", max=MOST_RANKS, help="Number of ranks.")
    ] = 4
    root: Annotated[
        int, typer.Option("--root", max=MOST_RANKS, help="Root, of collectives that have one.")
    ] = 0
    rank: Annotated[
        int | None, typer.Option("-r", "--rank", help="Show the program of this rank only.")
    ] = None

    def form(self, named: Form | None) -> Form:
        """Return the form to show it in, the usual one unless one is named.

        Raises:
            ArgumentError: it shows all ranks, and one was asked for.
        """
        if named is None:
            if self.rank is not None:
                return Form.program
            return Form(schedules.usual_form(self.algorithm))
        if self.rank is not None and named in _OF_ALL_RANKS:
            raise ArgumentError(
                f"--form {named.value} shows all ranks, got --rank {self.rank}", "leave it out"
            )
        return named


def show(
    what: Shown,
    crossed: Crossed,
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
    json: Json = False,
) -> None:
    """Draw an algorithm for a number of ranks, or print its program."""
    where = crossed.described()
    chosen = what.form(form)
    asked = (what.algorithm, what.num_ranks, what.root)
    if chosen is Form.svg:
        _save(schedule.draw(schedules.show_picture(*asked, where)), output)
        return
    if chosen is Form.json:
        _save(json_text(schedules.show_programs(*asked, what.rank)), output)
        return
    shown = schedules.show(what.algorithm, chosen.value, *asked[1:], what.rank, where)
    if json:
        _save(json_text(shown), output)
    elif chosen is Form.text or output is not None:
        _save(shown["drawing"] + "\n", output)
    else:
        print_schedule(shown)
