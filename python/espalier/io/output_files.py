# SPDX-License-Identifier: Apache-2.0
"""Files that a verb writes at its end: better to know at its start that they can be written."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from espalier.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

_OTHER_FOLDER = "choose a file in another folder with -o"


def check_writable(path: Path, option: str = "-o") -> None:
    """Raise FileError unless a file can be written there; `option` names it on the command line."""
    target = target_of(path)
    existed = target.exists()
    try:
        with target.open("ab"):
            pass
        if not existed:
            target.unlink()
    except OSError as error:
        raise FileError(
            f"{path}: expected a file that can be written, got '{error.strerror}'",
            f"choose another with {option}",
        ) from error


def target_of(path: Path) -> Path:
    """Return the file that links lead to, there or not; what is no file, as a pipe, stays."""
    if path.exists() and not path.is_file():
        return path
    return Path(os.path.realpath(path))


def write_whole(
    path: Path, text: str, what: str, advice: str, permissions: int | None = None
) -> None:
    """Write a file, whole or not at all.

    Args:
        path: The file, or a link to it, which stays.
        text: Its contents.
        what: What it holds, for the error.
        advice: What to do if it cannot be written.
        permissions: Of the file; None: those that it has, and its group where that is allowed, or
            the usual ones if it is new.

    Raises:
        FileError: it cannot be written.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        target = target_of(path)
        part = target.with_name(target.name + ".part")
        try:
            with part.open("w", encoding="utf-8") as file:
                # Before the text is there, so that nobody reads it who may not.
                _permit(file.fileno(), target, permissions)
                file.write(text)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(
            f"{path}: expected to write the {what}, got '{error.strerror}'", advice
        ) from error


def _permit(descriptor: int, path: Path, permissions: int | None) -> None:
    """Give the file that takes the place of another one its permissions; see write_whole()."""
    if permissions is None and path.exists():
        permissions = _kept_permissions(descriptor, path.stat())
    if permissions is not None:
        os.fchmod(descriptor, permissions)


def _kept_permissions(descriptor: int, before: os.stat_result) -> int:
    """Give a file the group of the one before, and return the permissions of that one.

    Without that group, its members and those of the new one may do what all others may.
    """
    permissions = stat.S_IMODE(before.st_mode)
    try:
        os.fchown(descriptor, -1, before.st_gid)
    except OSError:  # not its owner's group, or one that is unknown in a container
        for_others = permissions & stat.S_IRWXO
        permissions = permissions & ~stat.S_IRWXG | for_others << 3
    return permissions


@contextlib.contextmanager
def locked(path: Path, advice: str = _OTHER_FOLDER) -> Iterator[None]:
    """Let no other process that asks for the same change a file meanwhile.

    The lock is a file beside it, since the file itself is replaced by another when it is written.

    Raises:
        FileError: nothing can be locked there.
    """
    target = target_of(path)
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
