# SPDX-License-Identifier: Apache-2.0
"""`espalier show`."""

import enum
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from espalier.base.units import MOST_RANKS, parse_bytes
from espalier.catalog import neighborhoods
from espalier.catalog.crossings import Machine
from espalier.catalog.neighborhoods import Grid, NeighborSchedule
from espalier.catalog.schedules import Schedule
from espalier.cli.options import Json, Placement
from espalier.errors import ArgumentError, FileError
from espalier.io.console import json_text, say
from espalier.maps import problem
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


_USUAL_RANKS = 4
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
class Around:
    """The grid of processes of a neighborhood collective, and the neighbours of each."""

    grid: Annotated[
        str | None,
        typer.Option(
            "--grid",
            "--dims",
            help="Processes in each dimension, for an algorithm of neighborhoods: 3x3.",
        ),
    ] = None
    periodic: Annotated[
        str, typer.Option("--periodic", help="Dimensions that are rings: x,y or 1,0 or all.")
    ] = ""
    stencil: Annotated[
        str | None,
        typer.Option(
            "--stencil",
            help="nearest (5pt, 7pt), full (9pt, 27pt), or offsets: '(1,0) (-1,0) (0,2)'.",
            show_default="nearest",
        ),
    ] = None

    def described(self, algorithm: str) -> Grid | None:
        """Return the grid of an algorithm of neighborhoods; none of another one.

        Raises:
            ArgumentError: a grid is missing, wrong, or said of an algorithm that has none.
        """
        if not neighborhoods.is_collective(algorithm):
            given = {
                "--grid": self.grid,
                "--periodic": self.periodic,
                "--stencil": self.stencil,
            }
            for name in (name for name, value in given.items() if value):
                raise ArgumentError(
                    f"expected an algorithm of neighborhoods with {name}, got '{algorithm}'",
                    "as in neighbor_alltoall/combining",
                )
            return None
        if self.grid is None:
            raise ArgumentError(
                f"expected --grid with {algorithm}, got none", "as in --grid 3x3 --stencil full"
            )
        extents = problem.parse_extents(self.grid, "--grid")
        stencil = self.stencil or "nearest"
        if ":" in stencil:
            raise ArgumentError(
                f"expected --stencil without weights, got '{stencil}'", "blocks have one size here"
            )
        return Grid(extents, problem.parse_periodic(self.periodic, len(extents)), stencil)


@dataclass(frozen=True)
class Shown:
    """Which ranks of the algorithm to show."""

    algorithm: Annotated[
        str, typer.Argument(help="An algorithm, with arguments if wanted: bcast/k_nomial[k=4].")
    ]
    num_ranks: Annotated[
        int | None,
        typer.Option(
            "--ranks",
            "-p",
            max=MOST_RANKS,
            help="Number of ranks.",
            show_default="4; those of --grid",
        ),
    ] = None
    root: Annotated[
        int, typer.Option("--root", max=MOST_RANKS, help="Root, of collectives that have one.")
    ] = 0
    rank: Annotated[
        int | None, typer.Option("-r", "--rank", help="Show the program of this rank only.")
    ] = None

    def schedule(self, around: Around, machine: Machine | None) -> Schedule | NeighborSchedule:
        """Return what is shown.

        Raises:
            ArgumentError: a grid is missing or too much, or ranks are not those of the grid.
        """
        grid = around.described(self.algorithm)
        if grid is None:
            num_ranks = _USUAL_RANKS if self.num_ranks is None else self.num_ranks
            return Schedule(self.algorithm, num_ranks, self.root, machine)
        if self.num_ranks not in (None, grid.num_ranks):
            raise ArgumentError(
                f"expected the {grid.num_ranks} ranks of --grid {around.grid}, got --ranks"
                f" {self.num_ranks}",
                "leave it out",
            )
        if self.root:
            raise ArgumentError(
                f"expected no root with {self.algorithm}, got --root {self.root}", "leave it out"
            )
        return NeighborSchedule(self.algorithm, grid, machine)

    def form(self, named: Form | None, usual: str) -> Form:
        """Return the form to show it in, the usual one unless one is named.

        Raises:
            ArgumentError: it shows all ranks, and one was asked for.
        """
        if named is None:
            return Form(usual) if self.rank is None else Form.program
        if self.rank is not None and named in _OF_ALL_RANKS:
            raise ArgumentError(
                f"--form {named.value} shows all ranks, got --rank {self.rank}", "leave it out"
            )
        return named


def show(
    what: Shown,
    around: Around,
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
    """Draw an algorithm for a number of ranks or a grid, or print its program."""
    asked = what.schedule(around, crossed.described())
    chosen = what.form(form, asked.usual_form())
    if chosen is Form.svg:
        _save(schedule.draw(asked.picture()), output)
        return
    if chosen is Form.json:
        _save(json_text(asked.programs(what.rank)), output)
        return
    shown = asked.show(chosen.value, what.rank)
    if json:
        _save(json_text(shown), output)
    elif chosen is Form.text or output is not None:
        _save(shown["drawing"] + "\n", output)
    else:
        print_schedule(shown)
