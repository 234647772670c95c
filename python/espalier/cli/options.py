# SPDX-License-Identifier: Apache-2.0
"""Options that several verbs share."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead.")]
Pattern = Annotated[
    str | None,
    typer.Argument(
        metavar="PATTERN", help="Name, part of a name, or pattern with * and ?; all if left out."
    ),
]
