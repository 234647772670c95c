# SPDX-License-Identifier: Apache-2.0
"""`espalier map`."""

import math
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from espalier.base.units import MOST_RANKS
from espalier.cli.expansion import Repeat
from espalier.cli.options import Json, Placement
from espalier.errors import ArgumentError
from espalier.io.console import emit_json, say
from espalier.io.output_files import check_writable, write_whole
from espalier.launch import traffic as counted
from espalier.machines import machines, sources
from espalier.maps import (
    choosing,
    edges,
    hosts,
    launcher_files,
    outcome,
    problem,
    seats,
    traffic,
)
from espalier.maps.choosing import Effort, Selection, Site
from espalier.maps.edges import EdgeProblem
from espalier.maps.problem import GridProblem
from espalier.maps.seats import Seats
from espalier.maps.traffic import TrafficProblem
from espalier.report.map import print_map

_USUAL_STENCIL = "nearest"
_NO_DIMENSIONS = "a graph has no dimensions"


@dataclass(frozen=True)
class Processes:
    """The grid or the graph of the processes."""

    grid: Annotated[
        str | None,
        typer.Option("--grid", help="Processes in each dimension: 50x48; 0 is to be chosen: 0x48."),
    ] = None
    cells: Annotated[
        str | None,
        typer.Option("--cells", help="Cells of the application, to weigh by: 1000x1100x950."),
    ] = None
    halo: Annotated[
        str | None,
        typer.Option(
            "--halo", help="Layers of cells that neighbours exchange.", show_default="1x1.."
        ),
    ] = None
    stencil: Annotated[
        str,
        typer.Option(
            "--stencil",
            help="nearest (5pt, 7pt), full (9pt, 27pt), or offsets with weights:"
            " '(1,0) (-1,0) (0,1):2.5 (0,-1):2.5'.",
        ),
    ] = _USUAL_STENCIL
    periodic: Annotated[
        str, typer.Option("--periodic", help="Dimensions that are rings: x,y or 1,0 or all.")
    ] = ""
    graph: Annotated[
        Path | None,
        typer.Option("--edges", metavar="FILE", help="A graph instead: lines 'from to weight'."),
    ] = None

    traffic: Annotated[
        Path | None,
        typer.Option(
            "--traffic",
            metavar="FOLDER",
            help="What a run sent ('espalier run --traffic'); the machine is its hosts, unless"
            " --machine is given.",
        ),
    ] = None

    def problem(self) -> GridProblem | EdgeProblem:
        """Return what is to be mapped.

        Raises:
            ArgumentError: nothing is, or a graph and a grid are.
        """
        if self.traffic is not None:
            self._check_alone("--traffic", {"--edges": self.graph})
            return traffic.problem_of(counted.read(self.traffic))
        if self.graph is not None:
            self._check_alone("--edges", {})
            return edges.read(self.graph)
        if self.grid is None and self.cells is None:
            raise ArgumentError(
                "expected --grid, --cells, --edges or --traffic, got none",
                "say what grid of processes the program has, as in --grid 50x48",
            )
        return problem.grid_problem(self.grid, self.cells, self.halo, self.periodic, self.stencil)

    def _check_alone(self, option: str, others: dict[str, Path | None]) -> None:
        given = {
            "--grid": self.grid,
            "--cells": self.cells,
            "--halo": self.halo,
            "--periodic": self.periodic or None,
            "--stencil": None if self.stencil == _USUAL_STENCIL else self.stencil,
            **others,
        }
        named = [name for name, value in given.items() if value is not None]
        if named:
            raise ArgumentError(
                f"expected {option} alone, got {' and '.join(named)} too", _NO_DIMENSIONS
            )


