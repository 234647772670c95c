# SPDX-License-Identifier: Apache-2.0
"""The document of a comparison with peers: cells, counts, losses, what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier import __version__
from espalier.io.console import document
from espalier.peers import statistics
from espalier.peers.cells import OURS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from espalier.peers.cells import Cell
    from espalier.peers.simulated import LeftOut

SCHEMA = "espalier-peers"
VERSION = 1


def make(
    cells: Sequence[Cell],
    *,
    facts: Mapping[str, Any],
    platforms: Sequence[Mapping[str, Any]],
    left_out: Sequence[LeftOut] = (),
    wrong: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return the document.

    Args:
        cells: what was compared.
        facts: when, with what and how, see the schema: everything but cells and what follows.
        platforms: name and machine of each.
        left_out: what was too much to simulate.
        wrong: candidates and native calls with a wrong result.
    """
    present = [which for which in OURS if any(which in cell.ours for cell in cells)]
    return document(
        SCHEMA,
        VERSION,
        espalier=__version__,
        **facts,
        platforms=list(platforms),
        tallies={which: _tallies(cells, which) for which in present},
        targets=[
            _target(target, cells) for target in statistics.TARGETS if target.which in present
        ],
        losses={
            which: [_place(cell) for cell in statistics.losses(cells, which)] for which in present
        },
        below_bound=[
            {**_place(cell), "contender": name, "us": us, "bound_us": cell.bound_us}
            for cell, name, us in statistics.below_bound(cells)
        ],
        left_out=[
            {
                "platform": one.run.place.platform,
                "placement": one.run.place.placement,
                "num_ranks": one.run.place.num_ranks,
                "collective": one.collective,
                "reason": one.reason,
            }
            for one in left_out
        ],
        wrong=list(wrong),
        cells=[cell.to_json() for cell in cells],
    )


def _place(cell: Cell) -> dict[str, Any]:
    return {
        "platform": cell.place.platform,
        "placement": cell.place.placement,
        "num_ranks": cell.place.num_ranks,
        "collective": cell.collective,
        "bytes": cell.bytes,
    }


def _tallies(cells: Sequence[Cell], which: str) -> dict[str, Any]:
    by = {
        "collective": lambda cell: cell.collective,
        "platform": lambda cell: cell.place.platform,
        "place": lambda cell: cell.place.label,
    }
    return {
        "overall": statistics.tally("overall", cells, which).to_json(),
        **{
            f"by_{name}": [one.to_json() for one in statistics.tallies(cells, which, key)]
            for name, key in by.items()
        },
        "by_peer": [one.to_json() for one in statistics.tallies_by_peer(cells, which)],
    }


def _target(target: statistics.Target, cells: Sequence[Cell]) -> dict[str, Any]:
    total = statistics.tally("overall", cells, target.which)
    return {
        "which": target.which,
        "least_mean": target.least_mean,
        "most_slower": target.most_slower,
        "mean": total.mean,
        "is_mean_reached": target.is_mean_reached(total),
        "cells_missed": len(target.misses(cells)),
    }
