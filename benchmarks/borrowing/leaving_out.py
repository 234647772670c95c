# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of borrowing: who lends to whom, and what that costs. Pure functions of cells."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.sampling.samples import NATIVE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Cell = Mapping[str, Any]

# A cell that takes so much more than the native time is counted as lost.
LOST = 0.05


@dataclass(frozen=True)
class Shape:
    """Nodes, each with so many ranks."""

    num_nodes: int
    num_cores: int

    @property
    def num_ranks(self) -> int:
        """Return how many ranks there are."""
        return self.num_nodes * self.num_cores

    def __str__(self) -> str:
        """Return `2 x 8`."""
        return f"{self.num_nodes} x {self.num_cores}"


@dataclass(frozen=True)
class Distance:
    """From how far shapes lend: factors of nodes and ranks, and by which the nearest is found."""

    by: str
    nodes: float
    ranks: float
    same_nodes: bool = True

    @classmethod
    def declared(cls, row: Mapping[str, Any]) -> Distance:
        """Return the distance that a table of the declaration describes."""
        return cls(row["by"], row["nodes"], row["ranks"], row.get("same_nodes", True))

    def reaches(self, lender: Shape, here: Shape) -> bool:
        """Return whether a shape may lend to another one."""
        nodes = _ratio(lender.num_nodes, here.num_nodes)
        is_wanted = self.same_nodes or lender.num_nodes != here.num_nodes
        is_near = nodes <= self.nodes and _ratio(lender.num_ranks, here.num_ranks) <= self.ranks
        return lender != here and is_wanted and is_near

    def order(self, lender: Shape, here: Shape) -> tuple[float, ...]:
        """Return what is least for the nearest shape; of two equally near the smaller one."""
        ranks = _ratio(lender.num_ranks, here.num_ranks)
        nodes = _ratio(lender.num_nodes, here.num_nodes)
        ratios = (ranks, nodes) if self.by == "ranks" else (nodes, ranks)
        return (*ratios, lender.num_nodes, lender.num_ranks)


@dataclass(frozen=True)
class Outcome:
    """What a call of a left out shape takes by the rule that it borrows, in microseconds.

    `choice` is `native` if nothing is borrowed. `best_us` is the least of all that was simulated.
    """

    cell: Cell
    peer: str
    choice: str
    lender: Shape | None
    us: float
    native_us: float
    best_us: float

    @property
    def gain(self) -> float:
        """Return native / ours."""
        return self.native_us / self.us

    @property
    def is_lost(self) -> bool:
        """Return whether the native call would be clearly faster."""
        return self.gain < 1 - LOST


def shape_of(cell: Cell) -> Shape:
    """Return the shape of a cell."""
    return Shape(cell["num_nodes"], cell["num_cores"])


def lenders_of(cell: Cell, cells: Sequence[Cell], distance: Distance) -> list[Cell]:
    """Return the cells of other shapes for the same call and size that may lend, nearest first."""
    here = shape_of(cell)
    found = [
        other
        for other in cells
        if (other["collective"], other["bytes"]) == (cell["collective"], cell["bytes"])
        and distance.reaches(shape_of(other), here)
    ]
    return sorted(found, key=lambda other: distance.order(shape_of(other), here))


def chosen_in(cell: Cell, peer: str, min_gain: float) -> str:
    """Return what a tuning chooses: the fastest of its choices, native for small gains."""
    own = {name: one["us"] for name, one in cell["choices"].items() if not one.get("lent")}
    if not own:
        return NATIVE
    best = min(own, key=lambda name: own[name])
    return best if cell["native_us"][peer] >= own[best] * (1 + min_gain) else NATIVE


def outcomes(
    cells: Sequence[Cell],
    distance: Distance | None,
    declared: Mapping[str, Any],
    agreement: float = math.inf,
) -> list[Outcome]:
    """Return what every cell takes if its shape is left out; None borrows nothing.

    Args:
        cells: All of them.
        distance: Who may lend.
        declared: Has the peers whose calls are native, and the least gain.
        agreement: The borrowed choice is taken if the model finds it at most this factor slower
            than its own best.
    """
    alike = defaultdict(list)
    for cell in cells:
        alike[cell["collective"], cell["bytes"]].append(cell)
    return [
        _outcome(cell, peer, lenders, (declared["min_gain"], agreement))
        for row in alike.values()
        for cell in row
        for lenders in [[] if distance is None else lenders_of(cell, row, distance)]
        for peer in declared["peers"]
    ]


def _outcome(cell: Cell, peer: str, lenders: Sequence[Cell], least: tuple[float, float]) -> Outcome:
    min_gain, agreement = least
    choices, native = cell["choices"], cell["native_us"][peer]
    borrowed = ((one, chosen_in(one, peer, min_gain)) for one in lenders)
    # What the algorithm of a rule refuses is borrowed from the next shape.
    lender, name = next(
        ((one, name) for one, name in borrowed if name == NATIVE or name in choices), (None, NATIVE)
    )
    if name != NATIVE and choices[name]["model_us"] > agreement * cell["best_model_us"]:
        name = NATIVE
    us = native if name == NATIVE else choices[name]["us"]
    best = min([native, *(one["us"] for one in choices.values())])
    where = None if lender is None else shape_of(lender)
    return Outcome(cell, peer, name, where, us, native, best)


def mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def _ratio(one: int, other: int) -> float:
    return max(one, other) / min(one, other)
