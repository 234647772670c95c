# SPDX-License-Identifier: Apache-2.0
"""Blocks of shared arrays, and the collectives between them."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from espalier import api
from espalier.errors import ArgumentError
from espalier.onesided import arguments, modes
from espalier.onesided.functions import BlockInterval, RegionOfBlocks, call, handle
from espalier.onesided.request import Request, started

if TYPE_CHECKING:
    from mpi4py import MPI
    from typing_extensions import Unpack

    from espalier.onesided.modes import Modes
    from espalier.onesided.team import Team


class _Array(Protocol):
    """What has the blocks."""

    @property
    def team(self) -> Team: ...
    @property
    def block(self) -> tuple[int, ...]: ...
    @property
    def num_blocks(self) -> tuple[int, ...]: ...
    def _live(self) -> ctypes.c_void_p: ...


Index: TypeAlias = "int | slice | tuple[int | slice, ...]"


class Blocks:
    """Names blocks of an array as elements of an array are named: `blocks[0, 1:]`."""

    def __init__(self, array: _Array) -> None:
        """Name blocks of an array."""
        self._array = array

    def __getitem__(self, index: Index) -> Region:
        """Return the region of an index or slice for each dimension; `:` is all blocks.

        Raises:
            ArgumentError: blocks that the array does not have, and no blocks at all.
        """
        given = index if isinstance(index, tuple) else (index,)
        counts = self._array.num_blocks
        if len(given) != len(counts):
            raise ArgumentError(f"expected blocks of {len(counts)} dimensions, got {len(given)}")
        return Region(
            self._array,
            tuple(_range(one, count) for one, count in zip(given, counts, strict=True)),
        )


def _range(given: int | slice, count: int) -> range:
    if not isinstance(given, slice):
        number = arguments.number(given, "block", count)
        return range(number, number + 1)
    found = range(*given.indices(count))
    if len(found) == 0 or found.step < 0:
        raise ArgumentError(f"expected blocks in ascending order, got {given} of {count}")
    return found


class Region:
    """Blocks of an array, numbered in C order.

    Who has one of the blocks of a collective takes part in it: these members plan the same
    collectives in the same order, and start them in the same order. Others may, and do nothing. A
    collective whose members are together for the first time waits for them when it is planned.

    Pieces are `count` elements from the beginning of a block, one behind the other if a block has
    several; by default as many as fit. As those of a `Team`, collectives exist twice: with `_init`
    they plan a `Request`, without it they plan and start one that frees itself. The keywords are
    those of `Modes`, of blocks in place of arrays.
    """

    def __init__(self, array: _Array, ranges: tuple[range, ...]) -> None:
        """Take over blocks that the array has."""
        self._array = array
        self._ranges = ranges

    @property
    def size(self) -> int:
        """The number of blocks."""
        return math.prod(len(one) for one in self._ranges)

    @property
    def has_affinity(self) -> bool:
        """Whether this member has one of the blocks. Not collective."""
        found = ctypes.c_int()
        call("region_has_affinity", ctypes.byref(self._structure()), ctypes.byref(found))
        return bool(found.value)

    def bcast_init(
        self, to: Region, count: int | None = None, **keywords: Unpack[Modes]
    ) -> Request:
        """Plan that every block of `to` gets a piece of this block, which may be one of them.

        Raises:
            ArgumentError: regions that do not fit together, pieces for which blocks have no room,
                blocks that would be read and written.
            OutOfMemoryError: scratch space or the bound of implicit teams does not suffice.
        """
        return self._plan("bcast", to, self._count(to, count), keywords)

    def scatter_init(
        self, to: Region, count: int | None = None, **keywords: Unpack[Modes]
    ) -> Request:
        """Plan that block i of `to` gets piece i of this block."""
        return self._plan("scatter", to, self._count(to, count, pieces=to.size), keywords)

    def gather_init(
        self, to: Region, count: int | None = None, **keywords: Unpack[Modes]
    ) -> Request:
        """Plan that piece i of the block `to` is that of block i."""
        return self._plan("gather", to, self._count(to, count, slots=self.size), keywords)

    def exchange_init(
        self, to: Region, count: int | None = None, **keywords: Unpack[Modes]
    ) -> Request:
        """Plan that piece j of block i of `to` is piece i of block j; there are as many blocks."""
        found = self._count(to, count, pieces=to.size, slots=self.size)
        return self._plan("exchange", to, found, keywords)

    def reduce_init(
        self,
        to: Region,
        op: MPI.Op | None = None,
        count: int | None = None,
        **keywords: Unpack[Modes],
    ) -> Request:
        """Plan that the block `to` gets what an operator makes of these; by default `MPI.SUM`."""
        op = api.mpi().SUM if op is None else op
        return self._plan("reduce", to, self._count(to, count), keywords, op)

    def bcast(self, to: Region, count: int | None = None, **keywords: Unpack[Modes]) -> Request:
        """Plan and start, see `bcast_init()`."""
        return started(self.bcast_init(to, count, **keywords))

    def scatter(self, to: Region, count: int | None = None, **keywords: Unpack[Modes]) -> Request:
        """Plan and start, see `scatter_init()`."""
        return started(self.scatter_init(to, count, **keywords))

    def gather(self, to: Region, count: int | None = None, **keywords: Unpack[Modes]) -> Request:
        """Plan and start, see `gather_init()`."""
        return started(self.gather_init(to, count, **keywords))

    def exchange(self, to: Region, count: int | None = None, **keywords: Unpack[Modes]) -> Request:
        """Plan and start, see `exchange_init()`."""
        return started(self.exchange_init(to, count, **keywords))

    def reduce(
        self,
        to: Region,
        op: MPI.Op | None = None,
        count: int | None = None,
        **keywords: Unpack[Modes],
    ) -> Request:
        """Plan and start, see `reduce_init()`."""
        return started(self.reduce_init(to, op, count, **keywords))

    def _count(self, to: Region, given: int | None, pieces: int = 1, slots: int = 1) -> int:
        """Return the elements of a piece: as many as both blocks have room for, if none are said.

        A block of this region has `pieces` of them, one of the other region `slots`.
        """
        room = min(
            math.prod(self._array.block) // pieces,
            math.prod(to._array.block) // slots,
        )
        return arguments.number(room if given is None else given, "count", 2**31)

    def _structure(self) -> RegionOfBlocks:
        """Return what C takes."""
        result = RegionOfBlocks(self._array._live().value)
        for dim, one in enumerate(self._ranges):
            result.blocks[dim] = BlockInterval(one[0], one.step, one[-1])
        return result

    def _plan(
        self, name: str, to: Region, count: int, keywords: Modes, op: MPI.Op | None = None
    ) -> Request:
        team = self._array.team
        made = ctypes.c_void_p()
        operator = () if op is None else (handle(op),)
        options = modes.options(**keywords)
        regions: tuple[Any, ...] = (self._structure(), to._structure())
        team._dropped.free()
        call(
            f"array_{name}_init",
            *(ctypes.byref(region) for region in regions),
            count,
            *operator,
            ctypes.byref(options),
            ctypes.byref(made),
        )
        request = Request(made, (self._array, to._array, op), team._underway, team._dropped)
        team._requests.add(request)
        return request
