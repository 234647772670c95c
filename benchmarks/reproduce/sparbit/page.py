# SPDX-License-Identifier: Apache-2.0
"""docs/benchmarks/sparbit.md: the study in one page."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import tables
import tomllib
from contests import UNITED
from declared import FOLDER, MAPPINGS
from simulating import sampled_cells

from espalier.base.units import bytes_text, time_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tables import Findings

_PUBLISHED: dict[str, Any] = tomllib.loads((FOLDER / "published.toml").read_text(encoding="utf-8"))
_PROSE: dict[str, str] = tomllib.loads((FOLDER / "prose.toml").read_text(encoding="utf-8"))
_MAIN = ("yahoo", "cervino")


def page(findings: Sequence[Findings], date: str) -> str:
    """Return the page."""
    by_name = {found.battery.name: found for found in findings}
    parts = [_PROSE["head"].format(date=date) + "\n".join(map(_cost_row, findings))]
    parts += _not_simulated(findings)
    parts += _improvements(findings)
    parts += [_PROSE["why"]]
    parts += _cells(findings, by_name)
    parts += _agreement(findings)
    parts += _catalog(findings)
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _cost_row(found: Findings) -> str:
    num_cells = len(list(found.battery.cells()))
    from_simgrid = sum(len(cells) for cells in sampled_cells(found.battery))
    return (
        f"| {found.battery.title} | {len(found.replayed.times)} of {num_cells}"
        f" | {time_text(found.replayed.seconds)} | {len(found.simulated.times)} | {from_simgrid}"
        f" | {time_text(found.simulated.seconds)} | {len(found.catalog.times)}"
        f" | {len(list(found.battery.catalog_cells()))} |"
    )


def _not_simulated(findings: Sequence[Findings]) -> Iterator[str]:
    """Name the declared cells that SimGrid took too long for, or was not asked for yet."""
    lines = []
    for found in findings:
        missing: dict[tuple[int, str], list[int]] = {}
        for cell in itertools.chain.from_iterable(sampled_cells(found.battery)):
            if cell not in found.simulated.times:
                missing.setdefault((cell.num_ranks, cell.mapping), []).append(cell.size)
        lines += [
            f"* {found.battery.title}, {num_ranks} ranks, {mapping}, blocks of "
            + ", ".join(map(bytes_text, sizes))
            for (num_ranks, mapping), sizes in missing.items()
        ]
    if lines:
        yield "\n".join(["Of the declared cells, these have no time in SimGrid:", *lines])


def _table(title: str, head: str, rows: Iterable[str]) -> Iterator[str]:
    lines = list(rows)
    if lines:
        yield f"## {title}" if title else ""
        yield "\n".join([head, *lines])


def _improvements(findings: Sequence[Findings]) -> Iterator[str]:
    said: Mapping[str, Any] = _PUBLISHED["tables"]
    for title, mappings, names in (
        ("Allgather, each mapping by itself (table 6)", MAPPINGS, _MAIN),
        ("Allgather, mappings united (table 7)", (UNITED,), _MAIN),
        ("Allgatherv, mappings united (table 8)", (UNITED,), None),
        ("Allgatherv, sequential (of table 8 the text has two rows)", ("sequential",), None),
    ):
        chosen = [
            found for found in findings if (found.battery.name in _MAIN) == (names is not None)
        ]
        rows = (
            row
            for mapping in mappings
            for found in chosen
            for row in tables.improvement_rows(
                found, mapping, said.get(found.battery.name, {}).get(mapping, {})
            )
        )
        yield from _table(title, tables.IMPROVEMENTS, rows)
    yield "![Improvements](figures/sparbit-improvements.svg)"


def _cells(findings: Sequence[Findings], by_name: Mapping[str, Findings]) -> Iterator[str]:
    rows = (row for found in findings for row in tables.winner_rows(found))
    yield from _table("Who is best, by maximum (replay)", tables.WINNERS, rows)
    for name in (*_MAIN, "allgatherv"):
        yield f"![Who is best, by average](figures/sparbit-{name}.svg)"
    rows = (
        row
        for found in findings
        if found.battery.name in _MAIN
        for row in tables.overlap_rows(found, _PUBLISHED["overlaps"][found.battery.name])
    )
    yield from _table("Best by which metric (published / replay, cells)", tables.OVERLAPS, rows)
    yield from _table(
        "Linear and logarithmic rivals: Yahoo, sequential, by average",
        tables.AREAS,
        tables.area_rows(by_name["yahoo"], _PUBLISHED["areas"]["yahoo"]),
    )
    rows = (
        row for name in _MAIN for row in tables.many_rows(by_name[name], _PUBLISHED["many"][name])
    )
    yield from _table("Many ranks, sequential, by average", tables.MANY, rows)


def _agreement(findings: Sequence[Findings]) -> Iterator[str]:
    rows = (row for found in findings for row in tables.agreement_rows(found))
    yield from _table("How the replay agrees with SimGrid", tables.AGREEMENTS, rows)
    yield _PROSE["agreement"]


def _catalog(findings: Sequence[Findings]) -> Iterator[str]:
    rows = (row for found in findings if found.catalog.times for row in tables.catalog_rows(found))
    yield from _table("With the whole catalog (replay, by maximum)", tables.CATALOG, rows)
    yield _PROSE["catalog"]
    yield "\n".join(row for found in findings for row in tables.choice_rows(found))
