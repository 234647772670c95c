# SPDX-License-Identifier: Apache-2.0
"""The session of a tuning: begun, or continued where an earlier one was interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from espalier.io.console import say

if TYPE_CHECKING:
    from pathlib import Path

    from espalier.store.database import SessionFacts, Store

IF_UNWRITTEN = "free space there, then repeat the command with --resume: measurements are kept"


def begin_or_continue(store: Store, facts: SessionFacts, *, is_resumed: bool | None) -> int:
    """Return the number of a session, and say if it is another one than the user may expect.

    Args:
        store: Where sessions are.
        facts: Of a new one.
        is_resumed: Whether an interrupted one is continued; None: if there is one.
    """
    unfinished = store.unfinished_session(facts.key)
    if unfinished is not None and is_resumed is not False:
        return unfinished
    if is_resumed:
        say("note: nothing to resume for this command and machine; starting anew")
    elif unfinished is not None:
        say("note: an earlier tuning of this command was interrupted; --resume continues it")
    return store.begin_session(facts)


def say_how_to_continue(command: str, store: Path) -> None:
    """Say where measurements are, and the command that goes on from them."""
    words = command.replace("espalier tune", "espalier tune --resume", 1)
    say(f"finished measurements are kept in {store}; to continue: {words}")
