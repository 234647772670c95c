# SPDX-License-Identifier: Apache-2.0
"""What the promise says of two runs of one program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from launches import Line, Program

CLEAN = "clean"


def difference(plain: Line, ours: Line) -> str:
    """Why the promise is broken; nothing if it is kept."""
    if plain.error_class != ours.error_class:
        return f"error class {ours.error_class} instead of {plain.error_class}"
    if plain.error_class:
        if plain.handled != ours.handled:
            return f"handler calls {ours.handled} instead of {plain.handled}"
        return ""
    if plain.data == CLEAN and (ours.data != CLEAN or plain.digest != ours.digest):
        return "other data" if ours.data == CLEAN else "garbled data"
    return ""


def first_difference(plain: Program, ours: Program, others: Sequence[Program] = ()) -> str:
    """The first broken call; calls that other plain runs do not agree on say nothing."""
    for key, line in sorted(plain.lines.items()):
        if any(other.lines.get(key) != line for other in others):
            continue
        found = ours.lines.get(key)
        reason = "call missing" if found is None else difference(line, found)
        if reason:
            return f"{line.call} (call {key[0]}, rank {key[1]}): {reason}"
    return ""


@dataclass
class Tally:
    """Numbers of programs of one kind."""

    programs: int = 0
    plain_ended: int = 0
    same: int = 0
    different: int = 0
    hung: int = 0
    crashed: int = 0
    unsteady: int = 0
    calls: int = 0
    undefined: int = 0


@dataclass
class Summary:
    """Numbers by kind, and what broke the promise."""

    kinds: dict[str, Tally] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def tally(self, kind: str) -> Tally:
        """Numbers of a kind."""
        return self.kinds.setdefault(kind, Tally())

    @property
    def num_compared(self) -> int:
        """Programs whose plain run ended."""
        return sum(tally.plain_ended for tally in self.kinds.values())

    def text(self) -> str:
        """Table."""
        names = list(Tally.__dataclass_fields__)
        rows = [["kind", *names]]
        for kind, tally in sorted(self.kinds.items()):
            rows.append([kind, *(str(getattr(tally, name)) for name in names)])
        totals = [sum(getattr(tally, name) for tally in self.kinds.values()) for name in names]
        rows.append(["all", *map(str, totals)])
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        return "\n".join(
            "  ".join(cell.rjust(width) if i else cell.ljust(width) for i, (cell, width) in pairs)
            for pairs in ([*enumerate(zip(row, widths, strict=True))] for row in rows)
        )
