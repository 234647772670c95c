# SPDX-License-Identifier: Apache-2.0
"""`espalier doctor`."""

from typing import Annotated

import typer

from espalier.cli.options import Json
from espalier.doctor import examine
from espalier.io.console import emit_json
from espalier.report.doctor import print_examination


def doctor(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- COMMAND]", help="A program to look at, too: -- mpirun -n 4 ./program"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Say what works here, what does not, and what to do about it.

    Looks at the parts of Espalier, the MPIs, the machine, the clock, the kernel and the settings.
    Of a command it says which library goes under it and why; nothing is run. Exit code 1 only if no
    program of any MPI could be improved.
    """
    examination = examine(command or ())
    if json:
        emit_json(examination)
    else:
        print_examination(examination)
    if not examination["works"]:
        raise typer.Exit(1)
