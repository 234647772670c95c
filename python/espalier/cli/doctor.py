# SPDX-License-Identifier: Apache-2.0
"""`espalier doctor`."""

import typer

from espalier.cli.options import Json
from espalier.doctor import examine
from espalier.io.console import emit_json
from espalier.report.doctor import print_examination


def doctor(json: Json = False) -> None:
    """Say what works here, what does not, and what to do about it.

    Looks at the parts of Espalier, the MPIs, the machine, the clock, the kernel and the settings.
    Exit code 1 only if no program of any MPI could be improved.
    """
    examination = examine()
    if json:
        emit_json(examination)
    else:
        print_examination(examination)
    if not examination["works"]:
        raise typer.Exit(1)
