# SPDX-License-Identifier: Apache-2.0
"""`espalier list`."""

from typing import Annotated

import typer

from espalier.catalog import catalog
from espalier.cli.options import Json, Pattern
from espalier.io.console import emit_json
from espalier.report.list import print_listing


def list_algorithms(
    pattern: Pattern = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Describe each algorithm and its parameters.")
    ] = False,
    json: Json = False,
) -> None:
    """List the algorithms: parameters, numbers of ranks they work for, what they do, source."""
    listing = catalog.listing(pattern)
    if json:
        emit_json(listing)
    else:
        print_listing(listing, explain=explain)
