# SPDX-License-Identifier: Apache-2.0
"""Why a simulated program did not end well, in one line.

The simulator's own exit code is often 0.
"""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

from espalier.base.units import time_text
from espalier.errors import MpiError, OutOfMemoryError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from espalier.launch.complaints import Complaint
    from espalier.launch.processes import Ended
    from espalier.simulate.journal import Journal

_RETURNED = re.compile(r"SMPI process did not return 0\. Return value : (\d+)")
_GONE = re.compile(r"Actor pid=(\d+) is gone")
_MISSING = re.compile(r"Not yet implemented: P?(MPI_\w+)")
_REFUSED = re.compile(r"(\w+) - returned (MPI_ERR_\w+)")
_MOST_RANKS = 8


@dataclass(frozen=True)
class End:
    """How a simulation ended. `unfinished` ranks never came to MPI_Finalize, as far as is known."""

    ended: Ended
    journal: Journal
    complaints: Sequence[Complaint]
    own_lines: Sequence[str]
    unfinished: Sequence[int] = ()


def failure(end: End) -> MpiError | OutOfMemoryError | None:
    """Return what went wrong, None if nothing did."""
    return (
        _of_platform(end)
        or _of_time(end)
        or _of_complaints(end.complaints)
        or _of_refusal(end)
        or _of_deadlock(end)
        or _of_exit_code(end)
    )


def _of_platform(end: End) -> MpiError | None:
    if end.journal.has_started or not end.own_lines:
        return None
    return MpiError(end.own_lines[0], exit_code=2)


def _of_time(end: End) -> MpiError | None:
    if not end.ended.timed_out:
        return None
    reached = time_text(end.journal.seconds)
    return MpiError(
        f"expected the simulation to end within {time_text(end.ended.seconds)}, it came to"
        f" {reached} of simulated time",
        "give it more with --timeout; a loop that calls no MPI function never lets others run",
    )


def _of_complaints(complaints: Iterable[Complaint]) -> MpiError | None:
    for complaint in complaints:
        who = _who(complaint)
        if "MPI_Abort was called" in complaint.text:
            return MpiError(f"{who} called MPI_Abort")
        if match := _MISSING.search(complaint.text):
            return MpiError(
                f"{who} called {match[1]}, which SimGrid does not have",
                "docs/explanation/simulation.md lists what it lacks",
            )
        if match := _RETURNED.search(complaint.text):
            code = int(match[1])
            return MpiError(f"{who} ended with exit code {code}", exit_code=code)
        if match := _GONE.search(complaint.text):
            return MpiError(
                f"rank {int(match[1]) - 1} ended before MPI_Finalize, while {who} communicated"
            )
    return None


def _who(complaint: Complaint) -> str:
    return "a rank" if complaint.rank is None else f"rank {complaint.rank}"


def _of_refusal(end: End) -> MpiError | None:
    """Return the error that ended the program; those that it survived are its own affair."""
    if end.ended.exit_code == 0 and end.journal.is_complete:
        return None
    if end.own_lines:
        return MpiError(end.own_lines[0])
    for complaint in end.complaints:
        if match := _REFUSED.search(complaint.text):
            call = match[1] if match[1].startswith("MPI_") else "a function of MPI"
            advice = "a message is longer than the receive that it came to"
            is_too_long = match[2] == "MPI_ERR_TRUNCATE"
            return MpiError(
                f"{_who(complaint)} called {call}, which failed with {match[2]}",
                advice if is_too_long else "",
            )
    return None


def _of_deadlock(end: End) -> MpiError | None:
    if not end.journal.is_deadlocked:
        return None
    ranks = ", ".join(map(str, end.unfinished[:_MOST_RANKS]))
    more = ", ..." if len(end.unfinished) > _MOST_RANKS else ""
    who = f"; not at MPI_Finalize: rank {ranks}{more}" if ranks else ""
    return MpiError(
        f"deadlock after {time_text(end.journal.seconds)} of simulated time: ranks wait for"
        f" messages that are never sent{who}"
    )


def _of_exit_code(end: End) -> MpiError | OutOfMemoryError | None:
    code = end.ended.exit_code
    reached = f"after {time_text(end.journal.seconds)} of simulated time"
    if code == 128 + signal.SIGKILL:
        return OutOfMemoryError(
            f"the simulator was killed {reached}, as it is when memory runs out",
            "simulate fewer ranks with -p",
            exit_code=code,
        )
    if code > 128:
        name = signal.Signals(code - 128).name
        return MpiError(f"a rank was ended by {name} {reached}", exit_code=code)
    if code != 0:
        return MpiError(f"the simulator ended with exit code {code} {reached}", exit_code=code)
    if not end.journal.is_complete:
        return MpiError(f"the simulator ended {reached}, before the program did")
    return None