@dataclass(frozen=True)
class Where:
    """The machine, and where ranks run on it now."""

    machine: Annotated[
        str | None,
        typer.Option(
            "--machine",
            help="A machine: '50n x 48c', or a file.",
            show_default="that of the SLURM job, or of --traffic",
        ),
    ] = None
    placement: Placement = None
    num_ranks: Annotated[
        int | None,
        typer.Option(
            "--ranks",
            "-p",
            min=1,
            max=MOST_RANKS,
            help="Number of processes.",
            show_default="grid, else cores",
        ),
    ] = None

    def site(self, wanted: GridProblem | EdgeProblem) -> Site:
        """Return the cores for the processes."""
        if isinstance(wanted, TrafficProblem) and self.machine is None:
            return self._observed(wanted)
        num_ranks = _num_ranks(wanted, self.num_ranks)
        return choosing.site_of(_machine(self.machine), self.placement, num_ranks)

    def _observed(self, wanted: TrafficProblem) -> Site:
        if self.placement is not None or self.num_ranks not in (None, wanted.num_ranks):
            raise ArgumentError(
                "expected --machine with --placement or -p, got --traffic alone",
                "without --machine ranks are where they were when they were counted",
            )
        return traffic.site_of(wanted.traffic)


@dataclass(frozen=True)
class Search:
    """How to look for the mapping."""

    joint: Annotated[
        bool,
        typer.Option("--joint", help="Map several good grids, take the one that maps best."),
    ] = False
    algorithm: Annotated[
        str | None,
        typer.Option("--algorithm", help="Only these of the portfolio.", show_default="all"),
    ] = None
    search: Annotated[
        bool, typer.Option("--search/--no-search", help="Improve the best by swapping ranks.")
    ] = True

    def choose(self, wanted: GridProblem | EdgeProblem, site: Site) -> Selection:
        """Return the best mapping."""
        names = tuple(self.algorithm.split(",")) if self.algorithm else ()
        effort = Effort(names, self.search)
        if isinstance(wanted, EdgeProblem):
            if self.joint:
                raise ArgumentError("expected --joint with a grid, got a graph", _NO_DIMENSIONS)
            return choosing.map_edges(wanted, site, effort)
        return choosing.map_grid(wanted, site, effort, is_joint=self.joint)


@dataclass(frozen=True)
class Launching:
    """The file that makes a launcher start processes so."""

    launcher: Annotated[
        str | None, typer.Option("--for", help="Write a file for openmpi, mpich or slurm.")
    ] = None
    host_names: Annotated[
        str | None,
        typer.Option(
            "--hosts",
            help="Names of the nodes: node[01-50], a,b,c, or a file.",
            show_default="those in the machine file",
        ),
    ] = None
    bind: Annotated[
        bool | None,
        typer.Option(
            "--bind/--no-bind",
            help="Say the core of each rank, not only the node.",
            show_default="--bind for openmpi",
        ),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="The file for the launcher.", show_default="rankfile, ..."
        ),
    ] = None

    def fitting(self, where: Where, wanted: GridProblem | EdgeProblem) -> "Launching":
        """Return what is meant where only the hosts of a counted run are known, not their cores.

        Raises:
            ArgumentError: cores are wanted all the same.
        """
        if not isinstance(wanted, TrafficProblem) or where.machine is not None:
            return self
        if self.bind:
            raise ArgumentError(
                "expected --machine with --bind, got none",
                "a counted run tells on which host a rank was, not on which core",
            )
        names = self.host_names or ",".join(wanted.traffic.nodes)
        return replace(self, bind=False, host_names=names)

    @property
    def binds(self) -> bool:
        """Return whether the file says cores."""
        return self.launcher is not None and launcher_files.binding(self.launcher, self.bind)

    def path(self) -> Path | None:
        """Return where the file is written; None if there is none.

        Raises:
            ArgumentError: it has a name, but nobody to be for.
        """
        if self.launcher is not None:
            usual = launcher_files.default_path(self.launcher, binds=self.binds)
            return self.output or Path(usual)
        if self.output is not None:
            raise ArgumentError(
                "expected --for with -o, got none",
                "say for which launcher: openmpi, mpich or slurm",
            )
        return None

    def names(self, site: Site) -> list[str]:
        """Return the names of the nodes, if they are given or to be written."""
        if self.launcher is None and self.host_names is None:
            return []
        num_nodes = seats.num_nodes(site.machine)
        return hosts.names_of(site.machine, num_nodes, self.host_names)

    def write(self, found: dict[str, Any], after: Seats, names: list[str]) -> None:
        """Write the file, and add to the document what to type."""
        path = self.path()
        if self.launcher is None or path is None:
            return
        launch = launcher_files.make(self.launcher, after, names, binds=self.binds)
        write_whole(path, launch.text, "file for the launcher", "choose another with -o")
        outcome.add_launch(found, launch, str(path))


