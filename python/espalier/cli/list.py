# SPDX-License-Identifier: Apache-2.0
"""`espalier list`."""

from typing import Annotated

import typer

from espalier import installation
from espalier.catalog import catalog, one_sided
from espalier.cli.options import Json, Pattern
from espalier.errors import ArgumentError
from espalier.io.console import emit_json
from espalier.report.list import print_listing, print_native_listing
from espalier.report.one_sided_list import print_one_sided_listing
from espalier.sampling import native_algorithms


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
        print_one_sided_listing(listing, explain=explain)
