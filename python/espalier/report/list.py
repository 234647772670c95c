# SPDX-License-Identifier: Apache-2.0
"""What `espalier list` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.text import Text

from espalier.catalog.catalog import full_name
from espalier.io.console import make_console, make_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

    from espalier._core import Algorithm

_LEAST_TABLE_WIDTH = 100
_OPERATORS = {"any": "commutative", "rank": "any", "left": "reproducible"}
_OPERATORS_LONG = {
    "any": "commutative only",
    "rank": "any, operands in rank order",
    "left": "any, always ((0 op 1) op 2) op ...: the same bits as other schedules in that order",
}


def parameters_text(algorithm: Algorithm) -> str:
    """Return the parameters with what they are when not given: `k=2 segments=1`."""
    words = [f"{entry['name']}={entry['fallback'] or '...'}" for entry in algorithm["parameters"]]
    if algorithm["segmentable"]:
        words.append("segments=1")
    return " ".join(words)


def operators_text(algorithm: Algorithm) -> str:
    """Return which operators it serves: `commutative`, `any`, `reproducible`, or several."""
    return ", ".join(_OPERATORS[order] for order in algorithm["orders"])


def _print_table(console: Console, algorithms: list[Algorithm]) -> None:
    has_operators = any(algorithm["orders"] for algorithm in algorithms)
    columns = ["algorithm", "parameters", "valid for", "operators", "summary", "source"]
    if not has_operators:
        columns.remove("operators")
    table = make_table(*columns)
    table.columns[0].no_wrap = True
    for name, column in zip(columns, table.columns, strict=True):
        if name in {"parameters", "valid for", "source"}:
            column.max_width = 17
    for algorithm in algorithms:
        cells = {
            "algorithm": full_name(algorithm),
            "parameters": parameters_text(algorithm),
            "valid for": algorithm["valid"].removesuffix(" of ranks"),
            "operators": operators_text(algorithm),
            "summary": algorithm["summary"],
            "source": _source_text(algorithm),
        }
        table.add_row(*(cells[column] for column in columns))
    console.print(table)


def _print_blocks(console: Console, algorithms: list[Algorithm]) -> None:
    for algorithm in algorithms:
        name = Text(full_name(algorithm), style="bold")
        name.append(f"  {parameters_text(algorithm)}", style="not bold")
        console.print(name)
        operators = f"; operators: {operators_text(algorithm)}" if algorithm["orders"] else ""
        text = (
            f"{algorithm['summary']}; for {algorithm['valid']}{operators}"
            f" [{_source_text(algorithm)}]"
        )
        console.print(Padding(text, (0, 0, 0, 4)))


def _source_text(algorithm: Algorithm) -> str:
    return ", ".join(key.strip() for key in algorithm["source"].split(","))


def _explain(console: Console, algorithm: Algorithm) -> None:
    console.print(Text(full_name(algorithm), style="bold"))
    console.print(f"  {algorithm['summary']}", soft_wrap=True)
    console.print(f"  valid for  {algorithm['valid']}", soft_wrap=True)
    console.print(f"  source     {algorithm['source']}", soft_wrap=True)
    for number, order in enumerate(algorithm["orders"]):
        title = "or" if number else "operators"
        console.print(f"  {title:<9}  {_OPERATORS_LONG[order]}", soft_wrap=True)
    if algorithm["equal_blocks_only"]:
        console.print("  blocks     all of one size")
    if algorithm.get("forwards"):
        console.print("  blocks     of others are forwarded: their sizes are equal, or exchanged")
    if algorithm["neighbours_only"]:
        console.print("  peers      only ranks r - 1 and r + 1")
    for entry in algorithm["parameters"]:
        native = ", or native: the collective of the MPI library" if entry["takes_native"] else ""
        console.print(
            f"  {entry['name']:<9}  {entry['description']} ({entry['type']}{native}, at least"
            f" {entry['minimum']}; {entry['fallback'] or 'chosen'} if not given)",
            soft_wrap=True,
        )
    if algorithm["segmentable"]:
        console.print("  segments   pieces that follow each other (integer; 1 if not given)")
    console.print()


def print_listing(listing: Mapping[str, Any], *, explain: bool) -> None:
    """Print algorithms as a table, or each with everything that is known of it."""
    console = make_console()
    if explain:
        for algorithm in listing["algorithms"]:
            _explain(console, algorithm)
    elif console.width < _LEAST_TABLE_WIDTH:
        _print_blocks(console, listing["algorithms"])
    else:
        _print_table(console, listing["algorithms"])


def print_native_listing(listing: Mapping[str, Any]) -> None:
    """Print the algorithms of an MPI library, a call a line, and why others have none."""
    console = make_console()
    table = make_table("call", "algorithms", "parameters")
    for row in listing["calls"]:
        if not row["problem"]:
            table.add_row(
                row["collective"], ", ".join(row["algorithms"]), ", ".join(row["parameters"])
            )
    console.print(table)
    for row in listing["calls"]:
        if row["problem"]:
            console.print(f"{row['collective']}: {row['problem']}", soft_wrap=True)
    console.print(
        "use one as in --force 'bcast=native[algorithm=binomial]', with parameters as in"
        " native[algorithm=pipeline,segment=8192]",
        soft_wrap=True,
        markup=False,
    )
