# SPDX-License-Identifier: Apache-2.0
"""What was measured for one-sided teams, which programs keep in files of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.io import documents

if TYPE_CHECKING:
    from pathlib import Path

schema = "espalier-teams"
version = 1


def is_in(path: Path) -> bool:
    """Return whether a file says that it has such measurements."""
    return documents.schema_of(path) == schema


def read(path: Path) -> dict[str, Any]:
    """Return an `espalier-teams` document.

    Raises:
        Error: it cannot be read, or does not fit the schema.
    """
    return documents.read(path, schema, version)
