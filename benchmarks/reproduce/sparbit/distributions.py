# SPDX-License-Identifier: Apache-2.0
"""How many bytes each rank contributes: the distributions of [loch2021], who has them from Traeff.

Each has about the same total for a nominal size c and p ranks: c for `broadcast`, 2 p c for
`spike`, p c for the others. `geometric` is what the source calls its curve; it is harmonic.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def regular(num_ranks: int, size: int) -> list[int]:
    """Return the same for all."""
    return [size] * num_ranks


def broadcast(num_ranks: int, size: int) -> list[int]:
    """Return blocks of which only that of rank 0 has data."""
    return [size] + [0] * (num_ranks - 1)


def spike(num_ranks: int, size: int) -> list[int]:
    """Return blocks of which that of rank 0 has as much as all others."""
    total = num_ranks * size
    return [total] + [total // (num_ranks - 1)] * (num_ranks - 1)


def half_full(num_ranks: int, size: int) -> list[int]:
    """Return blocks of which every other one is empty."""
    return [2 * size if rank % 2 == 0 else 0 for rank in range(num_ranks)]


def linear(num_ranks: int, size: int) -> list[int]:
    """Return blocks that decrease from twice the size to nothing."""
    return [2 * size * (num_ranks - 1 - rank) // (num_ranks - 1) for rank in range(num_ranks)]


def geometric(num_ranks: int, size: int) -> list[int]:
    """Return blocks that decrease as 1 / (rank + 3/2); the logarithm is the natural one."""
    scale = num_ranks * size / math.log(num_ranks)
    return [math.floor(scale / (rank + 1.5)) for rank in range(num_ranks)]


DISTRIBUTIONS: dict[str, Callable[[int, int], list[int]]] = {
    "regular": regular,
    "broadcast": broadcast,
    "spike": spike,
    "half_full": half_full,
    "linear": linear,
    "geometric": geometric,
}


def block_bytes(name: str, num_ranks: int, size: int) -> list[int]:
    """Return the bytes of each rank; a single rank has the nominal size."""
    return [size] if num_ranks == 1 else DISTRIBUTIONS[name](num_ranks, size)
