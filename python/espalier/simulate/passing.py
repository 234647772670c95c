# SPDX-License-Identifier: Apache-2.0
"""How far a simulated program is: nobody knows when it ends, but simulated time passes."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from espalier.base.units import time_text
from espalier.io.console import say

if TYPE_CHECKING:
    from espalier.simulate.journal import Journal

_SECONDS_BEFORE = 2.0
_SECONDS_BETWEEN_LINES = 10.0
_ERASE = "\r\x1b[2K"


class Passing:
    """A line with the time that passed, simulated and real; rewritten in place on a terminal."""

    def __init__(self, journal: Journal) -> None:
        """Start the clock; nothing is shown yet."""
        self._journal = journal
        self._start = time.monotonic()
        self._last = self._start
        self._is_shown = False

    def show(self) -> None:
        """Write the line if it is time to."""
        now = time.monotonic()
        if now - self._start < _SECONDS_BEFORE:
            return
        text = (
            f"simulating: {time_text(self._journal.seconds)} of simulated time after"
            f" {time_text(now - self._start)}"
        )
        if sys.stderr.isatty():
            # The cursor waits in front, so that the program's next line takes the place of this.
            sys.stderr.write(f"{_ERASE}{text}\r")
            sys.stderr.flush()
            self._is_shown = True
        elif now - self._last > _SECONDS_BETWEEN_LINES:
            self._last = now
            say(text)

    def clear(self) -> None:
        """Remove the line."""
        if self._is_shown:
            sys.stderr.write(_ERASE)
            sys.stderr.flush()
            self._is_shown = False
