# SPDX-License-Identifier: Apache-2.0
"""What a measuring program writes while it runs: a header, a JSON line for each result, an end."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from espalier.launch.lines import GrowingLines
from espalier.launch.measuring import Patience

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VERSION = 1


@dataclass
class Found:
    """What was read so far: lines by their kind."""

    header: dict[str, Any] = field(default_factory=dict)
    lines: defaultdict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    points_left: int | None = None

    @property
    def points(self) -> list[dict[str, Any]]:
        """Return what was measured."""
        return self.lines["point"]

    @property
    def errors(self) -> list[dict[str, Any]]:
        """Return what was refused or wrong."""
        return self.lines["error"]


class SampleReader:
    """Reads the file while it grows."""

    def __init__(self, path: Path, program: str) -> None:
        """Start at the beginning of the file, which may not exist yet.

        Args:
            path: of the file.
            program: `espalier-halo` writes documents `espalier-halo-samples`.
        """
        self._program = program
        self._lines = GrowingLines(path, f"{program}-samples")
        self.found = Found()

    @property
    def is_complete(self) -> bool:
        """Return whether the program came to its end."""
        return self.found.points_left is not None

    def read_new(self) -> int:
        """Read what was added; return how many points were finished.

        Raises:
            FormatError: a line is not what it should be.
        """
        return sum(self._lines.read_new(self._interpret))

    def _interpret(self, value: dict[str, Any]) -> int:
        kind = value["kind"]
        if kind == "header":
            self._lines.check_version(value, VERSION, self._program)
            self.found.header = value
        elif kind == "end":
            self.found.points_left = int(value["points_left"])
        else:
            self.found.lines[kind].append(value)
        return int(kind == "point")


class SampleWatch:
    """Reads what comes, and loses patience when nothing does."""

    def __init__(
        self, reader: SampleReader, seconds: float, on_point: Callable[[], None] = lambda: None
    ) -> None:
        """Begin to wait; points may take so many seconds each."""
        self.reader = reader
        self._on_point = on_point
        self._patience = Patience("a measured point", seconds)

    @property
    def is_complete(self) -> bool:
        """Return whether the program came to its end."""
        return self.reader.is_complete

    def look(self) -> None:
        """Read what was added.

        Raises:
            MpiError: nothing came for too long.
        """
        for _ in range(self.reader.read_new()):
            self._patience.renew()
            self._on_point()
        self._patience.check()
