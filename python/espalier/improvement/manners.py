# SPDX-License-Identifier: Apache-2.0
"""The manner in which a program makes its calls, as the measuring program can make them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from espalier.base import calls
from espalier.base.unevenness import are_even, are_pairs_even
from espalier.launch.manners import added, main_root
from espalier.sampling.candidates import element_bytes
from espalier.sampling.manner import LARGEST_PART, SUM, Manner
from espalier.sampling.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_MOSTLY = 0.5
# Below this mean, parts have no shape that could be kept.
_LEAST_BYTES = 1
# Programs that wait by testing test all the time.
_MOST_TESTS = 100


def common_manner(call: str, size: int, manners: Sequence[Mapping[str, Any]]) -> Manner:
    """Return the manner of most calls; parts are those of the first communicator that has them.

    Args:
        call: Its name.
        size: Of the result in the mean, for alltoallv and alltoallw of what a rank sends; parts of
            one call are brought to it.
        manners: As `espalier explain FOLDER` has them, of communicators of one shape.
    """
    root = main_root(_added(manners, "roots", "root"))
    work = _work(manners) if calls.is_nonblocking(call) else None
    operators = _added(manners, "operators", "operator")
    shares = [one.get("in_place", 0.0) for one in manners]
    found = Manner(
        root=root,
        operator=operators[0]["operator"] if operators else SUM,
        in_place=bool(shares) and sum(shares) / len(shares) > _MOSTLY,
        work=work,
    )
    for one in manners:
        if one.get("part_bytes"):
            return _with_parts(found, call, size, one["part_bytes"])
        if one.get("pair_bytes"):
            return _with_pairs(found, size, one["pair_bytes"])
    return found


def _added(manners: Iterable[Mapping[str, Any]], kind: str, name: str) -> list[dict[str, Any]]:
    pairs = ((one[name], one["count"]) for manner in manners for one in manner.get(kind, ()))
    return [{name: value, "count": count} for value, count in added(pairs)]


def _work(manners: Iterable[Mapping[str, Any]]) -> Work:
    """Return what is done beside calls, of two digits: it differs from run to run."""
    for manner in manners:
        if "work" in manner:
            seconds, tests = manner["work"]["seconds"], manner["work"]["tests"]
            return Work(seconds=float(f"{seconds:.1e}"), num_tests=min(_MOST_TESTS, round(tests)))
    return Work()


def _with_parts(manner: Manner, call: str, size: int, parts: Sequence[int]) -> Manner:
    if are_even(parts) or size < _LEAST_BYTES:
        return manner
    unit = element_bytes(call)
    factor = size / sum(parts)
    scaled = tuple(unit * _at_least_one(factor * part / unit) for part in parts)
    return _if_possible(replace(manner, part_bytes=scaled), manner)


def _with_pairs(manner: Manner, size: int, pairs: Sequence[Sequence[int]]) -> Manner:
    if are_pairs_even(pairs) or size < _LEAST_BYTES:
        return manner
    is_symmetric = list(map(tuple, pairs)) == list(zip(*pairs, strict=True))
    factor = size * len(pairs) / sum(map(sum, pairs))
    scaled = tuple(tuple(_at_least_one(factor * part) for part in sent) for sent in pairs)
    wanted = replace(manner.plain, in_place=manner.in_place and is_symmetric, pair_bytes=scaled)
    return _if_possible(wanted, manner)


def _at_least_one(number: float) -> int:
    """Return a rounded number; parts that are not empty stay so."""
    return max(1, round(number)) if number > 0 else 0


def _if_possible(wanted: Manner, otherwise: Manner) -> Manner:
    """Return a manner unless its parts are nothing, or more than an MPI count can say."""
    sums = [sum(wanted.part_bytes)] if wanted.part_bytes else []
    sums += [sum(sent) for sent in wanted.pair_bytes]
    sums += [sum(column) for column in zip(*wanted.pair_bytes, strict=True)]
    return wanted if 0 < max(sums) <= LARGEST_PART else otherwise
