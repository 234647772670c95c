# SPDX-License-Identifier: Apache-2.0
"""Blocks of different sizes, one for each member of a team."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from espalier.errors import ArgumentError
from espalier.onesided import arguments
from espalier.onesided.buffers import Buffer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.onesided.buffers import Place
    from espalier.onesided.segment import Segment

Blocks: TypeAlias = "tuple[Place, Sequence[int]] | tuple[Place, Sequence[int], Sequence[int]]"
"""An array or its place, counts, and displacements if blocks do not follow each other."""


@dataclass(frozen=True)
class UnevenBuffer:
    """An argument of a collective, and which elements of it are the block of each member."""

    buffer: Buffer
    counts: list[int]
    displacements: list[int]

    @property
    def lists(self) -> tuple[Any, Any]:
        """Return counts and displacements as C has them."""
        kind = ctypes.c_int * len(self.counts)
        return kind(*self.counts), kind(*self.displacements)

    def check(self) -> None:
        """Raise unless all blocks lie in the array, where there is one."""
        if not self.buffer.counts:
            return
        size = self.buffer.array.size
        for count, first in zip(self.counts, self.displacements, strict=True):
            if count > 0 and first + count > size:
                raise ArgumentError(
                    f"expected blocks inside of the {size} elements of {self.buffer.name}, got "
                    f"{count} from element {first} on"
                )


def uneven(
    given: object, name: str, size: int, *, is_written: bool = False, counts: bool = True
) -> UnevenBuffer:
    """Return blocks for `size` members.

    Raises:
        ArgumentError: it is no `(array, counts)` or `(array, counts, displacements)`.
    """
    if not isinstance(given, tuple | list) or len(given) not in (2, 3):
        raise ArgumentError(
            f"expected (array, counts) or (array, counts, displacements) as {name}, got "
            f"{type(given).__name__}"
        )
    place, sizes, *rest = given
    numbers = _numbers(sizes, f"counts of {name}", size)
    if rest:
        first = _numbers(rest[0], f"displacements of {name}", size)
    else:
        first = [sum(numbers[:member]) for member in range(size)]
        arguments.number(sum(numbers), f"elements of {name}", 2**31)
    buffer = Buffer(name, place, is_written=is_written, counts=counts)
    return UnevenBuffer(buffer, numbers, first)


def _numbers(given: Sequence[int], name: str, size: int) -> list[int]:
    if not hasattr(given, "__len__") or len(given) != size:
        raise ArgumentError(f"expected {size} numbers as {name}, got {given!r}")
    return [arguments.number(value, name, 2**31) for value in given]


def addresses(
    first: UnevenBuffer | Buffer, second: UnevenBuffer | Buffer, segment: Segment | None
) -> tuple[int | None, int | None]:
    """Check two buffers of one collective, and that they lie in a segment if there is one.

    Raises:
        ArgumentError: arrays that cannot be, or do not fit together.
    """
    found = []
    for one in (first, second):
        if isinstance(one, UnevenBuffer):
            found.append(one.buffer.address(segment))
            one.check()
        else:
            found.append(one.address(segment))
    both = [one.buffer if isinstance(one, UnevenBuffer) else one for one in (first, second)]
    if all(buffer.counts for buffer in both):
        _check_together(*both)
    return found[0], found[1]


def check_own(own: Buffer, count: int) -> None:
    """Raise unless an array is the block of this member.

    Raises:
        ArgumentError: an array with another number of elements.
    """
    if own.array.size != count:
        raise ArgumentError(f"expected {count} elements as {own.name}, got {own.array.size}")


def _check_together(first: Buffer, second: Buffer) -> None:
    if first.array.dtype != second.array.dtype:
        raise ArgumentError(
            f"expected {first.array.dtype} as {second.name}, to fit {first.name}, got "
            f"{second.array.dtype}"
        )
    if np.may_share_memory(first.array, second.array):
        raise ArgumentError(f"expected {first.name} and {second.name} that do not overlap")
