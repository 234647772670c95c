# SPDX-License-Identifier: Apache-2.0
"""What valgrind and the MPI library say of collectives that come and go, of tests/shim/requests.c.

MPI libraries lose memory in MPI_Init and MPI_Finalize. What happens there is theirs, unless they
have called us.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from behaviour_context import CHOICES, FORCE, Context, Outcome, calls, expect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

_PROGRAM = "mpi_shim_requests"
_NUM_RANKS = 2
_NUM_COMMS = 10
# Of Open MPI, MPI_Finalize is no frame of its own.
_THEIRS = ("PMPI_Init", "PMPI_Finalize", "ompi_mpi_finalize")
# Of 20 rounds on each communicator.
_COUNTS = {
    f"MPI_{function}": (20 * _NUM_COMMS, CHOICES[call])
    for function, call in (
        ("Iallgather", "allgather"),
        ("Iallreduce", "allreduce"),
        ("Ialltoallv", "alltoallv"),
        ("Ibcast", "bcast"),
        ("Allreduce_init", "allreduce"),
        ("Bcast_init", "bcast"),
    )
}


def run_checked(context: Context, *arguments: str) -> Outcome:
    """Run the program under valgrind, which leaves a file for each rank."""
    return context.launch(
        str(context.config["valgrind"]),
        "--leak-check=full",
        "--show-leak-kinds=all",
        "--num-callers=40",
        "--xml=yes",
        f"--xml-file={context.folder}/valgrind-%p.xml",
        context.program(_PROGRAM),
        *arguments,
        num_ranks=_NUM_RANKS,
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )


def is_ours(error: Element) -> bool:
    """Return whether our code did or called it, and not MPI_Init or MPI_Finalize of the library."""
    for frame in error.findall("stack[1]/frame"):
        function = frame.findtext("fn", "")
        if "espalier" in function or "libespalier" in frame.findtext("obj", ""):
            return True
        if function in _THEIRS:
            return False
    return False


def may_stay(error: Element) -> bool:
    """Return whether it is what the library has once, and keeps to the end of the process."""
    is_reachable = error.findtext("kind") == "Leak_StillReachable"
    return is_reachable and int(error.findtext("xwhat/leakedblocks", "0")) < _NUM_COMMS


def described(error: Element) -> str:
    frames = [frame.findtext("fn", "?") for frame in error.findall("stack[1]/frame")]
    what = error.findtext("xwhat/text") or error.findtext("what") or ""
    return "\n  ".join([f"{error.findtext('kind')}: {what}", *frames])


def found_by_valgrind(context: Context) -> Iterator[str]:
    """Describe what is ours, of all ranks."""
    files = list(context.folder.glob("valgrind-*.xml"))
    expect(len(files) == _NUM_RANKS, "a file for each rank", files)
    for file in files:
        errors = ElementTree.parse(file).getroot().findall("error")  # noqa: S314 - of valgrind
        expect(bool(errors), "what is kept to the end", file.name)
        yield from (described(one) for one in errors if is_ours(one) and not may_stay(one))


def case_valgrind(context: Context) -> None:
    """Nothing is lost, kept for each communicator, or accessed where it is not allowed."""
    outcome = run_checked(context)
    expect(outcome.code == 0, "exit code 0", outcome)
    for report in context.reports():
        expect(calls(report) == _COUNTS, f"{_COUNTS}", report["calls"])
    found = "\n".join(found_by_valgrind(context))
    expect(not found, "nothing of ours", found)


def case_valgrind_sees_what_is_lost(context: Context) -> None:
    """Planned requests that are not freed are found, so that the other case can fail."""
    outcome = run_checked(context, "forgetful")
    expect(outcome.code == 0, "exit code 0", outcome)
    lost = [one for one in found_by_valgrind(context) if one.startswith("Leak_DefinitelyLost")]
    expect(any("espalier_allreduce_init" in one for one in lost), "planned requests", lost)


def case_leaks_of_requests(context: Context) -> None:
    """No handle of MPI is left of them, which Open MPI can say; MPICH says nothing."""
    outcome = context.launch(
        context.program(_PROGRAM),
        ESPALIER_FORCE=FORCE,
        OMPI_MCA_mpi_show_handle_leaks="1",
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(not outcome.stderr.strip(), "no word about handles", outcome.stderr)
