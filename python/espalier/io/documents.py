# SPDX-License-Identifier: Apache-2.0
"""Files with a schema and a version: reading them with one clear line for whatever is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from espalier.errors import FileError, FormatError


def read_text(path: Path) -> str:
    """Return the text of a file."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(f"{path}: expected a readable file, got '{error.strerror}'") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: expected text, got a byte that is not UTF-8") from error


def schema_of(path: Path) -> str | None:
    """Return what kind of document a file says that it is; None if it says nothing."""
    text = read_text(path)
    try:
        value = _value(text, str(path))
    except FormatError:
        return None
    schema = value.get("schema") if isinstance(value, dict) else None
    return schema if isinstance(schema, str) else None


def parse(text: str, origin: str, schema: str, version: int) -> dict[str, Any]:
    """Return the document in a text, checked against its schema.

    Raises:
        FormatError: if it is not JSON, another schema, a newer version, or does not fit the schema.
    """
    value = _value(text, origin)
    if not isinstance(value, dict) or value.get("schema") != schema:
        found = value.get("schema") if isinstance(value, dict) else type(value).__name__
        raise FormatError(f"{origin}: expected a file with schema '{schema}', got '{found}'")
    found_version = value.get("version")
    if isinstance(found_version, int) and found_version > version:
        raise FormatError(
            f"{origin}: expected version {version} at most, got {found_version}",
            "use a newer espalier",
        )
    _validate(value, origin, schema, version)
    return value


def _value(text: str, origin: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"{origin}: expected JSON, got {error.msg} in line {error.lineno}"
        ) from None
    except RecursionError:
        raise FormatError(f"{origin}: expected JSON, got too many levels of nesting") from None


def _validate(value: dict[str, Any], origin: str, schema: str, version: int) -> None:
    from espalier.io import schemas  # noqa: PLC0415 - slow to import

    problem = schemas.problem(value, schema, version)
    if problem is not None:
        raise FormatError(f"{origin}: {problem}")


def is_file(text: str) -> bool:
    """Tell whether a text is the path of a file; what is too long for one is none."""
    try:
        return Path(text).is_file()
    except OSError:
        return False


def read(path: Path, schema: str, version: int) -> dict[str, Any]:
    """Return the document in a file, checked against its schema."""
    return parse(read_text(path), str(path), schema, version)
