# SPDX-License-Identifier: Apache-2.0
"""Pairs of ranks, and sets of pairs that share no rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.probing.samples import Pair

_DENSE_PAIRS = 16


def all_pairs(count: int) -> list[Pair]:
    """Return the ordered pairs of 0 .. count-1."""
    return [(i, j) for i in range(count) for j in range(count) if i != j]


def one_direction(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs whose first is the smaller one."""
    return [pair for pair in pairs if pair[0] < pair[1]]


def tournament(count: int) -> list[list[Pair]]:
    """Return rounds in which everybody of 0 .. count-1 meets everybody once.

    Nobody occurs twice in a round: the circle method, one place fixed while the others move on. An
    odd one out pauses, so there are count - 1 rounds, or count of an odd number.
    """
    even = count + count % 2
    circle = list(range(even))
    rounds = []
    for _ in range(even - 1):
        meeting = [(circle[i], circle[-1 - i]) for i in range(even // 2)]
        rounds.append([(min(pair), max(pair)) for pair in meeting if max(pair) < count])
        circle[1:] = [circle[-1], *circle[1:-1]]
    return [sorted(meeting) for meeting in rounds if meeting]


def halves(ranks: Sequence[int]) -> list[Pair]:
    """Return pairs between the first and the second half, as many as there are disjoint ones."""
    half = len(ranks) // 2
    return list(zip(ranks[:half], ranks[half : 2 * half], strict=True))


def growing(pairs: Sequence[Pair], *, dense: bool) -> list[tuple[Pair, ...]]:
    """Return the first pair, the first two, ... and all of them.

    With `dense` each number up to 16 and some above, else 1 2 3 4 6 8 12 16 24 ...
    """
    return [tuple(pairs[:count]) for count in counts(len(pairs), dense=dense)]


def counts(last: int, *, dense: bool) -> list[int]:
    """Return numbers of pairs from 1 to the last one; see growing()."""
    found = set(range(1, min(last, _DENSE_PAIRS) + 1)) if dense else set()
    power = 1
    while power <= last:
        found |= {power, power + power // 2}
        power *= 2
    return sorted(count for count in found | {last} if 1 <= count <= last)
