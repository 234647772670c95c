# SPDX-License-Identifier: Apache-2.0
"""The rows of all tables of the page: what is kept of the times, which are many."""

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
    from collections.abc import Iterator, Mapping, Sequence

    from tables import Findings

_PUBLISHED: dict[str, Any] = tomllib.loads((FOLDER / "published.toml").read_text(encoding="utf-8"))
_MAIN = ("yahoo", "cervino")


def summary(findings: Sequence[Findings]) -> dict[str, list[str]]:
    """Return the rows by what they are about."""
    gathers = [found for found in findings if found.battery.name in _MAIN]
    vectors = [found for found in findings if found.battery.name not in _MAIN]
    return {
        "cost": [_cost_row(found) for found in findings],
        "not_simulated": list(_not_simulated(findings)),
        "each_mapping": _improvements(gathers, MAPPINGS),
        "united": _improvements(gathers, (UNITED,)),
        "vectors_united": _improvements(vectors, (UNITED,)),
        "vectors_sequential": _improvements(vectors, ("sequential",)),
        "winners": [row for found in findings for row in tables.winner_rows(found)],
        "overlaps": [
            row
            for found in gathers
            for row in tables.overlap_rows(found, _PUBLISHED["overlaps"][found.battery.name])
        ],
        "areas": list(tables.area_rows(gathers[0], _PUBLISHED["areas"]["yahoo"])),
        "many": [
            row
            for found in gathers
            for row in tables.many_rows(found, _PUBLISHED["many"][found.battery.name])
        ],
        "agreement": [row for found in findings for row in tables.agreement_rows(found)],
        "catalog": [
            row for found in findings if found.catalog.times for row in tables.catalog_rows(found)
        ],
        "choices": [row for found in findings for row in tables.choice_rows(found)],
    }


def _improvements(findings: Sequence[Findings], mappings: Sequence[str]) -> list[str]:
    said: Mapping[str, Any] = _PUBLISHED["tables"]
    return [
        row
        for mapping in mappings
        for found in findings
        for row in tables.improvement_rows(
            found, mapping, said.get(found.battery.name, {}).get(mapping, {})
        )
    ]


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
    for found in findings:
        missing: dict[tuple[int, str], list[int]] = {}
        for cell in itertools.chain.from_iterable(sampled_cells(found.battery)):
            if cell not in found.simulated.times:
                missing.setdefault((cell.num_ranks, cell.mapping), []).append(cell.size)
        for (num_ranks, mapping), sizes in missing.items():
            blocks = ", ".join(map(bytes_text, sizes))
            yield f"* {found.battery.title}, {num_ranks} ranks, {mapping}, blocks of {blocks}"
