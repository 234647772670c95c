# SPDX-License-Identifier: Apache-2.0
"""Which pairs of ranks show what a level does, alone and together; names in `detail_plan`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from espalier.probing import pairings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.probing.plan import PairSet
    from espalier.probing.samples import Pair
    from espalier.probing.scan import Scan, ScanLevel

    Configuration = tuple[str, tuple[Pair, ...]]

_MOST_GROUPS = 4


@dataclass(frozen=True)
class LevelPairs:
    """The pairs by which a level is measured; configurations with a single pair are left out."""

    name: str
    pair: Pair
    rtt_us: float
    configurations: tuple[Configuration, ...]
    siblings: tuple[Configuration, ...] = ()
    everywhere: tuple[PairSet, ...] = ()


def pairs_of(scan: Scan, level: ScanLevel) -> LevelPairs | None:
    """Return the pairs of a level, None if no measured pair crosses it."""
    number = _number(scan, level.name)
    rtt_us = np.asarray(scan.matrix.rtt_us)
    pairs = [
        (int(i), int(j))
        for i, j in np.argwhere(rtt_us > 0)
        if scan.crossing(int(i), int(j)) == number
    ]
    if not pairs:
        return None
    times = np.array([rtt_us[pair] for pair in pairs])
    middle = float(np.median(times))
    pair = pairs[int(np.argmin(abs(times - middle)))]
    parents = _parents(scan, number)
    home = next(parent for parent in parents if pair[0] in parent)
    siblings = _siblings(scan, number, parents, home)
    return LevelPairs(
        level.name,
        pair,
        middle,
        tuple(_configurations(scan, level, pair, home)),
        tuple(_each_alone(level, siblings, home)),
        tuple(_together(level, siblings)),
    )


def _number(scan: Scan, name: str) -> int:
    return [level.name for level in scan.levels].index(name)


def _parents(scan: Scan, number: int) -> list[list[int]]:
    """Return the ranks of each object of the level above."""
    if number == 0:
        return [list(range(scan.num_ranks))]
    above = scan.levels[number - 1]
    return [above.ranks_of(which) for which in range(above.num_objects)]


def _objects(level: ScanLevel, ranks: Sequence[int]) -> list[list[int]]:
    """Return the ranks of each object of a level among some ranks."""
    found: dict[int, list[int]] = {}
    for rank in ranks:
        found.setdefault(level.object_of_rank[rank], []).append(rank)
    return list(found.values())


def _configurations(
    scan: Scan, level: ScanLevel, pair: Pair, home: Sequence[int]
) -> list[Configuration]:
    objects = _objects(level, home)
    source = next(one for one in objects if pair[0] in one)
    target = next(one for one in objects if pair[1] in one)
    across = tuple(zip(source, target, strict=False))
    named = [("across", across), ("disjoint", _disjoint(level, home))]
    if _number(scan, level.name) == _number(scan, "node") + 1:
        node_halves = tuple(pairings.halves(home))
        named += (
            [("halves", node_halves)] if node_halves not in {pairs for _, pairs in named} else []
        )
    return [(name, pairs) for name, pairs in named if len(pairs) > 1]


def _disjoint(level: ScanLevel, ranks: Sequence[int]) -> tuple[Pair, ...]:
    """Return pairs of objects, one rank of each."""
    return tuple(pairings.halves([one[0] for one in _objects(level, ranks)]))


def _siblings(
    scan: Scan, number: int, parents: Sequence[Sequence[int]], home: Sequence[int]
) -> list[Sequence[int]]:
    """Return the parents, parts of a node, that share the node with one of them."""
    outer = _number(scan, "node")
    if number <= outer + 1:
        return []
    node = scan.levels[outer].object_of_rank
    return [parent for parent in parents if node[parent[0]] == node[home[0]]][:_MOST_GROUPS]


def _each_alone(
    level: ScanLevel, siblings: Sequence[Sequence[int]], home: Sequence[int]
) -> list[Configuration]:
    """Return the pairs inside each sibling but the one that is measured anyway."""
    others = [each for each in siblings if each[0] != home[0]]
    found = [(f"disjoint {i}", _disjoint(level, each)) for i, each in enumerate(others, start=2)]
    return [(name, pairs) for name, pairs in found if len(pairs) > 1]


def _together(level: ScanLevel, siblings: Sequence[Sequence[int]]) -> list[PairSet]:
    """Return sets with 1, 2, .. pairs inside each of several parents."""
    inside = [pairs for each in siblings if (pairs := _disjoint(level, each))]
    if len(inside) < 2:
        return []
    most = min(len(pairs) for pairs in inside)
    return [
        tuple(pair for pairs in inside for pair in pairs[:count])
        for count in pairings.counts(most, dense=False)
    ]
