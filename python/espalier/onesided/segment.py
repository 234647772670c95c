# SPDX-License-Identifier: Apache-2.0
"""The segment of this process, and which arrays of it are in use."""

from __future__ import annotations

import gc
import math
import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from espalier.errors import ArgumentError
from espalier.onesided import arguments

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt


class _Memory:
    """What every array of a segment keeps alive, however it was derived from another one."""

    def __init__(self, address: int, num_bytes: int) -> None:
        self.__array_interface__ = {
            "version": 3,
            "shape": (num_bytes,),
            "typestr": "|u1",
            "data": (address, False),
        }


class Segment:
    """Bytes that others reach, until they are given back."""

    def __init__(self, address: int, num_bytes: int) -> None:
        """Describe memory that somebody else owns."""
        self.address = address
        self.num_bytes = num_bytes
        self._memory: _Memory | None = _Memory(address, num_bytes)

    def array(
        self, shape: int | Sequence[int], dtype: npt.DTypeLike, offset: int
    ) -> npt.NDArray[Any]:
        """Return an array at an offset in bytes."""
        element = np.dtype(dtype)
        extents = _extents(shape)
        offset = arguments.number(offset, "offset")
        num_bytes = math.prod(extents) * element.itemsize
        if element.hasobject:
            raise ArgumentError("expected a type of values, got one of Python objects")
        if offset % element.alignment != 0:
            raise ArgumentError(
                f"expected an offset that is a multiple of {element.alignment}, got {offset}"
            )
        if offset + num_bytes > self.num_bytes:
            raise ArgumentError(
                f"expected an array inside a segment of {self.num_bytes} bytes, "
                f"got {num_bytes} bytes at offset {offset}"
            )
        whole = np.asarray(self._memory)
        return whole[offset : offset + num_bytes].view(element).reshape(extents)

    def offset(self, address: int, num_bytes: int, name: str) -> int:
        """Return the offset of bytes that lie in the segment."""
        offset = address - self.address
        if not 0 <= offset <= self.num_bytes - num_bytes:
            raise ArgumentError(f"expected an array of the own segment as {name}, got another one")
        return offset

    def has_arrays(self) -> bool:
        """Tell whether arrays of the segment are in use."""
        memory, self._memory = weakref.ref(self._memory), None
        if memory() is not None:
            # An exception that was caught keeps the variables of its frames in a cycle.
            gc.collect()
        kept = memory()
        self._memory = _Memory(self.address, self.num_bytes) if kept is None else kept
        return kept is not None


def _extents(shape: int | Sequence[int]) -> tuple[int, ...]:
    extents = shape if isinstance(shape, Iterable) else (shape,)
    return tuple(arguments.number(extent, "shape") for extent in extents)
