# SPDX-License-Identifier: Apache-2.0
"""One algorithm of neighborhoods on a grid: what it says of itself, and its drawings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.catalog import catalog, crossings, schedules
from espalier.errors import ArgumentError, UnsupportedError
from espalier.io.console import document

if TYPE_CHECKING:
    from espalier._core import Algorithm, NeighborGrid
    from espalier.catalog.crossings import Machine

_MOST_EDGES = 1_000_000
_DRAWINGS = {"sent": _core.draw_neighbor_sent, "messages": _core.draw_neighbor_messages}
_FORMS = (*_DRAWINGS, "program", "text", "svg")


@dataclass(frozen=True)
class Grid:
    """Processes with the same stencil around each, as `espalier_neighborhood_create` puts it."""

    extents: tuple[int, ...]
    periodic: tuple[bool, ...]
    stencil: str

    @property
    def num_ranks(self) -> int:
        """Return the number of processes."""
        return math.prod(self.extents)

    def description(self) -> dict[str, Any]:
        """Return it as a part of a document."""
        return {
            "grid": list(self.extents),
            "periodic": list(self.periodic),
            "stencil": _core.stencil_text(self.stencil, len(self.extents)),
        }


def is_collective(choice: str) -> bool:
    """Return whether the collective of a choice is one of neighborhoods."""
    collective = choice.partition("/")[0]
    return any(entry["collective"] == collective for entry in _core.neighbor_catalog())


def _algorithm_of(choice: str) -> Algorithm:
    collective = choice.partition("/")[0]
    known = {catalog.full_name(entry): entry for entry in _core.neighbor_catalog()}
    if choice not in known:
        names = ", ".join(name for name in known if name.startswith(f"{collective}/"))
        raise ArgumentError(
            f"expected an algorithm of {collective} ({names}), got '{choice}'",
            "they have no arguments",
        )
    return known[choice]


def _unshown(form: str) -> UnsupportedError:
    return UnsupportedError(
        f"expected --form {', '.join(_FORMS[:-1])} or {_FORMS[-1]} for neighborhoods, got {form}",
        "'--form text' prints the programs of all ranks",
    )


@dataclass(frozen=True)
class NeighborSchedule:
    """An algorithm on a grid, perhaps of a machine."""

    choice: str
    grid: Grid
    machine: Machine | None = None

    def usual_form(self) -> str:
        """Return the drawing that says most."""
        return "sent"

    def show(self, form: str, rank: int | None) -> dict[str, Any]:
        """Return it with costs and a drawing (or its program, as text) as a document."""
        algorithm, grid = self._checked(form)
        drawing = self._drawing(grid, form, rank)
        return document(
            "espalier-show",
            1,
            algorithm=self.choice,
            collective=algorithm["collective"],
            num_ranks=self.grid.num_ranks,
            root=0,
            neighborhood=self.grid.description(),
            summary=algorithm["summary"],
            source=algorithm["source"],
            valid=algorithm["valid"],
            order=None,
            facts=_core.neighbor_facts(self.choice, grid),
            costs={"closed_form": None, "counted": _core.neighbor_count(self.choice, grid)},
            crossing=self._crossing(grid),
            form=form,
            drawing=drawing.rstrip("\n"),
        )

    def picture(self) -> dict[str, Any]:
        """Return what a picture shows: messages, and where the ranks lie."""
        _, grid = self._checked("svg")
        return {
            "algorithm": self.choice,
            "num_ranks": self.grid.num_ranks,
            "sent": _core.neighbor_sent(self.choice, grid),
            "place": self.machine.place(self.grid.num_ranks) if self.machine else None,
            "crossing": self._crossing(grid),
        }

    def programs(self, _rank: int | None) -> dict[str, Any]:
        """Raise UnsupportedError: documents of programs are for the prover of other collectives."""
        _algorithm_of(self.choice)
        raise _unshown("json")

    def _checked(self, form: str) -> tuple[Algorithm, NeighborGrid]:
        """Return the algorithm, and the grid as the compiled module takes it.

        Raises:
            ArgumentError: it does not exist, or something is wrong with the grid.
            UnsupportedError: it does not serve the grid, or cannot be shown so.
        """
        algorithm = _algorithm_of(self.choice)
        if form not in _FORMS:
            raise _unshown(form)
        num_edges = self.grid.num_ranks * self._num_offsets()
        if num_edges > _MOST_EDGES:
            raise UnsupportedError(
                f"the neighborhood of all ranks has {num_edges} edges, more than {_MOST_EDGES}",
                "take a smaller grid",
            )
        grid = self._core_grid()
        if reason := _core.neighbor_refuses(self.choice, grid):
            raise UnsupportedError(
                f"{self.choice}: {reason}",
                "say where ranks lie, as in --machine 'node:2 core:4'",
            )
        return algorithm, grid

    def _num_offsets(self) -> int:
        return _core.num_neighbors(self.grid.stencil, len(self.grid.extents))

    def _core_grid(self) -> NeighborGrid:
        nodes: list[int] = []
        if self.machine is not None:
            place = self.machine.place(self.grid.num_ranks)
            nodes = place["levels"][place["node_level"]]["object_of_rank"]
        return self.grid.extents, self.grid.periodic, self.grid.stencil, nodes

    def _drawing(self, grid: NeighborGrid, form: str, rank: int | None) -> str:
        if draw := _DRAWINGS.get(form):
            return draw(self.choice, grid)
        ranks = schedules.ranks_of(self.grid.num_ranks, rank)
        return "\n".join(_core.neighbor_program_text(self.choice, grid, one) for one in ranks)

    def _crossing(self, grid: NeighborGrid) -> dict[str, Any] | None:
        if self.machine is None:
            return None
        num_ranks = self.grid.num_ranks
        crossings.check_levels(self.machine, num_ranks)
        found = _core.neighbor_traffic(self.choice, grid, *self.machine.setting(num_ranks))
        return crossings.described(found, num_ranks, self.machine, self.machine.num_bytes)
