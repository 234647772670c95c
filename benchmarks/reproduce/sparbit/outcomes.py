# SPDX-License-Identifier: Apache-2.0
"""Who is best in each cell, and by how much if it is Sparbit: what the figures are drawn from.

The table that is kept has a row for each battery, mapping, metric and number of ranks, and a column
for each size. A field holds the improvement of Sparbit in per cent, or the first letter of the
rival that is best (`d`: recursive doubling), or nothing if nobody is.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from contests import SPARBIT, UNITED, fields, improvement, winner
from declared import MAPPINGS
from results import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from tables import Findings

    # Battery, mapping and metric.
    Series = tuple[str, str, str]
    # By number of ranks and size.
    Outcomes = dict[tuple[int, int], str | float | None]

LETTERS = {"ring": "r", "neighbor_exchange": "n", "recursive_doubling": "d", "bruck": "b"}
_NAMES = {letter: name for name, letter in LETTERS.items()}
_KEYS = ("battery", "mapping", "metric", "ranks")


def outcome(field: Mapping[str, float]) -> str | float | None:
    """Return Sparbit's improvement in per cent, or which rival is best, or that nobody is."""
    best = winner(field)
    return 100 * (improvement(field) or 0.0) if best == SPARBIT else best


def series_of(found: Findings) -> Iterator[Series]:
    """Return what the figures show of a battery."""
    mappings = (*MAPPINGS, UNITED) if found.battery.collective == "allgather" else (UNITED,)
    for mapping in mappings:
        for metric in METRICS:
            yield found.battery.name, mapping, metric


def write_outcomes(findings: Sequence[Findings], path: Path) -> None:
    """Write the table."""
    sizes = findings[0].battery.sizes
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*_KEYS, *sizes])
        for found in findings:
            for series in series_of(found):
                cells = fields(found.replayed.times, *series[1:])
                for ranks in sorted({ranks for ranks, _ in cells}):
                    row = (outcome(cells.get((ranks, size), {})) for size in sizes)
                    writer.writerow([*series, ranks, *map(_text, row)])


def _text(found: str | float | None) -> str:
    if found is None:
        return ""
    return LETTERS[found] if isinstance(found, str) else f"{found:.4g}"


def read_outcomes(path: Path) -> dict[Series, Outcomes]:
    """Read the table."""
    found: dict[Series, Outcomes] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            battery, mapping, metric, ranks = (row.pop(key) for key in _KEYS)
            cells = found.setdefault((battery, mapping, metric), {})
            cells |= {(int(ranks), int(size)): _value(text) for size, text in row.items()}
    return found


def _value(text: str) -> str | float | None:
    if not text:
        return None
    return _NAMES[text] if text in _NAMES else float(text)
