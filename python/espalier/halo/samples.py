# SPDX-License-Identifier: Apache-2.0
"""What espalier-halo-<vendor> writes: JSON lines, one for each finished size."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from espalier.launch.lines import GrowingLines

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = "espalier-halo-samples"
VERSION = 1


@dataclass
class Found:
    """What was read so far."""

    header: dict[str, Any] = field(default_factory=dict)
    cases: list[dict[str, Any]] = field(default_factory=list)
    points: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    points_left: int | None = None


class HaloReader:
    """Reads the file while it grows."""

    def __init__(self, path: Path) -> None:
        """Start at the beginning of the file, which may not exist yet."""
        self._lines = GrowingLines(path, SCHEMA)
        self.found = Found()

    @property
    def is_complete(self) -> bool:
        """Return whether the program came to its end."""
        return self.found.points_left is not None

    def read_new(self) -> int:
        """Read what was added; return how many sizes were finished.

        Raises:
            FormatError: a line is not what it should be.
        """
        return sum(self._lines.read_new(self._interpret))

    def _interpret(self, value: dict[str, Any]) -> int:
        kind = value["kind"]
        if kind == "header":
            self._lines.check_version(value, VERSION, "espalier-halo")
            self.found.header = value
        elif kind == "end":
            self.found.points_left = int(value["points_left"])
        elif kind == "case":
            self.found.cases.append(value)
        elif kind == "error":
            self.found.errors.append(value)
        elif kind == "point":
            self.found.points.append(value)
            return 1
        return 0
