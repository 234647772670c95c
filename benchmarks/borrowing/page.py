# SPDX-License-Identifier: Apache-2.0
"""The page about what borrowing rules costs, from the data that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import borrowing_data
from leaving_out import LOST, Distance, mean, outcomes, shape_of
from simulated_times import date_of, table

from espalier.base.units import bytes_text
from espalier.sampling.samples import NATIVE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from leaving_out import Outcome

STUDY = "borrowing"
_TEMPLATE = Path(__file__).with_suffix(".md")
_HEAD = ["who lends", "borrowed", "native / ours", "ours / best", "lost", "worst"]


def text(declared: Mapping[str, Any], data: Path) -> str:
    """Return the page."""
    cells = borrowing_data.read(data / borrowing_data.FILE)
    nothing = outcomes(cells, None, declared)
    alone = {
        one["name"]: outcomes(cells, Distance.declared(one), declared)
        for one in declared["distance"]
    }
    agreed = {
        one["name"]: outcomes(cells, Distance.declared(one), declared, declared["agreement"])
        for one in declared["distance"]
    }
    chosen = next(one["name"] for one in declared["distance"] if one.get("is_chosen"))
    return _TEMPLATE.read_text(encoding="utf-8").format(
        date=date_of(data, STUDY),
        num_shapes=len({shape_of(cell) for cell in cells}),
        num_cells=len(nothing),
        peers=" and ".join(declared["peers"]),
        machine=declared["machine"].format(nodes="(nodes)", cores="(cores)"),
        nodes=", ".join(map(str, declared["nodes"])),
        cores=", ".join(map(str, declared["cores"])),
        calls=", ".join(declared["collectives"]),
        sizes=", ".join(map(bytes_text, declared["sizes"])),
        lost_percent=100 * LOST,
        agreement=declared["agreement"],
        alone=table(_HEAD, [_row("nobody", nothing), *(_row(*pair) for pair in alone.items())]),
        agreed=table(_HEAD, [_row(*pair) for pair in agreed.items()]),
        chosen=chosen,
        losers=table(*losers_table(alone[chosen])),
    )


def _row(name: str, found: Sequence[Outcome]) -> list[str]:
    gains = [one.gain for one in found]
    return [
        name,
        f"{sum(one.choice != NATIVE for one in found)} of {len(found)}",
        f"{mean(gains):.3f}",
        f"{mean([one.us / one.best_us for one in found]):.3f}",
        str(sum(one.is_lost for one in found)),
        f"{min(gains):.2f}",
    ]


def losers_table(found: Sequence[Outcome]) -> tuple[list[str], list[list[str]]]:
    """Return the cells that lose time, the worst first."""
    head = ["shape", "call", "native of", "borrowed from", "algorithm", "native / ours"]
    rows = [
        [
            str(shape_of(one.cell)),
            f"{one.cell['collective']} {bytes_text(one.cell['bytes'])}",
            one.peer,
            str(one.lender),
            f"`{one.choice}`",
            f"{one.gain:.2f}",
        ]
        for one in sorted(found, key=lambda one: one.gain)
        if one.is_lost
    ]
    return head, rows
