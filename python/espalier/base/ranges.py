# SPDX-License-Identifier: Apache-2.0
"""Lists of numbers as people write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def runs_text(numbers: Iterable[int]) -> str:
    """Return numbers as rising runs, each once: `1-33,64`."""
    return ",".join(_texts(sorted(set(numbers))))


def ranks_text(ranks: Sequence[int], most: int = 8) -> str:
    """Return `rank 3`, `ranks 0-3, 8`, or with many pieces `ranks 0, 2, 4, ... (16)`."""
    texts = _texts(ranks)
    shown = ", ".join(texts[:most]) + (f", ... ({len(ranks)})" if len(texts) > most else "")
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {shown}"


def parse_ranks(text: str) -> list[int]:
    """Return the ranks of `0-3,8` or `0-12:4`; see espalier/plan/settings/rank_ranges.hpp."""
    ranks: list[int] = []
    for part in filter(None, text.split(",")):
        bounds, _, step = part.partition(":")
        first, _, last = bounds.partition("-")
        ranks += range(int(first), int(last or first) + 1, int(step or 1))
    return ranks


def _texts(numbers: Iterable[int]) -> list[str]:
    """Return the rising runs of numbers, in the order in which they are given."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][-1] = number
        else:
            runs.append([number, number])
    return [f"{first}" if first == last else f"{first}-{last}" for first, last in runs]
