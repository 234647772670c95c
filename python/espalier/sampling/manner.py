# SPDX-License-Identifier: Apache-2.0
"""How the calls of a point are made, beyond call and size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.base.unevenness import pairs_text, parts_text

if TYPE_CHECKING:
    from espalier.sampling.work import Work

SUM = "sum"
# Whose result depends on the order of ranks.
ORDERED = "user_ordered"
LARGEST_PART = 2**31 - 1


@dataclass(frozen=True)
class Manner:
    """Root (None: roots take turns), operator, in place, and sizes of parts (empty: equal).

    `part_bytes` are those of each rank; `pair_bytes[i][j]` is what rank i sends to rank j. `work`
    is done between start and completion of a nonblocking call.
    """

    root: int | None = None
    operator: str = SUM
    in_place: bool = False
    part_bytes: tuple[int, ...] = ()
    pair_bytes: tuple[tuple[int, ...], ...] = ()
    work: Work | None = None

    @property
    def is_plain(self) -> bool:
        """Return whether it is how calls are made unless something is said."""
        return self == self.plain

    @property
    def plain(self) -> Manner:
        """Return how calls are made beside the same work unless something is said."""
        return Manner(work=self.work)

    @property
    def bytes(self) -> int | None:
        """Return the size of a point with these parts; None if any size will do."""
        if self.part_bytes:
            return sum(self.part_bytes)
        if self.pair_bytes:
            return -(-sum(map(sum, self.pair_bytes)) // len(self.pair_bytes))
        return None

    def text(self) -> str:
        """Return how it differs from the plain form: `root 3, max, in place`; empty if it is it."""
        words = [
            "" if self.root is None else f"root {self.root}",
            "" if self.operator == SUM else self.operator,
            "in place" if self.in_place else "",
            parts_text(self.part_bytes),
            pairs_text(self.pair_bytes),
            "" if self.work is None else self.work.text(),
        ]
        return ", ".join(filter(None, words))

    def members(self) -> dict[str, Any]:
        """Return the members of a point in a measurement plan that say so."""
        found: dict[str, Any] = {}
        if self.root is not None:
            found["root"] = self.root
        if self.operator != SUM:
            found["operator"] = self.operator
        if self.in_place:
            found["in_place"] = True
        if self.part_bytes:
            found["part_bytes"] = list(self.part_bytes)
        if self.pair_bytes:
            found["pair_bytes"] = [list(sent) for sent in self.pair_bytes]
        if self.work is not None:
            found["work"] = self.work.member()
        return found


PLAIN = Manner()
