# SPDX-License-Identifier: Apache-2.0
"""Files that a verb writes at its end: better to know at its start that they can be written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from espalier.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path


def check_writable(path: Path, option: str = "-o") -> None:
    """Raise FileError unless a file can be written there; `option` names it on the command line."""
    existed = path.exists()
    try:
        with path.open("ab"):
            pass
        if not existed:
            path.unlink()
    except OSError as error:
        raise FileError(
            f"{path}: expected a file that can be written, got '{error.strerror}'",
            f"choose another with {option}",
        ) from error


def write_whole(path: Path, text: str, what: str, advice: str) -> None:
    """Write a file, whole or not at all.

    Raises:
        FileError: it cannot be written.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        part = path.with_name(path.name + ".part")
        try:
            part.write_text(text, encoding="utf-8")
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(
            f"{path}: expected to write the {what}, got '{error.strerror}'", advice
        ) from error
