# SPDX-License-Identifier: Apache-2.0
"""What makes a measurement less sure than it looks, and what to do about it.

Distances from what is usual are in robust standard deviations of the logarithms (from the median
absolute deviation, 2 % at least), so that a few strange values do not hide themselves.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from espalier.base.ranges import ranks_text
from espalier.conditions.cautions import Caution

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from espalier.probing.groups import Times
    from espalier.probing.samples import Header, Result
    from espalier.probing.scan import Scan

    Crossings = npt.NDArray[np.intp]

_FAR = 6.0
_LEAST_RATIO_OF_LINK = 1.5
_LEAST_RATIO_OF_NODE = 1.25
_NOISY_SPREAD = 0.3
_NOISY_SHARE = 0.1
_UNCONVERGED_SHARE = 0.05
_NOISE_NAMES = ("noise", "not-converged")


def of_scan(scan: Scan) -> list[Caution]:
    """Return all cautions that a scan and its results give."""
    return [
        *_of_job(scan.header),
        *_of_extent(scan),
        *of_results(scan.results),
        *_of_levels(scan),
    ]


def with_details(cautions: Sequence[Caution], results: Sequence[Result]) -> list[Caution]:
    """Return cautions with what they say about noise made anew from all results."""
    kept = [caution for caution in cautions if caution.name not in _NOISE_NAMES]
    return [*kept, *of_results(results)]


def of_results(results: Sequence[Result]) -> Iterator[Caution]:
    """Yield cautions about noise."""
    spreads = [
        max(sd / mean for sd, mean in zip(result.sd_us, result.mean_us, strict=True) if mean > 0)
        for result in results
        if max(result.mean_us) > 0
    ]
    noisy = sum(spread > _NOISY_SPREAD for spread in spreads)
    if noisy > _NOISY_SHARE * len(spreads):
        yield Caution(
            "noise",
            f"{noisy} of {len(spreads)} results vary by more than {_NOISY_SPREAD:.0%} (standard"
            f" deviation / mean; half of all by {float(np.median(spreads)):.0%})",
            "stop other programs, use idle nodes, bind ranks; then probe again",
        )
    open_ended = sum(not result.converged for result in results)
    if open_ended > _UNCONVERGED_SHARE * len(results):
        yield Caution(
            "not-converged",
            f"{open_ended} of {len(results)} results did not become as sure as asked for within"
            " their time",
            "give the probe more time",
        )


def _of_job(header: Header) -> Iterator[Caution]:
    if header.is_simulated:
        yield Caution(
            "simulated",
            "the times are those of a simulator: exact for its model, and for nothing else",
            "do not use them for a real machine",
        )
        return
    unbound = [rank.rank for rank in header.ranks if not rank.bound and rank.online != 1]
    if unbound:
        yield Caution(
            "unbound",
            f"{len(unbound)} of {header.num_ranks} ranks may run on all processors of their node:"
            " they may move while they are measured, and levels inside a node blur",
            "bind ranks to cores: --bind-to core (mpirun), -bind-to core (mpiexec),"
            " --cpu-bind=cores (srun)",
        )
    yield from _oversubscription(header)


def _oversubscription(header: Header) -> Iterator[Caution]:
    crowded = []
    for node in sorted({rank.node for rank in header.ranks}):
        ranks = [rank for rank in header.ranks if rank.node == node]
        allowed = set().union(*(_processors(rank.cpus) for rank in ranks))
        processors = len(allowed) or ranks[0].online
        if 0 < processors < len(ranks):
            crowded.append((node, len(ranks), processors))
    if crowded:
        node, num_ranks, processors = crowded[0]
        yield Caution(
            "oversubscribed",
            f"{num_ranks} ranks of node {node} share {processors} processors ({len(crowded)} such"
            " nodes): times include waiting for a processor",
            "start one rank a processor; what was found here is no property of the machine",
        )


def _processors(cpus: str) -> set[int]:
    """Return the numbers in `0-3,8`."""
    found: set[int] = set()
    for piece in filter(None, cpus.split(",")):
        first, _, last = piece.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def _of_extent(scan: Scan) -> Iterator[Caution]:
    if not scan.complete:
        yield Caution(
            "interrupted",
            "the probe was interrupted: what follows is from the part that was measured",
            "probe again for the rest",
        )
    num_pairs = scan.num_ranks * (scan.num_ranks - 1) // 2
    missing = scan.matrix.num_unmeasured
    if missing and not scan.matrix.is_empty:
        yield Caution(
            "sampled",
            f"{missing} of {num_pairs} pairs of ranks were not measured: levels were completed from"
            " the others, and a slow link among them would not be seen",
            "measure all pairs to be sure",
        )


def _of_levels(scan: Scan) -> Iterator[Caution]:
    if scan.matrix.is_empty:
        return
    crossing = crossings(scan)
    fastest = scan.matrix.fastest_us
    differing: set[int] = set()
    for node in _outlying_objects(scan, "node", crossing):
        differing.update(node)
        yield _differing_node(scan, node, crossing)
    ranks = sorted(rank for found in _outlying_objects(scan, "core", crossing) for rank in found)
    if ranks:
        differing.update(ranks)
        yield _differing_ranks(scan, ranks, crossing)
    for number in range(len(scan.levels)):
        pairs = np.argwhere(np.triu(crossing == number, 1))
        rest = [(a, b) for a, b in pairs.tolist() if a not in differing and b not in differing]
        yield from _slow_links(scan, number, rest, fastest)
        yield from _asymmetry(scan, number, rest)


def crossings(scan: Scan) -> Crossings:
    """Return the crossing level of all pairs, (num_ranks, num_ranks)."""
    found = np.full((scan.num_ranks, scan.num_ranks), len(scan.levels), dtype=np.intp)
    for number in reversed(range(len(scan.levels))):
        of_rank = scan.levels[number].object_of_rank
        found[np.not_equal.outer(of_rank, of_rank)] = number
    return found


def _outlying_objects(scan: Scan, name: str, crossing: Crossings) -> Iterator[list[int]]:
    """Yield the ranks of each object that even its fastest link shows to be slower than others.

    Objects are compared by their fastest link of the level, which one slow partner cannot spoil.
    """
    level = scan.level(name)
    own = np.where(crossing == scan.levels.index(level), scan.matrix.fastest_us, np.nan)
    own[np.isnan(own)] = np.inf
    best = np.array([own[level.ranks_of(i)].min(initial=np.inf) for i in range(level.num_objects)])
    known = best[np.isfinite(best)]
    if len(known) < 3:
        return
    least = _LEAST_RATIO_OF_NODE * float(np.median(known))
    is_far = np.isfinite(best) & (_distances(best, known) > _FAR) & (best > least)
    for number in np.flatnonzero(is_far).tolist():
        yield level.ranks_of(number)


def _differing_node(scan: Scan, ranks: list[int], crossing: Crossings) -> Caution:
    own, usual = _own_and_usual(scan, "node", ranks, crossing)
    host = scan.header.ranks[ranks[0]].host
    node = scan.level("node").object_of_rank[ranks[0]]
    return Caution(
        "node-differs",
        f"node {node}{f' ({host})' if host else ''} with {ranks_text(ranks)} is farther from all"
        f" others than they are from each other: {own:.3g} us against {usual:.3g} us",
        "leave the node out, or have its cable, link speed and settings checked",
    )


def _differing_ranks(scan: Scan, ranks: list[int], crossing: Crossings) -> Caution:
    own, usual = _own_and_usual(scan, "core", ranks, crossing)
    return Caution(
        "rank-differs",
        f"{ranks_text(ranks)}: farther from all neighbours than other ranks are from theirs,"
        f" {own:.3g} us against {usual:.3g} us",
        "see whether these processors run something else, or are of another kind",
    )


def _own_and_usual(
    scan: Scan, name: str, ranks: list[int], crossing: Crossings
) -> tuple[float, float]:
    at_level = crossing == scan.levels.index(scan.level(name))
    times = np.where(at_level, scan.matrix.fastest_us, np.nan)
    return float(np.nanmedian(times[ranks])), float(np.nanmedian(times))


def _slow_links(
    scan: Scan, number: int, pairs: list[tuple[int, int]], fastest: Times
) -> Iterator[Caution]:
    values = np.array([fastest[pair] for pair in pairs])
    known = values[~np.isnan(values)]
    if len(known) < 4:
        return
    usual = float(np.median(known))
    slow = (_distances(values, known) > _FAR) & (values > _LEAST_RATIO_OF_LINK * usual)
    found = np.flatnonzero(slow)
    if len(found):
        worst = int(found[np.argmax(values[found])])
        yield Caution(
            "slow-link",
            f"{len(found)} of {len(known)} pairs {scan.between(number)} are out of line, most of"
            f" all ranks {pairs[worst][0]} and {pairs[worst][1]}: {values[worst]:.3g} us against"
            f" {usual:.3g} us",
            "have the link checked, or probe again if the machine was not idle",
        )


def _asymmetry(scan: Scan, number: int, pairs: list[tuple[int, int]]) -> Iterator[Caution]:
    rtt = scan.matrix.rtt_us
    ratios = np.array([rtt[a, b] / rtt[b, a] for a, b in pairs])
    known = ratios[~np.isnan(ratios)]
    if len(known) < 1:
        return
    strength = np.abs(np.log(np.where(np.isnan(ratios), 1.0, ratios)))
    limit = max(np.log(_LEAST_RATIO_OF_LINK), _FAR * _scale(np.log(known)))
    found = np.flatnonzero(strength > limit)
    if len(found):
        worst = int(found[np.argmax(strength[found])])
        a, b = pairs[worst] if ratios[worst] > 1 else pairs[worst][::-1]
        yield Caution(
            "asymmetry",
            f"{len(found)} of {len(known)} pairs {scan.between(number)} differ by direction, most"
            f" of all ranks {a} and {b}: {rtt[a, b]:.3g} us when {a} begins, {rtt[b, a]:.3g} us"
            f" when {b} does",
            "a round trip is the same both ways: one of the two was disturbed; probe again",
        )


def _distances(values: Times, known: Times) -> Times:
    """Return how many robust standard deviations values lie above the usual."""
    logs = np.log(known)
    return (np.log(values) - float(np.median(logs))) / _scale(logs)


def _scale(logs: Times) -> float:
    return max(0.02, 1.4826 * float(np.median(np.abs(logs - np.median(logs)))))


def with_cautions(scan: Scan) -> Scan:
    """Return a scan with all cautions that it gives."""
    return replace(scan, cautions=(*scan.cautions, *of_scan(scan)))
