# SPDX-License-Identifier: Apache-2.0
"""From the rules of a profile to intervals of sizes, each with an algorithm of the library."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.base import calls
from espalier.errors import ArgumentError
from espalier.profiles.evidence import NATIVE
from espalier.profiles.profiles import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from espalier.exports.equivalents import Equivalents, Native
    from espalier.profiles.profiles import Profile


@dataclass(frozen=True)
class Interval:
    """Sizes of the whole result in bytes, `last` included (None: no limit), and what runs there.

    `native` is None where the library decides as it always does; `reason` says why if the profile
    wants something else.
    """

    first: int
    last: int | None
    algorithm: str
    native: Native | None
    reason: str = ""


@dataclass(frozen=True)
class Ruled:
    """All sizes of a call and a shape."""

    call: str
    shape: Shape
    intervals: tuple[Interval, ...]

    @property
    def has_rules(self) -> bool:
        """Return whether the library decides otherwise than it always does."""
        return any(interval.native for interval in self.intervals)

    def told(self) -> Iterator[tuple[Interval, dict[str, Any]]]:
        """Yield what the profile does not leave to the library, with what documents say of it."""
        for interval in self.intervals:
            if interval.algorithm != NATIVE:
                yield (
                    interval,
                    {
                        "collective": self.call,
                        "num_ranks": self.shape.num_ranks,
                        "num_nodes": self.shape.num_nodes,
                        "min_bytes": interval.first,
                        "max_bytes": interval.last,
                        "algorithm": interval.algorithm,
                    },
                )


def translate(
    profile: Profile, equivalents: Equivalents, num_nodes: int | None = None
) -> list[Ruled]:
    """Return the calls and shapes of a profile, with intervals of the library.

    Args:
        profile: What to translate.
        equivalents: The algorithms of the library.
        num_nodes: Only shapes on so many nodes.

    Raises:
        ArgumentError: there are rules for the same ranks on several numbers of nodes, which no
            library tells apart, or there are none for `num_nodes`.
    """
    shapes = {call: profile.shapes(call) for call in _core.calls()}
    wanted = {
        call: [one for one in row if num_nodes in (None, one.num_nodes)]
        for call, row in shapes.items()
    }
    if num_nodes is not None and not any(wanted.values()):
        known = sorted({shape.num_nodes for row in shapes.values() for shape in row})
        raise ArgumentError(
            f"{profile.path}: expected rules for {num_nodes} nodes, got rules for"
            f" {' and '.join(map(str, known)) or 'none'}",
            "choose another number with --nodes",
        )
    others = [
        _left_out(profile, call, shape, equivalents)
        for call in (
            *map(calls.nonblocking, _core.calls()),
            *map(calls.persistent, _core.calls()),
            *calls.in_all_forms(_core.neighbor_calls()),
        )
        for shape in _own_shapes(profile, call)
        if num_nodes in (None, shape.num_nodes)
    ]
    _check_nodes(profile, [shape for row in wanted.values() for shape in row], equivalents)
    return [
        _ruled(profile, call, shape, equivalents)
        for call, row in wanted.items()
        for shape in sorted(row, key=lambda one: one.num_ranks)
    ] + others


def _own_shapes(profile: Profile, call: str) -> list[Shape]:
    shapes = [Shape.of(rule) for rule in profile.rules if rule["collective"] == call]
    return list(dict.fromkeys(shapes))


def _left_out(profile: Profile, call: str, shape: Shape, equivalents: Equivalents) -> Ruled:
    """Return what the profile has for calls of which no rule of a library speaks."""
    is_blocking = not (calls.is_nonblocking(call) or calls.is_persistent(call))
    kind = "calls that are no neighborhood's" if is_blocking else "blocking calls"
    reason = f"rules of {equivalents.library} are for {kind}"
    return Ruled(
        call,
        shape,
        tuple(
            Interval(rule["min_bytes"], rule["max_bytes"], rule["algorithm"], None, reason)
            for rule in profile.rules
            if rule["collective"] == call and Shape.of(rule) == shape
        ),
    )


def _check_nodes(profile: Profile, shapes: Sequence[Shape], equivalents: Equivalents) -> None:
    nodes: dict[int, set[int]] = {}
    placements: dict[tuple[int, int], set[str]] = {}
    for shape in shapes:
        nodes.setdefault(shape.num_ranks, set()).add(shape.num_nodes)
        placements.setdefault(shape.numbers, set()).add(shape.placement)
    for num_ranks, numbers in sorted(nodes.items()):
        if len(numbers) > 1:
            raise ArgumentError(
                f"{profile.path}: expected rules for {num_ranks} ranks on one number of nodes, as"
                f" rules of {equivalents.library} do not know nodes, got some for"
                f" {' and '.join(map(str, sorted(numbers)))}",
                "choose one with --nodes",
            )
    for (num_ranks, num_nodes), found in sorted(placements.items()):
        if len(found) > 1:
            raise ArgumentError(
                f"{profile.path}: expected rules for {num_ranks} ranks on {num_nodes} nodes in one"
                f" placement, as rules of {equivalents.library} do not know placements, got some"
                f" for {' and '.join(sorted(one or 'any' for one in found))}",
                "tune with one placement into a file of its own",
            )


def _ruled(profile: Profile, call: str, shape: Shape, equivalents: Equivalents) -> Ruled:
    decisions = [
        (first, last, decision["algorithm"])
        for first, last, decision in profile.decisions(call, shape)
    ]
    found = []
    for algorithm, group in groupby(decisions, key=lambda one: one[2]):
        row = list(group)
        first, last = row[0][0], row[-1][1]
        found.append(_interval(first, last, algorithm, (call, shape.num_ranks, equivalents)))
    if len(found) > 1 and equivalents.call(call).get("sizes") == "none":
        reason = f"rules of {equivalents.library} do not look at the size of {call}"
        found = [Interval(one.first, one.last, one.algorithm, None, reason) for one in found]
    return Ruled(call, shape, tuple(found))


def _interval(
    first: int, last: int | None, algorithm: str, where: tuple[str, int, Equivalents]
) -> Interval:
    if algorithm == NATIVE:
        return Interval(first, last, NATIVE, None)
    call, num_ranks, equivalents = where
    answer = equivalents.find(call, algorithm, num_ranks)
    if isinstance(answer, str):
        return Interval(first, last, algorithm, None, answer)
    return Interval(first, last, algorithm, answer)
