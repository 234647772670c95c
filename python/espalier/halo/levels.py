# SPDX-License-Identifier: Apache-2.0
"""How a grid of processes lies on a machine: parts of each dimension at each level, and cuts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Groups = npt.NDArray[np.int64]


def groups_of_positions(
    dims: Sequence[int], ranks: Sequence[int], group_of_rank: Sequence[int]
) -> Groups:
    """Return the group at each position, as an array with the dimensions of the grid."""
    groups: Groups = np.asarray(group_of_rank, dtype=np.int64)[np.asarray(ranks)]
    return groups.reshape(tuple(dims))


def parts(dims: Sequence[int], levels: Sequence[Groups]) -> list[list[int | None]]:
    """Return parts[dimension][level], and a last level of single ranks.

    The product over the levels is the dimension. Where groups are no blocks of the grid, None
    stands for that level and all inside it.
    """
    found: list[list[int | None]] = [[] for _ in dims]
    outer = [1] * len(dims)
    singles = np.arange(math.prod(dims)).reshape(tuple(dims))
    for groups in [*levels, singles]:
        counts = _parts_along(groups)
        if counts is None or any(count % by for count, by in zip(counts, outer, strict=True)):
            counts = None
        for dimension, row in enumerate(found):
            is_known = counts is not None and None not in row
            row.append(counts[dimension] // outer[dimension] if counts and is_known else None)
        outer = counts or outer
    return found


def cut(nodes: Groups, is_periodic: Sequence[bool]) -> tuple[int, int]:
    """Return how many messages of an exchange leave a node: in total, and of the worst node."""
    leaving = np.zeros(int(nodes.max()) + 1, dtype=np.int64)
    for dimension, wraps in enumerate(is_periodic):
        for step in (1, -1):
            differ = nodes != np.roll(nodes, step, axis=dimension)
            if not wraps:
                edge = [slice(None)] * nodes.ndim
                edge[dimension] = slice(0, 1) if step == 1 else slice(-1, None)
                differ[tuple(edge)] = False
            np.add.at(leaving, nodes[differ], 1)
    return int(leaving.sum()), int(leaving.max())


def _parts_along(groups: Groups) -> list[int] | None:
    """Return into how many parts groups cut each dimension, None if they are no equal blocks."""
    counts = []
    for dimension in range(groups.ndim):
        lines = np.moveaxis(groups, dimension, -1).reshape(-1, groups.shape[dimension])
        # Groups are blocks: along a line each begins where the one before ends.
        begins = np.flatnonzero(lines[0, 1:] != lines[0, :-1]) + 1
        changes = lines[:, 1:] != lines[:, :-1]
        if not (changes == changes[0]).all():
            return None
        lengths = np.diff([0, *begins, lines.shape[1]])
        if len(set(lengths)) != 1:
            return None
        counts.append(len(lengths))
    return counts if math.prod(counts) == len(np.unique(groups)) else None
