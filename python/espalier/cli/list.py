# SPDX-License-Identifier: Apache-2.0
"""`espalier list`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from espalier import installation
from espalier.catalog import catalog, one_sided
from espalier.cli.options import Json, Pattern
from espalier.errors import ArgumentError
from espalier.io.console import emit_json, make_console, make_table
from espalier.report.list import print_listing, print_native_listing
from espalier.sampling import native_algorithms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console


def list_algorithms(
    pattern: Pattern = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Describe each algorithm and its parameters.")
    ] = False,
    native: Annotated[
        str | None,
        typer.Option(
            "--native",
            metavar="MPI",
            help="List the algorithms that an MPI library lets one select: openmpi or mpich. The"
            " pattern is then the name of a call.",
        ),
    ] = None,
    for_teams: Annotated[
        bool,
        typer.Option(
            "--one-sided",
            help="List what options of one-sided collectives of teams may be: synchronization,"
            " addresses and mechanism; with a pattern also the algorithms.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """List the algorithms: parameters, numbers of ranks they work for, what they do, source."""
    if for_teams and native is not None:
        raise ArgumentError(
            f"expected --one-sided or --native, got both --one-sided and --native {native}",
            "leave one of them out: collectives of teams take no algorithms of the MPI library",
        )
    if for_teams:
        _list_one_sided(pattern, explain=explain, json=json)
        return
    if native is not None:
        _list_native(native, pattern, json=json)
        return
    listing = catalog.listing(pattern)
    if json:
        emit_json(listing)
    else:
        print_listing(listing, explain=explain)


def _list_native(vendor: str, call: str | None, *, json: bool) -> None:
    if vendor not in installation.vendors:
        known = " or ".join(installation.vendors)
        raise ArgumentError(f"expected --native {known}, got '{vendor}'")
    listing = native_algorithms.listing(vendor, call)
    if json:
        emit_json(listing)
    else:
        print_native_listing(listing)


def _list_one_sided(pattern: str | None, *, explain: bool, json: bool) -> None:
    if explain and pattern is None:
        raise ArgumentError(
            "expected a pattern behind --one-sided --explain, got none",
            "name what to explain, as in 'espalier list --one-sided --explain allreduce'",
        )
    listing = one_sided.listing(pattern)
    if json:
        emit_json(listing)
    else:
        _print_options(make_console(), listing)
        if pattern is not None:
            _print_candidates(make_console(), listing, explain=explain)


def _print_options(console: "Console", listing: "Mapping[str, Any]") -> None:
    """Print a table for each field of espalier_onesided_options but the algorithm."""
    modes = make_table("mode", "options.in", "options.out", "members touch a buffer")
    for row in listing["modes"]:
        modes.add_row(row["name"], row["in"], row["out"], row["touches"])
    addresses = make_table("addresses", "options.addresses", "buffers are")
    for row in listing["address_modes"]:
        addresses.add_row(row["name"], row["addresses"], row["buffers"])
    names = [row["name"] for row in listing["address_modes"]]
    mechanisms = make_table("options.mechanism", "how data move", *names)
    for row in listing["mechanisms"]:
        cells = (_legality(row["forms"], name) for name in names)
        mechanisms.add_row(f'"{row["name"]}"', row["moves"], *cells)
    for table in (modes, addresses, mechanisms):
        table.columns[0].no_wrap = True
        console.print(table)
        console.print()
    console.print(
        "options are the fields of espalier_onesided_options, as in options.in = ESPALIER_MYSYNC,"
        ' options.mechanism = "eager", options.algorithm = "bcast/binomial"',
        soft_wrap=True,
    )


def _legality(forms: "Sequence[Mapping[str, str]]", addresses: str) -> str:
    """Return `yes` or why not; where that depends on the mode, which modes are refused and why."""
    modes: dict[str, list[str]] = {}
    for form in forms:
        if form["addresses"] == addresses:
            modes.setdefault(form["refusal"], []).append(form["mode"])
    if len(modes) == 1:
        return next(iter(modes)) or "yes"
    refused = (f"{', '.join(names)}: {reason}" for reason, names in modes.items() if reason)
    return "; ".join(("yes" if "" in modes else "no", *refused))


def _print_candidates(console: "Console", listing: "Mapping[str, Any]", *, explain: bool) -> None:
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
