# SPDX-License-Identifier: Apache-2.0
"""What `espalier list --one-sided` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.io.console import make_console, make_table
from espalier.report.list import print_listing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console


def print_one_sided_listing(listing: Mapping[str, Any], *, explain: bool) -> None:
    """Print a document of `catalog.one_sided`: the options, and the algorithms if it has some."""
    _print_options(make_console(), listing)
    if "candidates" in listing:
        _print_candidates(make_console(), listing, explain=explain)


def _print_options(console: Console, listing: Mapping[str, Any]) -> None:
    """Print a table for each field of espalier_onesided_options but the algorithm."""
    modes = make_table("mode", "options.in", "options.out", "members touch a buffer")
    for row in listing["modes"]:
        modes.add_row(row["name"], row["in"], row["out"], row["touches"])
    addresses = make_table("addresses", "options.addresses", "buffers are")
    for row in listing["address_modes"]:
        addresses.add_row(row["name"], row["addresses"], row["buffers"])
    names = list(dict.fromkeys(row["name"] for row in listing["address_modes"]))
    mechanisms = make_table("options.mechanism", "how data move", *names)
    for row in listing["mechanisms"]:
        cells = (legality(row["forms"], name) for name in names)
        mechanisms.add_row(f'"{row["name"]}"', row["moves"], *cells)
    for table in (modes, addresses, mechanisms):
        table.columns[0].no_wrap = True
        console.print(table)
        console.print()
    console.print(
        "options are the fields of espalier_onesided_options, as in options.in = ESPALIER_MYSYNC,"
        ' options.mechanism = "eager", options.algorithm = "bcast/binomial"; "bcast/native" is the'
        " collective of the MPI library, and takes no mechanism",
        soft_wrap=True,
    )


def legality(forms: Sequence[Mapping[str, str]], addresses: str) -> str:
    """Return `yes` or why not; where that depends on the mode, which modes are refused and why."""
    modes: dict[str, list[str]] = {}
    for form in forms:
        if form["addresses"] == addresses:
            modes.setdefault(form["refusal"], []).append(form["mode"])
    if len(modes) == 1:
        return next(iter(modes)) or "yes"
    refused = (f"{', '.join(names)}: {reason}" for reason, names in modes.items() if reason)
    return "; ".join(("yes" if "" in modes else "no", *refused))


def _print_candidates(console: Console, listing: Mapping[str, Any], *, explain: bool) -> None:
    console.print()
    print_listing(listing, explain=explain)
    console.print()
    table = make_table(f"options.algorithm among {listing['num_ranks']} members, for example")
    for choice in listing["candidates"]:
        table.add_row(f'"{choice}"')
    console.print(table)
    console.print(
        "parameters take other values, too; segments=N, where an algorithm has it, cuts long"
        " vectors",
        soft_wrap=True,
    )
