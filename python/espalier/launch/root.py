# SPDX-License-Identifier: Apache-2.0
"""Open MPI's launcher refuses to run as root unless it is told twice."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from espalier.errors import MpiError
from espalier.launch.options import OPENMPI

if TYPE_CHECKING:
    from espalier.launch.command import LaunchCommand

_VARIABLES = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")


def permission(command: LaunchCommand) -> dict[str, str]:
    """Return the variables that are missing for a run as root; none where all is well."""
    if command.family is not OPENMPI or os.geteuid() != 0:
        return {}
    if any(word.lstrip("-") == "allow-run-as-root" for word in command.options):
        return {}
    missing = [name for name in _VARIABLES if os.environ.get(name) != "1"]
    return dict.fromkeys(_VARIABLES, "1") if missing else {}


def check_permission(command: LaunchCommand) -> None:
    """Raise MpiError if Open MPI would refuse to start the user's program as root."""
    if permission(command):
        raise MpiError(
            f"expected a user other than root, or permission for root: {command.launcher} of"
            " Open MPI refuses to start programs as root",
            f"set {_VARIABLES[0]}=1 and {_VARIABLES[1]}=1",
        )
