# SPDX-License-Identifier: Apache-2.0
"""Groups of ranks that are near each other, found in round trips and confirmed by tests.

Candidates come from hierarchical clustering (average linkage of the logarithms): one for each
height at which the tree of merges has a gap, from the fewest parts to the most. The first that is
confirmed counts, and each of its parts is looked into in turn. Confirmed is what passes

* the double two-sample test of [karlsson2012] for every part: its inner times differ from its times
  to the other parts. All parts must pass, at 5 % divided by their number;
* the same against the longest inner times alone, those between the two halves of a part that
  merged last. Otherwise three equal groups could pass as two, of which one contains two;
* a test of all inner against all crossing times at 0.1 % divided by the number of ways to form
  as many parts: clusters are chosen to look different, even in noise;
* clearness: three of four crossing times exceed three of four longest inner times, and their
  medians differ by 3 %.

Both levels are divided by the number of sets looked into at the same depth. What is clear but too
small for the tests alone, such as four cores in two pairs, is confirmed if sets of one size part
into the same sizes and their probabilities, combined (Fisher), are below 0.5 %.

A time is that of the faster direction of a pair, so that each counts once. A part of one rank has
no inner times, and passes only beside two larger parts, or, where allowed, at twice the distance.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats
from scipy.cluster import hierarchy
from scipy.spatial import distance

from espalier.probing.significance import Moments, pooled_test
from espalier.probing.splits import Group, PartTest, Split

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    Times = npt.NDArray[np.float64]
    Labels = npt.NDArray[np.intp]

_LEVEL_OF_PARTS = 0.05
_LEVEL_OF_SPLIT = 0.001
_LEVEL_OF_AGREEMENT = 0.005
_LEAST_RATIO = 1.03
_LEAST_RATIO_OF_SINGLE = 2.0


def find(times: Times, *, allow_single: bool = False) -> Group:
    """Return all, parted as far as the times confirm it.

    Args:
        times: symmetric, without holes, see `matrix.completed`.
        allow_single: accept a single one that is twice as far away.
    """
    return find_within(times, [tuple(range(len(times)))], allow_single=allow_single)[0]


def find_within(
    times: Times, members: Sequence[tuple[int, ...]], *, allow_single: bool = False
) -> list[Group]:
    """Return each of several sets that are alike, such as nodes, parted."""
    if not members:
        return []
    found = [_best(_within(times, own), len(members), allow_single) for own in members]
    decided = [
        split.of(own, "") if split and split.accepted else None
        for own, split in zip(members, _agreed(members, found), strict=True)
    ]
    children = [part for split in decided if split for part in split.parts]
    grown = iter(find_within(times, children, allow_single=allow_single))
    return [
        Group(own, split, tuple(next(grown) for _ in split.parts) if split else ())
        for own, split in zip(members, decided, strict=True)
    ]


def _agreed(
    members: Sequence[tuple[int, ...]], found: Sequence[Split | None]
) -> list[Split | None]:
    """Accept what is too small to be confirmed alone, but is the same in sets of one size.

    Their probabilities are combined (Fisher), with 1 for a set that parts differently.
    """
    decided = list(found)
    for size in {len(own) for own in members}:
        alike = [i for i, own in enumerate(members) if len(own) == size]
        shapes = Counter(split.shape for i in alike if (split := found[i]))
        if len(alike) < 2 or not shapes:
            continue
        shape = shapes.most_common(1)[0][0]
        same = {i: split for i in alike if (split := found[i]) and split.shape == shape}
        p = [max(same[i].p, same[i].p_of_parts) if i in same else 1.0 for i in alike]
        if stats.combine_pvalues(np.maximum(p, 1e-300)).pvalue < _LEVEL_OF_AGREEMENT:
            decided = [
                replace(same[i], accepted=True) if i in same else split
                for i, split in enumerate(decided)
            ]
    return decided


def double_test(
    rtt_us: Times, first: Sequence[int], second: Sequence[int]
) -> tuple[PartTest, PartTest]:
    """Return the double test of two groups as printed: every direction counts as a time."""
    return (_directed(rtt_us, 0, first, second), _directed(rtt_us, 1, second, first))


def _directed(rtt_us: Times, part: int, own: Sequence[int], other: Sequence[int]) -> PartTest:
    within = rtt_us[np.ix_(own, own)]
    inside = Moments.of(within[~np.eye(len(own), dtype=bool)])
    across = Moments.of(rtt_us[np.ix_(own, other)].ravel())
    return PartTest(part, inside, across, pooled_test(inside, across))


def _best(times: Times, num_sets: int, allow_single: bool) -> Split | None:
    """Return the first parting that is confirmed, or else the first that is clear."""
    if len(times) < (3 if allow_single else 4):
        return None
    clear: Split | None = None
    for labels in _candidates(_merges(times)):
        split = _tested(times, labels, allow_single)
        if split and num_sets * split.p_of_parts < _LEVEL_OF_PARTS:
            split = replace(split, accepted=num_sets * split.p < _LEVEL_OF_SPLIT)
            if split.accepted:
                return split
        clear = clear or split
    return clear


def _merges(times: Times) -> Times:
    """Return the linkage of log times; shifted, because distances must not be negative."""
    condensed = distance.squareform(times, checks=False)
    return np.asarray(hierarchy.linkage(np.log(condensed / condensed.min()), "average"))


def _candidates(tree: Times) -> Iterator[Labels]:
    heights = np.concatenate([[0.0], tree[:, 2]])
    for upper in range(len(heights) - 1, 1, -1):
        if heights[upper] - heights[upper - 1] >= math.log(_LEAST_RATIO):
            middle = (heights[upper] + heights[upper - 1]) / 2
            yield np.asarray(hierarchy.fcluster(tree, middle, "distance") - 1, dtype=np.intp)


def _tested(times: Times, labels: Labels, allow_single: bool) -> Split | None:
    """Return a parting and its tests, None if it is not clear."""
    parts = _in_order(labels)
    larger = [i for i, part in enumerate(parts) if len(part) > 1]
    inner = [_inner(times, part) for part in parts]
    across = [_across(times, part) for part in parts]
    farthest = [_farthest_inside(times, part) for part in parts]
    ratio = _ratio(farthest, across)
    if not _enough_larger(len(larger), len(parts), ratio, allow_single) or not all(
        _is_clear(farthest[i], across[i]) for i in larger
    ):
        return None
    tests = tuple(_part_test(i, inner[i], across[i]) for i in larger)
    sharper = [_part_test(i, farthest[i], across[i]) for i in larger]
    p_of_parts = len(parts) * max(test.result.p for test in (*tests, *sharper))
    p_of_split = _p_of_split(np.concatenate(inner), np.concatenate(across), labels)
    return Split(parts, tests, ratio, min(1.0, p_of_parts), p_of_split)


def _in_order(labels: Labels) -> tuple[tuple[int, ...], ...]:
    parts: dict[int, list[int]] = {}
    for member, label in enumerate(labels):
        parts.setdefault(int(label), []).append(member)
    return tuple(map(tuple, parts.values()))


def _inner(times: Times, part: tuple[int, ...]) -> Times:
    return np.asarray(distance.squareform(_within(times, part), checks=False))


def _within(times: Times, members: Sequence[int]) -> Times:
    own = np.array(members)
    return np.asarray(times[np.ix_(own, own)])


def _across(times: Times, part: tuple[int, ...]) -> Times:
    others = np.setdiff1d(np.arange(len(times)), part)
    return np.asarray(times[np.ix_(np.array(part), others)]).ravel()


def _farthest_inside(times: Times, part: tuple[int, ...]) -> Times:
    """Return the times between those that merged last inside a part."""
    if len(part) < 3:
        return _inner(times, part)
    within = _within(times, part)
    tree = _merges(within)
    labels = hierarchy.fcluster(tree, tree[-1, 2] * (1 - 1e-9), "distance")
    found = within[labels[:, None] < labels[None, :]]
    return found if len(found) else _inner(times, part)


def _part_test(part: int, inside: Times, across: Times) -> PartTest:
    first, second = Moments.of(inside), Moments.of(across)
    return PartTest(part, first, second, pooled_test(first, second))


def _is_clear(farthest: Times, across: Times) -> bool:
    return (
        float(np.median(across)) >= _LEAST_RATIO * float(np.median(farthest))
        and float(np.quantile(across, 0.25)) > float(np.quantile(farthest, 0.75))
        and float(np.mean(across)) > float(np.mean(farthest))
    )


def _p_of_split(inner: Times, across: Times, labels: Labels) -> float:
    """Return how likely any way of forming as many parts shows such a difference by chance."""
    num_parts = int(labels.max()) + 1
    log_ways = len(labels) * math.log(num_parts) - math.lgamma(num_parts + 1)
    # Every crossing time is in the lists of two parts.
    moments = Moments.of(across)
    once = replace(moments, n=max(1, moments.n // 2))
    return math.exp(min(0.0, pooled_test(Moments.of(inner), once).log_p + log_ways))


def _ratio(farthest: list[Times], across: list[Times]) -> float:
    inside = np.concatenate(farthest)
    return float(np.median(np.concatenate(across)) / np.median(inside)) if len(inside) else 1.0


def _enough_larger(num_larger: int, num_parts: int, ratio: float, allow_single: bool) -> bool:
    if num_larger == num_parts or num_larger >= 2:
        return num_larger > 0
    return allow_single and num_larger == 1 and ratio >= _LEAST_RATIO_OF_SINGLE
