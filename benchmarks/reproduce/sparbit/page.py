# SPDX-License-Identifier: Apache-2.0
"""docs/benchmarks/sparbit.md and its figures: the study in one page, from what is kept of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import figures
import tables
import tomllib
from outcomes import read_outcomes
from simulated_times import date_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

STUDY = "sparbit"
ROWS, OUTCOMES = "sparbit.json", "sparbit-outcomes.csv"
_PROSE: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("prose.toml").read_text(encoding="utf-8")
)


def text(declared: Mapping[str, Any], data: Path) -> str:  # noqa: ARG001 - as in other studies
    """Return the page."""
    rows = json.loads((data / ROWS).read_text(encoding="utf-8"))
    return page(rows, date_of(data, STUDY))


def draw(declared: Mapping[str, Any], data: Path, folder: Path) -> None:  # noqa: ARG001
    """Draw the figures of the page."""
    figures.draw(read_outcomes(data / OUTCOMES), folder)


def page(rows: Mapping[str, Sequence[str]], date: str) -> str:
    """Return the page of the rows of all tables."""
    parts = [_PROSE["head"].format(date=date) + "\n".join(rows["cost"])]
    if rows["not_simulated"]:
        head = "Of the declared cells, these have no time in SimGrid:"
        parts.append("\n".join([head, *rows["not_simulated"]]))
    for name, title in (
        ("each_mapping", "Allgather, each mapping by itself (table 6)"),
        ("united", "Allgather, mappings united (table 7)"),
        ("vectors_united", "Allgatherv, mappings united (table 8)"),
        ("vectors_sequential", "Allgatherv, sequential (of table 8 the text has two rows)"),
    ):
        parts += _table(title, tables.IMPROVEMENTS, rows[name])
    parts += [_figure("sparbit-improvements"), _PROSE["why"]]
    parts += _table("Who is best, by maximum (replay)", tables.WINNERS, rows["winners"])
    parts += map(_figure, ("sparbit-yahoo", "sparbit-cervino", "sparbit-allgatherv"))
    for name, title, head in (
        ("overlaps", "Best by which metric (published / replay, cells)", tables.OVERLAPS),
        ("areas", "Linear and logarithmic rivals: Yahoo, sequential, by average", tables.AREAS),
        ("many", "Many ranks, sequential, by average", tables.MANY),
        ("agreement", "How the replay agrees with SimGrid", tables.AGREEMENTS),
    ):
        parts += _table(title, head, rows[name])
    parts.append(_PROSE["agreement"])
    parts += _table("With the whole catalog (replay, by maximum)", tables.CATALOG, rows["catalog"])
    parts += [_PROSE["catalog"], "\n".join(rows["choices"])]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _figure(name: str) -> str:
    title = "improvements" if name.endswith("improvements") else "who is best, by average"
    return f"*Figure `figures/{name}.svg`, drawn by `make docs`: {title}.*"


def _table(title: str, head: str, rows: Sequence[str]) -> Iterator[str]:
    if rows:
        yield f"## {title}"
        yield "\n".join([head, *rows])
