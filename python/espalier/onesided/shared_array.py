# SPDX-License-Identifier: Apache-2.0
"""Arrays whose blocks lie in the segments of the members of a team."""

from __future__ import annotations

import ctypes
import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from espalier.errors import ArgumentError
from espalier.onesided import arguments
from espalier.onesided.functions import MAX_DIMS, Distribution, Remote, call, handle
from espalier.onesided.region import Blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from espalier.onesided.team import Team


def _numbers(given: int | Sequence[int], name: str) -> tuple[int, ...]:
    sequence = (given,) if isinstance(given, int) else tuple(given)
    return tuple(arguments.number(value, name, 2**62) for value in sequence)


class SharedArray:
    """Elements that a team shares: cut into blocks, which are dealt to a grid of its members.

    In one dimension a block of 1 is a cyclic array, one of the whole length belongs to the first
    member, and without blocks each member has one. `blocks[0, 1:]` names blocks for collectives,
    and `local` is what this member has.

    Made by each member for itself: what is in the segments stays, and nobody waits. Arrays that
    members name in the same collective are equal.
    """

    def __init__(
        self,
        team: Team,
        shape: int | Sequence[int],
        dtype: npt.DTypeLike = float,
        *,
        block: int | Sequence[int] | None = None,
        grid: int | Sequence[int] | None = None,
        offset: int = 0,
    ) -> None:
        """Describe an array in the segments of a team. Not collective.

        Args:
            team: it frees the array when it is freed.
            shape: the extents, at most 4.
            dtype: of the elements; one that MPI has.
            block: elements of a block in each dimension; 0 for one block for each position of the
                grid, as by default.
            grid: positions in each dimension, as many as members in all, which are numbered in C
                order; 0, in at most one dimension, for what the others leave. By default the first
                dimension has all of them.
            offset: in bytes, where the segment of each member has its blocks.

        Raises:
            ArgumentError: an array that cannot be, or is not inside of the segments.
        """
        self._team = team
        self._offset = arguments.number(offset, "offset")
        self._dtype = np.dtype(dtype)
        extents = _numbers(shape, "shape")
        self._check_dims(extents, block, grid)
        ndims = len(extents)
        given = Distribution(ctypes.sizeof(Distribution), 0, ndims)
        given.extents[:ndims] = extents
        given.block[:ndims] = (0,) * ndims if block is None else _numbers(block, "block")
        positions = (0, *(1,) * (ndims - 1)) if grid is None else _numbers(grid, "grid")
        given.grid[:ndims] = positions
        made = ctypes.c_void_p()
        team._dropped.free()
        datatype = handle(arguments.mpi_type(self._dtype, "dtype"))
        call(
            "array_create",
            team._live(),
            ctypes.byref(given),
            datatype,
            self._offset,
            ctypes.byref(made),
        )
        self._handle = made
        call("array_distribution", made, ctypes.byref(given))
        self._shape = extents
        self._block: tuple[int, ...] = tuple(given.block[:ndims])
        self._grid: tuple[int, ...] = tuple(given.grid[:ndims])
        team._arrays.add(self)
        self._finalizer = team._dropped.watch(self, "array_free", made)

    @staticmethod
    def _check_dims(extents: tuple[int, ...], *others: int | Sequence[int] | None) -> None:
        for other in others:
            found = 1 if other is None or isinstance(other, int) else len(other)
            if other is not None and found != len(extents):
                raise ArgumentError(
                    f"expected {len(extents)} numbers of blocks and of the grid, got {found}"
                )
        if not 1 <= len(extents) <= MAX_DIMS:
            raise ArgumentError(f"expected 1 to {MAX_DIMS} dimensions, got {len(extents)}")

    @property
    def team(self) -> Team:
        """The team that has it."""
        return self._team

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the elements."""
        return self._dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return self._shape

    @property
    def block(self) -> tuple[int, ...]:
        """Elements of a block in each dimension."""
        return self._block

    @property
    def grid(self) -> tuple[int, ...]:
        """Positions of members in each dimension."""
        return self._grid

    @property
    def num_blocks(self) -> tuple[int, ...]:
        """Blocks in each dimension."""
        return tuple(
            -(-extent // size) for extent, size in zip(self._shape, self._block, strict=True)
        )

    @property
    def nbytes(self) -> int:
        """Bytes in the segment of each member."""
        return math.prod(self._slots) * math.prod(self._block) * self._dtype.itemsize

    @property
    def blocks(self) -> Blocks:
        """What names blocks by indices and slices, as elements of an array are named."""
        return Blocks(self)

    @property
    def local(self) -> npt.NDArray[Any]:
        """The blocks of this member, in the segment.

        Its first dimensions count blocks, its last ones the elements of a block: block `(i, j)` of
        a member of a 2 x 2 grid is `local[i // 2, j // 2]`. Blocks are whole, and there are as many
        as the member with the most of them has: what lies outside of the array means nothing.
        """
        return self._team.conduit.array(self._slots + self._block, self._dtype, self._offset)

    def owned(self) -> Iterator[tuple[tuple[int, ...], npt.NDArray[Any]]]:
        """Yield the index of each block that this member has, and its elements in the array."""
        position = np.unravel_index(self._team.rank, self._grid)
        local = self.local
        ranges = (
            range(int(first), count, step)
            for first, count, step in zip(position, self.num_blocks, self._grid, strict=True)
        )
        for index in itertools.product(*ranges):
            slot = tuple(i // step for i, step in zip(index, self._grid, strict=True))
            inside = tuple(
                slice(min(size, extent - i * size))
                for i, size, extent in zip(index, self._block, self._shape, strict=True)
            )
            yield index, local[slot][inside]

    def place(self, *element: int) -> tuple[int, int]:
        """Return the rank on the conduit and the offset of an element, for `Conduit.put()`."""
        numbers = [arguments.number(value, "element", 2**62) for value in element]
        if len(numbers) != len(self._shape):
            raise ArgumentError(f"expected {len(self._shape)} numbers, got {len(numbers)}")
        found = Remote()
        index = (ctypes.c_int64 * MAX_DIMS)(*numbers)
        call("array_place", self._live(), index, ctypes.byref(found))
        return found.rank, found.offset

    def free(self) -> None:
        """Forget it; requests that were planned with it remain. Not collective."""
        self._team._dropped.free_watched(self._finalizer)

    @property
    def _slots(self) -> tuple[int, ...]:
        """Blocks of each member, in each dimension."""
        return tuple(
            -(-count // step) for count, step in zip(self.num_blocks, self._grid, strict=True)
        )

    def _live(self) -> ctypes.c_void_p:
        if self._handle.value is None:
            raise ArgumentError("expected an array, got one that was freed")
        return self._handle
