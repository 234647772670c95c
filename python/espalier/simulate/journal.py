# SPDX-License-Identifier: Apache-2.0
"""What a simulation tells of itself; espalier/simulation/journal.hpp writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.launch.lines import GrowingLines

if TYPE_CHECKING:
    from pathlib import Path


class Journal:
    """The file while it grows: simulated time so far, and how it ended."""

    def __init__(self, path: Path) -> None:
        """Begin with nothing; the file may not exist yet."""
        self._lines = GrowingLines(path, "the simulator's journal")
        self.seconds = 0.0
        self.memory_bytes = 0
        self.has_started = False
        self.is_deadlocked = False
        self.is_complete = False

    def look(self) -> None:
        """Read what is new."""
        for _ in self._lines.read_new(self._take):
            pass

    def _take(self, line: dict[str, Any]) -> None:
        kind = line["kind"]
        self.has_started = True
        self.seconds = float(line.get("seconds", self.seconds))
        self.is_deadlocked |= kind == "deadlock"
        if kind == "end":
            self.is_complete = True
            self.memory_bytes = int(line["memory_bytes"])
