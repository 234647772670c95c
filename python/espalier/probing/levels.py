# SPDX-License-Identifier: Apache-2.0
"""The levels of a job: switches above nodes, groups of cores inside them.

What lies above nodes is found in the times between nodes, what lies below in those inside them.
The matrix cannot tell a package from a NUMA domain or a cache: groups are named from the outside
in. A node in which nothing was measured is taken to be like the first measured one of its size.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from espalier.conditions.cautions import Caution
from espalier.probing import groups
from espalier.probing.matrix import between, completed_if_enough
from espalier.probing.nodes import Nodes, labels, numbered
from espalier.probing.splits import Group

if TYPE_CHECKING:
    from collections.abc import Iterator

    from espalier.probing.matrix import Matrix
    from espalier.probing.splits import Split

_ABOVE = ("group", "switch")
_BELOW = ("package", "numa", "l3")


@dataclass(frozen=True)
class ScanLevel:
    """Which object of a level each rank lies in, counted from 0 as they first occur."""

    name: str
    object_of_rank: tuple[int, ...]

    @property
    def num_objects(self) -> int:
        """Return how many objects the level has."""
        return max(self.object_of_rank) + 1

    def ranks_of(self, number: int) -> list[int]:
        """Return the ranks in one object."""
        return [rank for rank, found in enumerate(self.object_of_rank) if found == number]


@dataclass(frozen=True)
class Levels:
    """Levels outermost first, and how they were found."""

    levels: tuple[ScanLevel, ...]
    evidence: tuple[str, ...]
    splits: tuple[Split, ...]
    cautions: tuple[Caution, ...] = ()


def find(nodes: Nodes, matrix: Matrix) -> Levels:
    """Return switches, nodes, groups in nodes and cores, as far as they show."""
    above = _above(nodes, matrix)
    below = _below(nodes, matrix)
    core = ScanLevel("core", tuple(range(matrix.num_ranks)))
    own = tuple(replace(split, level="node") for split in nodes.splits)
    return Levels(
        (*above.levels, ScanLevel("node", nodes.of_rank), *below.levels, core),
        (*nodes.evidence, *above.evidence, *below.evidence),
        (*above.splits, *own, *below.splits),
        below.cautions,
    )


def _above(nodes: Nodes, matrix: Matrix) -> Levels:
    members = nodes.members
    times = (
        completed_if_enough(between(matrix.fastest_us, nodes.of_rank)) if len(members) > 3 else None
    )
    if times is None:
        return Levels((), (), ())
    tree = groups.find(times)
    depth = min(tree.depth, len(_ABOVE))
    names = _ABOVE[len(_ABOVE) - depth :]
    found = []
    evidence = []
    splits = []
    for number, name in enumerate(names):
        of_node = labels(tree.at_depth(number + 1), len(members))
        found.append(ScanLevel(name, numbered(of_node[node] for node in nodes.of_rank)))
        at_depth = [_of_ranks(split, members, name) for split in tree.splits_at(number)]
        splits += at_depth
        evidence.append(_text(found[-1], at_depth, "nodes"))
    if tree.depth > depth:
        evidence.append(f"{tree.depth - depth} more levels above nodes were left out")
    return Levels(tuple(found), tuple(evidence), tuple(splits))


def _of_ranks(split: Split, members: list[tuple[int, ...]], name: str) -> Split:
    parts = tuple(tuple(sorted(r for node in part for r in members[node])) for part in split.parts)
    return replace(split, parts=parts, level=name)


def _below(nodes: Nodes, matrix: Matrix) -> Levels:
    members = nodes.members
    times = np.zeros((matrix.num_ranks, matrix.num_ranks))
    measured = []
    for own in members:
        inside = completed_if_enough(matrix.fastest_us[np.ix_(own, own)]) if len(own) > 1 else None
        if inside is not None:
            times[np.ix_(own, own)] = inside
            measured.append(own)
    trees = dict(zip(measured, groups.find_within(times, measured), strict=True))
    depth = min(max((tree.depth for tree in trees.values()), default=0), len(_BELOW))
    found = []
    evidence = list(_unmeasured_text(members, trees))
    splits: list[Split] = []
    for number, name in enumerate(_BELOW[:depth]):
        found.append(ScanLevel(name, _labels_below(members, trees, number + 1)))
        at_depth = [
            replace(split, level=name)
            for tree in trees.values()
            for split in tree.splits_at(number)
        ]
        splits += at_depth
        evidence.append(_text(found[-1], at_depth, "ranks"))
    cautions = tuple(_unlike(members, trees))
    return Levels(tuple(found), tuple(evidence), tuple(splits), cautions)


def _unlike(
    members: list[tuple[int, ...]], trees: dict[tuple[int, ...], Group]
) -> Iterator[Caution]:
    """Yield which nodes part otherwise than most nodes of their size."""
    for size in sorted({len(own) for own in trees}):
        shapes = {own: _shape(tree) for own, tree in trees.items() if len(own) == size}
        usual, count = Counter(shapes.values()).most_common(1)[0]
        others = [members.index(own) for own, shape in shapes.items() if shape != usual]
        if others and count > len(others):
            yield Caution(
                "node-differs",
                f"{len(others)} of {len(shapes)} nodes with {size} ranks part into other groups"
                f" than the rest, the first is node {others[0]}",
                "probe again; if it stays, the ranks are placed differently there",
            )


def _shape(tree: Group) -> tuple[tuple[int, ...], ...]:
    """Return the sizes of the groups after each parting."""
    return tuple(
        tuple(sorted(len(part.members) for part in tree.at_depth(depth)))
        for depth in range(tree.depth + 1)
    )


def _labels_below(
    members: list[tuple[int, ...]], trees: dict[tuple[int, ...], Group], depth: int
) -> tuple[int, ...]:
    """Return the object of each rank; of unmeasured nodes by position, as in a measured one."""
    keys: dict[int, tuple[int, int]] = {}
    for node, own in enumerate(members):
        tree = trees.get(own) or _like(own, trees)
        local = labels(_positions(tree, depth), len(own)) if tree else (0,) * len(own)
        keys |= {rank: (node, local[position]) for position, rank in enumerate(own)}
    return numbered(keys[rank] for rank in sorted(keys))


def _like(own: tuple[int, ...], trees: dict[tuple[int, ...], Group]) -> Group | None:
    return next((tree for other, tree in trees.items() if len(other) == len(own)), None)


def _positions(tree: Group, depth: int) -> list[Group]:
    """Return the groups of a node, with positions among its ranks instead of the ranks."""
    position = {rank: i for i, rank in enumerate(tree.members)}
    return [Group(tuple(position[rank] for rank in part.members)) for part in tree.at_depth(depth)]


def _unmeasured_text(
    members: list[tuple[int, ...]], trees: dict[tuple[int, ...], Group]
) -> list[str]:
    larger = [own for own in members if len(own) > 1]
    missing = [own for own in larger if own not in trees]
    if not missing or not trees:
        return []
    alone = [own for own in missing if _like(own, trees) is None]
    text = f"{len(missing)} of {len(larger)} nodes were not measured inside and are taken to be"
    text += " like the first measured one of their size"
    return [text + (f"; {len(alone)} have no such, and count as one group" if alone else "")]


def _text(level: ScanLevel, splits: list[Split], what: str) -> str:
    tests = [test for split in splits for test in split.tests]
    worst = max((test.result.p for test in tests), default=0.0)
    ratio = float(np.median([split.ratio for split in splits]))
    return (
        f"{level.num_objects} objects of level {level.name}: groups of {what} in the round trips,"
        f" {ratio:.2f} times longer between than inside (largest p of the double tests {worst:.1e})"
    )
