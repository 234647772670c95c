# SPDX-License-Identifier: Apache-2.0
"""Why a command failed, in one line, as far as it can be known from outside."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING

from espalier.launch import programs
from espalier.launch.run_folder import ADVICE

if TYPE_CHECKING:
    from espalier.launch.command import LaunchCommand
    from espalier.launch.processes import Ended


# What Open MPI prints when one of its processes ends by a signal.
_CRASH = re.compile(
    r"^\[[^\]\n]+\] \*\*\* Process received signal \*\*\*$"
    r"(?:.*?\*\*\* End of error message \*\*\*$|.*)\n?",
    re.DOTALL | re.MULTILINE,
)


def describe_end(command: LaunchCommand, ended: Ended) -> str:
    """Return what happened instead of exit code 0."""
    name = command.program[0] if command.program else command.launcher
    if ended.timed_out:
        return f"expected '{name}' to end within the time limit, it ran {ended.seconds:.0f} s"
    program = programs.inspect(name)
    if command.program and program.path is None:
        return f"expected a program, found nothing executable at '{name}'"
    if command.program and ended.signal_number is not None:
        crash = signal.Signals(ended.signal_number).name
        return f"expected exit code 0 from '{name}', its launcher was itself ended by {crash}"
    return f"expected exit code 0 from '{name}', got {ended.exit_code}{_signal_name(ended)}"


def without_crash(output: str) -> str:
    """Return what was printed without what a launcher says of its own crash.

    Open MPI's launcher may end by SIGSEGV while it cleans up behind a program that has failed.
    """
    return _CRASH.sub(lambda found: "" if "PMIx_server_finalize" in found[0] else found[0], output)


def why_unseen(command: LaunchCommand) -> str:
    """Return why a program that ran left no statistics."""
    name = command.program[0] if command.program else command.launcher
    program = programs.inspect(name)
    if program.is_binary and program.interface is None:
        return (
            f"expected an MPI program, '{name}' is not linked with a shared library of Open MPI or"
            " MPICH, so nothing can be preloaded under it"
        )
    return (
        f"expected '{name}' to call MPI_Init and MPI_Finalize, its ranks left no statistics; it may"
        f" clear LD_PRELOAD, or not use MPI, or run on hosts that do not see the folder: {ADVICE}"
    )


def _signal_name(ended: Ended) -> str:
    number = ended.exit_code - 128
    try:
        return f" (128 + {signal.Signals(number).name})" if number > 0 else ""
    except ValueError:
        return ""
