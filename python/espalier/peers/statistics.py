# SPDX-License-Identifier: Apache-2.0
"""Ratios, means, and who won: pure functions of cells."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from espalier.peers.cells import Cell

TIE = 0.02


def verdict(ratio: float, tie: float = TIE) -> str:
    """Return win, tie or loss; a tie is a difference of at most this share either way."""
    if ratio > 1 + tie:
        return "win"
    # Ours is more than `tie` slower: ours > (1 + tie) peer.
    return "loss" if ratio * (1 + tie) < 1 else "tie"


def geometric_mean(ratios: Sequence[float]) -> float | None:
    """Return the mean of ratios; None of nothing."""
    if not ratios:
        return None
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


@dataclass(frozen=True)
class Tally:
    """Ours against the best peer in a group of cells.

    A measured difference that may be chance is a tie. A cell counts as a win only if every peer has
    a time there; a cell where one is missing and we are faster than the others is `unproved`, and
    in no mean.
    """

    name: str
    num_cells: int
    wins: int
    ties: int
    losses: int
    unproved: int
    mean: float | None
    worst: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the tally as plain data."""
        return {
            "name": self.name,
            "cells": self.num_cells,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "unproved": self.unproved,
            "geometric_mean": self.mean,
            "worst_ratio": self.worst,
        }


def tally(name: str, cells: Iterable[Cell], which: str) -> Tally:
    """Count how often one of ours won, tied and lost against the best peer."""
    counts = {"win": 0, "tie": 0, "loss": 0}
    ratios = []
    unproved = 0
    total = 0
    for cell in cells:
        total += 1
        ratio = cell.ratio(which)
        if ratio is None:
            continue
        judged = verdict(ratio) if cell.is_certain(which) else "tie"
        if judged == "win" and cell.missing_peers():
            unproved += 1
            continue
        counts[judged] += 1
        ratios.append(ratio)
    return Tally(
        name,
        total,
        counts["win"],
        counts["tie"],
        counts["loss"],
        unproved,
        geometric_mean(ratios),
        min(ratios, default=None),
    )


def tallies(cells: Sequence[Cell], which: str, key: Callable[[Cell], str]) -> list[Tally]:
    """Return a tally for each group of cells, in the order in which groups first occur."""
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(key(cell), []).append(cell)
    return [tally(name, members, which) for name, members in groups.items()]


def tallies_by_peer(cells: Sequence[Cell], which: str) -> list[Tally]:
    """Return a tally against each peer alone, over the cells in which it has a time."""
    names = dict.fromkeys(name for cell in cells for name in cell.peers)
    return [
        tally(
            name,
            [
                dataclasses.replace(cell, peers={name: cell.peers[name]})
                for cell in cells
                if name in cell.peers and cell.peers[name].us is not None
            ],
            which,
        )
        for name in names
    ]


def losses(cells: Iterable[Cell], which: str) -> list[Cell]:
    """Return the cells where one of ours is slower than the best peer, the worst first."""
    lost = []
    for cell in cells:
        ratio = cell.ratio(which)
        if ratio is not None and verdict(ratio) == "loss" and cell.is_certain(which):
            lost.append((ratio, cell))
    return [cell for _, cell in sorted(lost, key=lambda entry: entry[0])]


def below_bound(cells: Iterable[Cell], tolerance: float = 1e-3) -> list[tuple[Cell, str, float]]:
    """Return whoever is faster than the lower bound allows: a mistake in one of them."""
    found = []
    for cell in cells:
        for name, outcome in (*cell.ours.items(), *cell.peers.items()):
            if (
                cell.bound_us is not None
                and outcome.us is not None
                and outcome.us < cell.bound_us * (1 - tolerance)
            ):
                found.append((cell, name, outcome.us))
    return found


@dataclass(frozen=True)
class Target:
    """What is promised of one of ours: a mean, and how much slower it may be in any cell."""

    which: str
    least_mean: float
    most_slower: float

    def is_mean_reached(self, total: Tally) -> bool:
        """Return whether the mean over all cells is high enough."""
        return total.mean is not None and total.mean >= self.least_mean

    def misses(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return the cells that are slower than they may be."""
        limit = 1 / (1 + self.most_slower)
        return [cell for cell in cells if (cell.ratio(self.which) or limit) < limit]


TARGETS = (Target("profile", 1.5, 0.02), Target("model", 1.2, 0.10))
