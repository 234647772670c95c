# SPDX-License-Identifier: Apache-2.0
"""Ranks that part into groups, and the tests that say so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from espalier.probing.significance import Moments, TwoSample


@dataclass(frozen=True)
class PartTest:
    """The test of one part: its inner times against those to the other parts."""

    part: int
    inside: Moments
    across: Moments
    result: TwoSample

    def to_json(self) -> dict[str, Any]:
        """Return the test as plain data."""
        return {
            "part": self.part,
            "inside": self.inside.to_json(),
            "across": self.across.to_json(),
            "t": self.result.t,
            "df": self.result.df,
            "p": self.result.p,
        }


@dataclass(frozen=True)
class Split:
    """Ranks (or nodes), parted.

    `ratio` is crossing / longest inner time, `p_of_parts` the largest of the double tests times
    their number, `p` how likely chance forms such parts of them.
    """

    parts: tuple[tuple[int, ...], ...]
    tests: tuple[PartTest, ...]
    ratio: float
    p_of_parts: float
    p: float
    accepted: bool = False
    level: str = ""

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the sizes of the parts, rising."""
        return tuple(sorted(map(len, self.parts)))

    def of(self, members: Sequence[int], level: str) -> Split:
        """Return the split of other members, given for each of ours, as one of a level."""
        parts = tuple(tuple(members[i] for i in part) for part in self.parts)
        return replace(self, parts=parts, level=level)

    def to_json(self) -> dict[str, Any]:
        """Return the split as plain data."""
        return {
            "level": self.level,
            "parts": [list(part) for part in self.parts],
            "tests": [test.to_json() for test in self.tests],
            "accepted": self.accepted,
        }


@dataclass(frozen=True)
class Group:
    """Ranks near each other, and how they part further, if they do."""

    members: tuple[int, ...]
    split: Split | None = None
    parts: tuple[Group, ...] = ()

    @property
    def depth(self) -> int:
        """Return how many times the members part."""
        return 1 + max(part.depth for part in self.parts) if self.parts else 0

    def at_depth(self, depth: int) -> Iterator[Group]:
        """Yield the groups after so many partings, or after the last one."""
        if depth == 0 or not self.parts:
            yield self
        else:
            for part in self.parts:
                yield from part.at_depth(depth - 1)

    def splits_at(self, depth: int) -> Iterator[Split]:
        """Yield the partings of the groups that exist at exactly this depth."""
        if depth == 0:
            if self.split:
                yield self.split
        else:
            for part in self.parts:
                yield from part.splits_at(depth - 1)
