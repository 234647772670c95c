# SPDX-License-Identifier: Apache-2.0
"""What the watch says of ranks that wait."""

from __future__ import annotations

import re
import time
from pathlib import Path

from behaviour_context import (
    Context,
    Outcome,
    expect,
)


def late(context: Context, *arguments: str, **environment: str) -> Outcome:
    """Run the program in which the last rank comes late to an MPI_Allgather."""
    before = boards()
    outcome = context.launch(context.program("mpi_shim_late"), *arguments, **environment)
    left = boards() - before
    # Others may be between making theirs and taking its name away.
    for _ in range(50):
        if left:
            time.sleep(0.1)
            left &= boards()
    expect(not left, "no shared memory left behind", left)
    return outcome


def boards() -> set[str]:
    """Return what watches have in shared memory."""
    return {path.name for path in Path("/dev/shm").glob("espalier-watch-*")}  # noqa: S108


def expect_line(outcome: Outcome, pattern: str) -> None:
    """Some line is exactly this."""
    found = [line for line in outcome.lines if re.fullmatch(f"espalier: {pattern}", line)]
    expect(bool(found), pattern, outcome.stderr)


def expect_waiting(outcome: Outcome, ranks: set[str]) -> None:
    """Lines come from these ranks only, and there are no others."""
    found = {line.split(" waits for ")[0] for line in outcome.lines}
    expect(found == {f"espalier: rank {rank}" for rank in ranks}, f"ranks {ranks}", found)


LAST = r"rank 2 is in no collective, its last one was MPI_Bcast [0-9.]+ m?s ago"


def case_watch(context: Context) -> None:
    """Who waits says where, for whom, and what that one does; again after twice the time."""
    outcome = late(context, "3.5", ESPALIER_WATCH="1s", ESPALIER_FORCE="allgather=ring")
    expect(outcome.code == 0, "exit code 0", outcome)
    where = r"in MPI_Allgather \(3 ranks of MPI_COMM_WORLD, 12 bytes, allgather/ring"
    for time_text in (r"1(\.\d)? s", r"2(\.\d)? s"):
        begin = f"rank 0 waits for {time_text} {where}, round 1 of 2\\) "
        expect_line(outcome, f"{begin}for a message from rank 2; {LAST}")
        begin = f"rank 1 waits for {time_text} {where}, round 2 of 2\\) "
        expect_line(
            outcome,
            f"{begin}for a message from rank 0; rank 0 is {where}, round 1 of 2\\) for [0-9.]+ m?s"
            ", waiting for a message from rank 2",
        )
    expect_waiting(outcome, {"0", "1"})


def case_watch_native(context: Context) -> None:
    """The same for calls of the MPI library, which nobody knows the peers of."""
    outcome = late(context, "1.7", ESPALIER_WATCH="1s")
    expect(outcome.code == 0, "exit code 0", outcome)
    for rank in (0, 1):
        call = r"MPI_Allgather of the MPI library \(3 ranks of MPI_COMM_WORLD, 12 bytes\)"
        expect_line(outcome, f"rank {rank} waits for 1(\\.\\d)? s in {call}; {LAST}")
    expect_waiting(outcome, {"0", "1"})


def case_watch_communicator(context: Context) -> None:
    """Ranks of other communicators are told from those of MPI_COMM_WORLD."""
    outcome = late(context, "1.7", "rows", ESPALIER_WATCH="1", ESPALIER_FORCE="allgather=ring")
    expect(outcome.code == 0, "exit code 0", outcome)
    where = r"MPI_Allgather \(its rank 1 of 3 in rows, 12 bytes, allgather/ring, round 1 of 2\)"
    expect_line(
        outcome,
        f"rank 1 waits for 1(\\.\\d)? s in {where} for a message from its rank 0, which is rank 2"
        f" of MPI_COMM_WORLD; {LAST}",
    )


def case_watch_abort(context: Context) -> None:
    """A program that hangs and is ended leaves nothing."""
    outcome = late(
        context, "2", "world", "abort", ESPALIER_WATCH="500ms", ESPALIER_FORCE="allgather=ring"
    )
    expect(outcome.code != 0, "the exit code of MPI_Abort", outcome)
    expect(any(" waits for " in line for line in outcome.lines), "lines", outcome.stderr)


def case_watch_misspelt(context: Context) -> None:
    """A value that is not understood: one line, and nobody watches."""
    outcome = late(context, "1.5", ESPALIER_WATCH="1sec")
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    expect("ESPALIER_WATCH: expected a time" in outcome.lines[0], "advice", outcome.lines[0])


def case_watch_off(context: Context) -> None:
    for value in ("", "off", "0"):
        outcome = late(context, "1.2", ESPALIER_WATCH=value, ESPALIER_FORCE="allgather=ring")
        expect(outcome.code == 0 and not outcome.lines, "silence", outcome)
    outcome = late(context, "0", ESPALIER_WATCH="30s", ESPALIER_FORCE="allgather=ring")
    expect(outcome.code == 0 and not outcome.lines, "silence where nobody waits", outcome)
