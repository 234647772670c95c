# SPDX-License-Identifier: Apache-2.0
"""Files that a verb writes at its end: better to know at its start that they can be written."""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING

from espalier.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_OTHER_FOLDER = "choose a file in another folder with -o"


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


def write_whole(
    path: Path, text: str, what: str, advice: str, permissions: int | None = None
) -> None:
    """Write a file, whole or not at all, with the usual permissions unless others are asked for.

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
            if permissions is not None:
                part.chmod(permissions)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(
            f"{path}: expected to write the {what}, got '{error.strerror}'", advice
        ) from error


@contextlib.contextmanager
def locked(path: Path, advice: str = _OTHER_FOLDER) -> Iterator[None]:
    """Let no other process that asks for the same change a file meanwhile.

    The lock is a file beside it, since the file itself is replaced by another when it is written.

    Raises:
        FileError: nothing can be locked there.
    """
    target = path.resolve()
    lock = target.with_name(f".{target.name}.lock")
    try:
        descriptor = _open_locked(lock)
    except OSError as error:
        raise FileError(
            f"{path}: expected a file that can be written, and locked by {lock},"
            f" got '{error.strerror}'",
            advice,
        ) from error
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def _open_locked(lock: Path) -> int:
    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_same_file(descriptor, lock):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        # Its holder removed it while we waited: others lock a new one.
        os.close(descriptor)


def _is_same_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
