# SPDX-License-Identifier: Apache-2.0
"""Colours for the nodes of a drawn grid: as on a map of countries, neighbours differ."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


def colors_of(nodes: Sequence[int], extents: Sequence[int], num_colors: int) -> dict[int, int]:
    """Return a colour for each node: the least used of those that no neighbour in the grid has.

    With too few colours for that, the least used of all.
    """
    beside = _beside(np.asarray(nodes).reshape(extents))
    uses = [0] * num_colors
    colors: dict[int, int] = {}
    for node in dict.fromkeys(nodes):
        taken = {colors[other] for other in beside.get(node, ()) if other in colors}
        left = [color for color in range(num_colors) if color not in taken]
        colors[node] = min(left or range(num_colors), key=lambda color: uses[color])
        uses[colors[node]] += 1
    return colors


def _beside(grid: np.ndarray) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for axis in range(grid.ndim):
        low = np.take(grid, range(grid.shape[axis] - 1), axis).ravel()
        high = np.take(grid, range(1, grid.shape[axis]), axis).ravel()
        pairs = np.unique(np.stack([low, high]), axis=1)[:, :]
        for one, other in pairs.T.tolist():
            if one != other:
                found.setdefault(one, set()).add(other)
                found.setdefault(other, set()).add(one)
    return found


def slices_of(extents: Sequence[int]) -> tuple[int, int, int]:
    """Return how a grid of any dimension is drawn: number of slices, rows and columns of each."""
    rows = extents[-2] if len(extents) > 1 else 1
    return math.prod(extents[:-2]), rows, extents[-1]


def slice_name(extents: Sequence[int], number: int) -> str:
    """Return which slice of a grid one is: `x = 3`; empty if there is only one."""
    outer = extents[:-2]
    place = np.unravel_index(number, outer) if outer else ()
    names = "xyzw" if len(extents) <= len("xyzw") else ""
    return ", ".join(
        f"{names[axis] if names else f'dimension {axis}'} = {int(coordinate)}"
        for axis, coordinate in enumerate(place)
    )
