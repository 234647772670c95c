# SPDX-License-Identifier: Apache-2.0
"""One thing that makes what was measured less sure, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Caution:
    """A sentence with numbers, and advice; `kind` is one word for programs."""

    kind: str
    text: str
    advice: str

    def to_json(self) -> dict[str, str]:
        """Return the caution as plain data."""
        return asdict(self)


def ranks_text(ranks: list[int], most: int = 8) -> str:
    """Return `rank 3`, `ranks 0-3, 8`, or with many pieces `ranks 0, 2, 4, ... (16)`."""
    pieces: list[list[int]] = []
    for rank in ranks:
        if pieces and rank == pieces[-1][-1] + 1:
            pieces[-1].append(rank)
        else:
            pieces.append([rank])
    texts = [str(piece[0]) if len(piece) == 1 else f"{piece[0]}-{piece[-1]}" for piece in pieces]
    shown = ", ".join(texts[:most]) + (f", ... ({len(ranks)})" if len(texts) > most else "")
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {shown}"