def _machine(text: str | None) -> machines.Machine:
    if text is not None:
        return machines.load(text)
    if "SLURM_JOB_NODELIST" not in os.environ:
        raise ArgumentError(
            "expected --machine outside a SLURM job, got none",
            "describe it, as in --machine '50n x 2s x 24c', or name a file of 'espalier probe'",
        )
    return sources.of_slurm(None)


def _num_ranks(wanted: GridProblem | EdgeProblem, given: int | None) -> int | None:
    if isinstance(wanted, EdgeProblem):
        least = wanted.num_ranks
        if given is not None and given < least:
            raise ArgumentError(
                f"expected -p of at least {least}, as {wanted.origin} has edges of rank"
                f" {least - 1}, got {given}"
            )
        return given or least
    if wanted.is_open:
        return given
    product = math.prod(wanted.extents)
    if given not in (None, product):
        raise ArgumentError(
            f"expected -p {product}, the product of --grid, got {given}", "leave out one of them"
        )
    return product


@dataclass(frozen=True)
class Shown:
    """How the mapping is shown."""

    draw: Annotated[
        Path | None, typer.Option("--draw", metavar="FILE", help="Draw before and after: svg, png.")
    ] = None
    json: Json = False


def _check_files(wanted: GridProblem | EdgeProblem, draw: Path | None, file: Path | None) -> None:
    if draw is not None:
        from espalier.report.figures import grid  # noqa: PLC0415 - slow to import

        if isinstance(wanted, EdgeProblem):
            raise ArgumentError(
                "expected --draw with a grid, got a graph", "graphs have no picture"
            )
        grid.check_path(draw)
        check_writable(draw, "--draw")
    if file is not None:
        check_writable(file)


def _draw(
    found: dict[str, object], wanted: GridProblem, site: Site, after: Seats, path: Path
) -> None:
    from espalier.report.figures import grid  # noqa: PLC0415 - slow to import

    before = seats.seats_of(site, range(site.num_ranks))
    grid.draw_grid(found, before, after, wanted.offsets(), path)
    say(f"drew {path}")


def _helps(found: dict[str, Any], wanted: TrafficProblem, site: Site, selection: Selection) -> bool:
    """Add to the document what the mapping saves, and return whether it is worth a file."""
    before = [seat.node for seat in seats.seats_of(site, range(site.num_ranks)).of_position]
    judgement = traffic.judge(wanted.traffic, before, selection.result)
    outcome.add_judgement(found, judgement)
    return judgement.helps


def map_processes(
    processes: Processes,
    where: Where,
    search: Search,
    launching: Launching,
    shown: Shown,
    repeat: Repeat,
) -> None:
    """Find where the processes of a grid should run, and write what makes a launcher do it.

    Neighbours in the grid then share nodes, packages and so on where they can. Rank i of the
    program stands at position i, counted as MPI_Cart_create does, last dimension fastest; the
    program is not changed. docs/explanation/mapping says when the other ways are better.
    """
    wanted = processes.problem()
    launching = launching.fitting(where, wanted)
    _check_files(wanted, shown.draw, launching.path())
    site = where.site(wanted)
    names = launching.names(site)
    selection = search.choose(wanted, site)
    after = seats.seats_of(site, selection.result["rank_at"])
    found = outcome.conclude(wanted, site, selection, after, repeat.text())
    if not isinstance(wanted, TrafficProblem) or _helps(found, wanted, site, selection):
        launching.write(found, after, names)
    if shown.draw is not None and isinstance(wanted, GridProblem):
        _draw(found, wanted, site, after, shown.draw)
    if shown.json:
        emit_json(found)
    else:
        print_map(found)
