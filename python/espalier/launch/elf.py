# SPDX-License-Identifier: Apache-2.0
"""The few facts of ELF files that decide whether a library can be preloaded into processes."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

_MAGIC = b"\x7fELF"
_PT_INTERP = 3
# Of 32 and 64 bits: place of the offset of the program headers, and of their size and number.
_HEADERS = {1: (28, "I", 42), 2: (32, "Q", 54)}


def is_elf(path: Path) -> bool:
    """Return whether a file is a compiled program or library; False if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def has_interpreter(path: Path) -> bool:
    """Return whether a dynamic linker starts a program; True if the file cannot be understood."""
    try:
        with path.open("rb") as file:
            return _PT_INTERP in _segments(file)
    except (OSError, struct.error, KeyError):
        return True


def _segments(file: BinaryIO) -> list[int]:
    """Return the types of the segments."""
    identity = file.read(16)
    order = "<" if identity[5] == 1 else ">"
    offset_at, offset_type, size_at = _HEADERS[identity[4]]
    head = identity + file.read(48)
    (offset,) = struct.unpack_from(order + offset_type, head, offset_at)
    size, number = struct.unpack_from(f"{order}HH", head, size_at)
    kinds = []
    for index in range(number):
        file.seek(offset + index * size)
        kinds.append(struct.unpack(f"{order}I", file.read(4))[0])
    return kinds
