# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the study of keys: what choices cost in situations that they were not made for.

Pure functions of cells. A cell is a call and a size in one situation: the best choice `here`, its
`seconds`, and for the other situations of the group what their choice takes here (`others`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Cell = Mapping[str, Any]


@dataclass(frozen=True)
class Regret:
    """What the choice of another situation takes in this one, by the best choice here."""

    cell: Cell
    elsewhere: str
    choice: str
    ratio: float


def regrets(cells: Sequence[Cell]) -> list[Regret]:
    """Return one for each pair of situations of a group, each call and each size.

    A choice that cannot serve here would be native and is left out.
    """
    return [
        Regret(cell, elsewhere, other["choice"], max(1.0, other["seconds"] / cell["seconds"]))
        for cell in cells
        for elsewhere, other in cell["others"].items()
        if other["seconds"] is not None
    ]


def mean(found: Sequence[Regret]) -> float:
    """Return the geometric mean."""
    return math.exp(sum(math.log(one.ratio) for one in found) / len(found))


def share_lost(found: Sequence[Regret], lost: float) -> float:
    """Return the share of those that take at least so many times as long."""
    return sum(one.ratio >= lost for one in found) / len(found)


def blocks_of(kind: str, num_bytes: float, num_ranks: int) -> list[float]:
    """Return the bytes of each block, all together `num_bytes`; of equal ones none, as usual."""
    if kind == "rising":
        unit = num_bytes / (num_ranks * (num_ranks - 1) / 2)
        return [unit * rank for rank in range(num_ranks)]
    if kind == "one large":
        # Neither the first rank nor the first of a node.
        large = num_ranks // 2 + 1
        rest = num_bytes / 2 / (num_ranks - 1)
        return [num_bytes / 2 if rank == large else rest for rank in range(num_ranks)]
    if kind == "equal":
        return []
    raise ValueError(kind)
