# SPDX-License-Identifier: Apache-2.0
"""Graphs of messages as text files: an edge a line, `from to` or `from to weight`."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from espalier.errors import FormatError
from espalier.io import documents

if TYPE_CHECKING:
    from pathlib import Path

Edge = tuple[int, int, float]


@dataclasses.dataclass(frozen=True)
class EdgeProblem:
    """Who sends how much to whom."""

    origin: str
    edges: list[Edge]

    @property
    def num_ranks(self) -> int:
        """Return the least number of ranks that has all ends."""
        return 1 + max(max(first, second) for first, second, _ in self.edges)

    @property
    def unit(self) -> str:
        """Return what weights of messages count."""
        return "messages" if all(weight == 1 for _, _, weight in self.edges) else "weight"


def read(path: Path) -> EdgeProblem:
    """Return the graph in a file; `#` begins a comment.

    Raises:
        FormatError: a line is no edge, or there is none.
    """
    edges = []
    for number, line in enumerate(documents.read_text(path).splitlines(), start=1):
        words = line.partition("#")[0].split()
        if words:
            edges.append(_edge(words, f"{path}: line {number}"))
    if not edges:
        raise FormatError(f"{path}: expected lines 'from to weight', got none")
    return EdgeProblem(str(path), edges)


def _edge(words: list[str], place: str) -> Edge:
    try:
        first, second = int(words[0]), int(words[1])
        weight = float(words[2]) if len(words) == 3 else 1.0
    except (ValueError, IndexError):
        weight = math.nan
    if len(words) > 3 or not math.isfinite(weight) or min(first, second, weight) < 0:
        raise FormatError(
            f"{place}: expected two ranks and a weight of at least 0, got '{' '.join(words)}'"
        )
    return first, second, weight
