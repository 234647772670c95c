# SPDX-License-Identifier: Apache-2.0
"""What `espalier show` prints."""

from __future__ import annotations

import fractions
from typing import TYPE_CHECKING, Any

from rich.text import Text

from espalier import _core
from espalier.io.console import make_console, make_table
from espalier.report.numbers import exact_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def bytes_formula(blocks: int, output_blocks: int) -> str:
    """Return what a rank sends in terms of m, the bytes of the result: `3/4 m`."""
    part = fractions.Fraction(blocks, output_blocks or 1)
    return "m" if part == 1 else f"{part} m" if part else "0"


_LETTERS = "xyzw"
_order_texts = {
    "any": "operators must commute",
    "rank": "any operator, operands in rank order",
    "left": "any operator, always ((0 op 1) op 2) op ...: reproducible",
}


def order_text(order: str) -> str:
    """Return what an order of operands means to a user."""
    return _order_texts[order]


def _is_rooted(collective: str) -> bool:
    return any(entry["name"] == collective and entry["rooted"] for entry in _core.collectives())


def _work_text(shown: Mapping[str, Any]) -> str:
    work = shown["costs"]["closed_form"] or shown["costs"]["counted"]
    if work is None:
        return ""
    blocks = shown["facts"]["output_blocks"]
    terms = [f"{work['rounds']} alpha"]
    for amount, rate in ((work["volume"], "beta"), (work["reductions"], "gamma")):
        if amount:
            terms.append(f"{bytes_formula(amount, blocks)} {rate}")
    counted = "" if shown["costs"]["closed_form"] else ", counted (no closed form)"
    return " + ".join(terms) + counted


def _print_crossing(console: Console, crossing: Mapping[str, Any]) -> None:
    unit = "blocks" if crossing["block_bytes"] is None else "bytes"
    columns = [f"{level} {what}" for level in crossing["levels"] for what in ("messages", unit)]
    table = make_table("crossing", *columns, right=tuple(columns))
    rows = [(f"round {number}", amounts) for number, amounts in enumerate(crossing["rounds"])]
    for name, amounts in [*rows, ("total", crossing["total"])]:
        numbers = [
            text
            for amount in amounts
            for text in (f"{amount['messages']}", exact_text(amount[unit]))
        ]
        table.add_row(name, *numbers)
    console.print(f"Machine   {crossing['machine']}, {crossing['placement']}")
    console.print()
    console.print(table)


def _grid_text(around: Mapping[str, Any]) -> str:
    """Return a grid with its rings and the stencil: `3x2x2, periodic in x and z, stencil 7pt`."""
    extents = "x".join(map(str, around["grid"]))
    rings = [_dimension_name(d, around) for d, is_ring in enumerate(around["periodic"]) if is_ring]
    closed = f"periodic in {' and '.join(rings)}" if rings else "open"
    return f"{extents}, {closed}, stencil {around['stencil']}"


def _dimension_name(dimension: int, around: Mapping[str, Any]) -> str:
    """Return the letter that --periodic has for a dimension, the number if there are many."""
    return _LETTERS[dimension] if len(around["grid"]) <= len(_LETTERS) else str(dimension)


def print_schedule(shown: Mapping[str, Any]) -> None:
    """Print the drawing below what the algorithm says of itself, costs and crossings below."""
    console = make_console()
    head = Text(shown["algorithm"], style="bold")
    head.append(f" on {shown['num_ranks']} ranks", style="not bold")
    if _is_rooted(shown["collective"]):
        head.append(f", root {shown['root']}", style="not bold")
    if around := shown.get("neighborhood"):
        head.append(f", {_grid_text(around)}", style="not bold")
    console.print(head, soft_wrap=True)
    console.print(f"  {shown['summary']}", soft_wrap=True)
    console.print()
    console.print(shown["drawing"], soft_wrap=True)
    console.print()
    _print_facts(console, shown)
    if shown["crossing"] is not None:
        _print_crossing(console, shown["crossing"])


def _print_facts(console: Console, shown: Mapping[str, Any]) -> None:
    facts = shown["facts"]
    sent = bytes_formula(facts["blocks"], facts["output_blocks"])
    console.print(f"Rounds    {facts['rounds']}")
    console.print(f"Messages  {facts['messages']} at most sent by one rank")
    console.print(f"Bytes     {sent} at most sent by one rank, m = bytes of the result")
    if facts["scratch"]:
        scratch = bytes_formula(facts["scratch"], facts["output_blocks"])
        console.print(f"Scratch   {scratch} at most on one rank")
    if cost := _work_text(shown):
        console.print(f"Time      {cost}, without contention")
    if shown["order"] is not None:
        console.print(f"Order     {order_text(shown['order'])}")
    console.print(f"Valid     {shown['valid']}", soft_wrap=True)
    console.print(f"Source    {shown['source']}", soft_wrap=True)
