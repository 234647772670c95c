# SPDX-License-Identifier: Apache-2.0
"""Process grids to choose from: ways to factorise a number of processes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from espalier import _core

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from espalier._core import PlacesLevel

# What factorisations may cost beyond the least to be tried.
_NEAR = 1.1


def level_sizes(places: Sequence[PlacesLevel]) -> list[int] | None:
    """Return the parts of each level, outermost first, ranks last; None if some differ."""
    sizes = []
    outer = [0] * len(places[0]["group_of_rank"])
    inside: Sequence[Sequence[int]] = [
        *(level["group_of_rank"] for level in places),
        range(len(outer)),
    ]
    for groups in inside:
        parts: dict[int, set[int]] = {}
        for around, group in zip(outer, groups, strict=True):
            parts.setdefault(around, set()).add(group)
        numbers = {len(part) for part in parts.values()}
        if len(numbers) != 1:
            return None
        sizes.append(numbers.pop())
        outer = list(groups)
    return sizes


def level_costs(places: Sequence[PlacesLevel]) -> list[float]:
    """Return the costs of the levels, and of what is inside the innermost."""
    costs = [level["cost"] for level in places]
    ratio = costs[-1] / costs[-2] if len(costs) > 1 else 1 / 8
    return [*costs, costs[-1] * min(1.0, ratio)]


def near(
    num_ranks: int, weights: Sequence[float], dims: Sequence[int], most: int
) -> list[list[int]]:
    """Return the factorisations that cost little more than the cheapest, cheapest first.

    Args:
        num_ranks: what to factorise.
        weights: of the extents; a factorisation costs the sum of extent * weight.
        dims: extents that are fixed, or 0.
        most: no more than so many.
    """
    cheapest = _core.weighted_dims(num_ranks, weights, dims)
    limit = _NEAR * math.fsum(map(math.prod, zip(cheapest, weights, strict=True)))
    fixed = math.prod(extent for extent in dims if extent)
    found = sorted(_below(num_ranks // fixed, list(dims), weights, limit))
    return [extents for _, extents in found[:most]]


def _below(
    left: int, dims: list[int], weights: Sequence[float], limit: float
) -> Iterator[tuple[float, list[int]]]:
    """Yield costs and factorisations of at most the limit; free extents share what is left."""
    free = [place for place, extent in enumerate(dims) if not extent]
    spent = math.fsum(extent * weight for extent, weight in zip(dims, weights, strict=True))
    if not free:
        if left == 1 and spent <= limit:
            yield spent, dims
        return
    # No choice of the rest costs less than equal products, by the means.
    rest = left * math.prod(weights[place] for place in free)
    if spent + len(free) * rest ** (1 / len(free)) > limit * (1 + 1e-12):
        return
    for factor in _divisors(left):
        yield from _below(
            left // factor,
            [factor if place == free[0] else extent for place, extent in enumerate(dims)],
            weights,
            limit,
        )


def _divisors(number: int) -> list[int]:
    small = [one for one in range(1, math.isqrt(number) + 1) if number % one == 0]
    return sorted({*small, *(number // one for one in small)})
