# SPDX-License-Identifier: Apache-2.0
"""Arrays of a collective, checked against each other before it is planned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from espalier.errors import ArgumentError
from espalier.onesided import arguments

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from espalier.onesided.segment import Segment


Place: TypeAlias = "npt.NDArray[Any] | int | None"
"""An array, or an offset in bytes or nothing on members that do not have it."""


@dataclass(frozen=True)
class Buffer:
    """An argument of a collective: parts of equal size, of which MPI counts the elements."""

    name: str
    given: Place
    num_parts: int = 1
    is_written: bool = False
    counts: bool = True
    """Whether it means anything on this member."""

    @property
    def array(self) -> npt.NDArray[Any]:
        """Return the array of one that counts."""
        return arguments.array_of(self.given, self.name)

    def address(self, segment: Segment | None) -> int | None:
        """Return where it is, in a segment if there is one."""
        if not self.counts:
            return None if segment is None else self._place(segment)
        address = arguments.contiguous(self.given, self.name, is_written=self.is_written)
        if segment is not None:
            segment.offset(address, self.array.nbytes, self.name)
        return address

    def _place(self, segment: Segment) -> int:
        """Return where it would be in a segment, which need not reach so far."""
        if self.given is None:
            raise ArgumentError(
                f"expected where {self.name} of the root is in its segment, got None",
                "pass the offset in bytes, or an array at that offset of the own segment",
            )
        if isinstance(self.given, np.ndarray):
            offset = segment.offset(self.given.ctypes.data, 0, self.name)
        else:
            offset = arguments.number(self.given, self.name, 2**62)
        return segment.address + offset

    def count(self) -> int:
        """Return the elements of a part."""
        size = self.array.size
        if size % self.num_parts != 0:
            raise ArgumentError(
                f"expected a multiple of {self.num_parts} elements as {self.name}, got {size}"
            )
        return arguments.number(size // self.num_parts, "elements of a part", 2**31)


@dataclass(frozen=True)
class Contents:
    """What a collective moves."""

    addresses: tuple[int | None, ...]
    count: int
    datatype: Any


def contents(buffers: Sequence[Buffer], segment: Segment | None) -> Contents:
    """Check buffers, and that they lie in a segment if there is one.

    Raises:
        ArgumentError: arrays that cannot be, or do not fit together.
    """
    addresses = tuple(buffer.address(segment) for buffer in buffers)
    first, *others = (buffer for buffer in buffers if buffer.counts)
    count, dtype = first.count(), first.array.dtype
    for other in others:
        expected = count * other.num_parts
        if (other.array.size, other.array.dtype) != (expected, dtype):
            raise ArgumentError(
                f"expected {expected} elements of {dtype} as {other.name}, to fit {first.name}, "
                f"got {other.array.size} of {other.array.dtype}"
            )
        if np.may_share_memory(first.array, other.array):
            raise ArgumentError(f"expected {first.name} and {other.name} that do not overlap")
    return Contents(addresses, count, arguments.mpi_type(dtype, first.name))
