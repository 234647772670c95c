# SPDX-License-Identifier: Apache-2.0
"""Files of results: a line of JSON for each cell, added as soon as it is known."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from declared import Cell

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Microseconds of the first rank that is done, of the mean rank, and of the last.
Times = dict[str, tuple[float, float, float]]
METRICS = ("min", "avg", "max")


class Results:
    """The times of cells by algorithm; a run that was ended goes on where it was."""

    def __init__(self, path: Path) -> None:
        """Read what is there; a last line that was not finished is forgotten."""
        self._path = path
        self.seconds = 0.0  # of processor time that all cells took
        self.times: dict[Cell, Times] = {}
        self.notes: dict[Cell, str] = {}
        if path.is_file():
            self._read(path.read_text(encoding="utf-8"))

    def _read(self, text: str) -> None:
        whole, _, rest = text.rpartition("\n")
        for line in whole.splitlines():
            self._take(json.loads(line))
        if rest:
            self._path.write_text(f"{whole}\n" if whole else "", encoding="utf-8")

    def _take(self, found: Mapping[str, Any]) -> None:
        cell = Cell(**found["cell"])
        self.times[cell] = {name: tuple(times) for name, times in found["us"].items()}
        self.seconds += found["seconds"]
        if "note" in found:
            self.notes[cell] = found["note"]

    def add(self, cell: Cell, times: Times, seconds: float, note: str = "") -> None:
        """Keep a cell; a note says which choice an entry is short for."""
        line: dict[str, Any] = {
            "cell": dataclasses.asdict(cell),
            "us": {name: [round(value, 6) for value in values] for name, values in times.items()},
            "seconds": round(seconds, 4),
        }
        if note:
            line["note"] = note
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self._take(line)
