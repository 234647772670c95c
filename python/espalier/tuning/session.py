# SPDX-License-Identifier: Apache-2.0
"""The session of a tuning: begun or continued, interrupted or not, kept in the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.base.interruption import Interrupted
from espalier.io.console import say
from espalier.store.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from espalier.io.console import Progress
    from espalier.store.database import SessionFacts, Store

IF_UNWRITTEN = "free space there, then repeat the command with --resume: measurements are kept"

# What Ctrl-C and a SIGTERM raise.
_SIGNALS = (KeyboardInterrupt, SystemExit)


@dataclass(frozen=True)
class Files:
    """Where results go, and which commands repeat the tuning and continue it.

    `is_resumed` tells whether an interrupted tuning is continued; None: if there is one.
    """

    output: Path
    store: Path
    is_resumed: bool | None = False
    repeat: str = ""
    to_continue: str = ""


class Session:
    """A tuning under way. What is measured is in `memory`, and in the store at once."""

    def __init__(self, store: Store, files: Files, facts: SessionFacts) -> None:
        """Begin, or continue what was interrupted."""
        self.memory = Memory(store, _begin_or_continue(store, facts, files.is_resumed))
        self._files = files
        self._cause: BaseException | None = None

    def carry_out(
        self,
        work: Callable[[], None],
        bar: Progress,
        is_anything_known: Callable[[], bool],
        ends: tuple[type[BaseException], ...] = _SIGNALS,
    ) -> bool:
        """Do the work until it is done or ended early; return whether it was done.

        Args:
            work: Measures.
            bar: Shows how far it is.
            is_anything_known: Whether something is worth a report; what ended the work is raised
                again otherwise.
            ends: What ends it with a result.
        """
        try:
            work()
        except ends as error:
            bar.close()
            if not is_anything_known():
                self._say_how_to_continue()
                raise
            self._cause = error
        return self._cause is None

    def complete(self) -> None:
        """Note that nothing of it is left to be continued."""
        if self.memory.store is not None:
            self.memory.store.complete_session(self.memory.session)

    def conclude(self, document: dict[str, Any], *, is_complete: bool) -> dict[str, Any]:
        """Return the document of a tuning.

        Raises:
            Interrupted: it was ended early; has the document.
        """
        if not is_complete:
            self._say_how_to_continue()
        if self._cause is not None:
            raise Interrupted(document, self._cause)
        return document

    def _say_how_to_continue(self) -> None:
        files = self._files
        say(f"finished measurements are kept in {files.store}; to continue: {files.to_continue}")


def _begin_or_continue(store: Store, facts: SessionFacts, is_resumed: bool | None) -> int:
    """Return the number of a session, and say if it is another one than the user may expect."""
    unfinished = store.unfinished_session(facts.key)
    if unfinished is not None and is_resumed is not False:
        return unfinished
    if is_resumed:
        say("note: nothing to resume for this command and machine; starting anew")
    elif unfinished is not None:
        say("note: an earlier tuning of this command was interrupted; --resume continues it")
    return store.begin_session(facts)
