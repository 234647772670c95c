# SPDX-License-Identifier: Apache-2.0
"""JSON lines that another process writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from espalier.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import TypeVar

    Found = TypeVar("Found")


class GrowingLines:
    """Reads a file while it grows. A last line that is not complete yet is left for later."""

    def __init__(self, path: Path, schema: str) -> None:
        """Start at the beginning of the file, which may not exist yet; `schema` names its lines."""
        self._path = path
        self._schema = schema
        self._position = 0

    def read_new(self, interpret: Callable[[dict[str, Any]], Found | None]) -> Iterator[Found]:
        """Yield what was added since the last call, as `interpret` understands it.

        Raises:
            FormatError: a line is not JSON, or `interpret` could not make sense of it.
        """
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._position)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._position += len(line)
                found = self._parse(line, interpret)
                if found is not None:
                    yield found

    def check_version(self, value: dict[str, Any], version: int, program: str) -> None:
        """Raise FormatError unless a header has the schema, and no newer version."""
        if value["schema"] != self._schema or value["version"] > version:
            raise FormatError(
                f"{self._path}: expected {self._schema} of version {version} at most, got"
                f" {value['schema']} {value['version']}",
                f"build {program} and the command line from one checkout",
            )

    def _parse(
        self, line: bytes, interpret: Callable[[dict[str, Any]], Found | None]
    ) -> Found | None:
        try:
            return interpret(json.loads(line))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            text = line.decode(errors="replace").strip()
            raise FormatError(
                f"{self._path}: expected a line of {self._schema}, got '{text[:60]}' ({error})"
            ) from error
