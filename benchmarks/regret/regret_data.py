# SPDX-License-Identifier: Apache-2.0
"""What is kept of the study of regret: a document with a line for each cell."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

FILE = "regret.json"
_KEY = ("platform", "placement", "num_ranks", "peer", "collective", "bytes")


class Data:
    """The document in a folder, written whole whenever something is added."""

    def __init__(self, folder: Path) -> None:
        """Read it if it is there."""
        self._path = folder / FILE
        document: dict[str, Any] = {}
        if self._path.exists():
            document = json.loads(self._path.read_text(encoding="utf-8"))
        self.cells: list[dict[str, Any]] = document.get("cells", [])
        self.startup: list[dict[str, Any]] = document.get("startup", [])

    def has(self, key: tuple[object, ...]) -> bool:
        """Return whether there is such a cell."""
        return any(tuple(cell[name] for name in _KEY) == key for cell in self.cells)

    def keep(self, cell: Mapping[str, Any]) -> None:
        """Add a cell."""
        self.cells.append(dict(cell))
        self._write()

    def keep_startup(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Replace what MPI_Init takes."""
        self.startup = [dict(row) for row in rows]
        self._write()

    def _write(self) -> None:
        parts = ", ".join(
            f'\n "{name}": [' + ",".join(f"\n  {json.dumps(row)}" for row in rows) + "\n ]"
            for name, rows in (("startup", self.startup), ("cells", self.cells))
        )
        self._path.write_text("{" + parts + "\n}\n", encoding="utf-8")
