# SPDX-License-Identifier: Apache-2.0
"""The page about what rules should tell apart, from the data that are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regrets import mean, regrets, share_lost
from simulated_times import date_of, table

from espalier.base.units import bytes_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from regrets import Regret

STUDY = "keys"
FILE = "keys.json"
_TEMPLATE = Path(__file__).with_suffix(".md")
_WORST = 12


def text(declared: Mapping[str, Any], data: Path) -> str:
    """Return the page."""
    cells = json.loads((data / FILE).read_text(encoding="utf-8"))["cells"]
    found = {
        question["name"]: regrets([c for c in cells if c["question"] == question["name"]])
        for question in declared["question"]
    }
    return _TEMPLATE.read_text(encoding="utf-8").format(
        date=date_of(data, STUDY),
        node=declared["node"],
        core=declared["core"],
        sizes=", ".join(map(bytes_text, declared["sizes"])),
        lost_percent=round(100 * (declared["lost"] - 1)),
        questions=_questions(declared, found),
        calls=_calls(declared, found),
        worst=_worst(found),
    )


def _questions(declared: Mapping[str, Any], found: Mapping[str, Sequence[Regret]]) -> str:
    rows = [
        [
            name,
            next(one["about"] for one in declared["question"] if one["name"] == name),
            str(len(row)),
            f"{mean(row):.3f}",
            f"{share_lost(row, declared['lost']):.0%}",
            f"{max(one.ratio for one in row):.2f}",
        ]
        for name, row in found.items()
    ]
    return table(["ignored", "situations", "pairs", "mean regret", "lost", "worst"], rows)


def _calls(declared: Mapping[str, Any], found: Mapping[str, Sequence[Regret]]) -> str:
    calls = sorted({one.cell["call"] for row in found.values() for one in row})
    rows = []
    for call in calls:
        cells = []
        for row in found.values():
            own = [one for one in row if one.cell["call"] == call]
            cells.append(f"{mean(own):.2f} ({max(o.ratio for o in own):.2f})" if own else "")
        rows.append([call, *cells])
    return table(["call", *(question["name"] for question in declared["question"])], rows)


def _worst(found: Mapping[str, Sequence[Regret]]) -> str:
    rows = [
        [
            name,
            f"{one.cell['call']} {bytes_text(one.cell['bytes'])}",
            one.cell["situation"],
            one.elsewhere,
            f"`{one.choice}`",
            f"`{one.cell['choice']}`",
            f"{one.ratio:.2f}",
        ]
        for name, row in found.items()
        for one in sorted(row, key=lambda one: -one.ratio)[:_WORST]
    ]
    head = ["ignored", "call", "here", "chosen for", "choice", "best here", "regret"]
    return table(head, rows)
