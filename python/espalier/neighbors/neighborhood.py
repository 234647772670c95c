# SPDX-License-Identifier: Apache-2.0
"""Who sends to whom, and the collectives of that."""

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING

from espalier import api
from espalier.errors import ArgumentError
from espalier.neighbors import blocks, functions
from espalier.neighbors.blocks import Degrees
from espalier.onesided.block import EndedByBlock
from espalier.onesided.dropped import Dropped
from espalier.onesided.request import Request
from espalier.planned.planning import Call, attempted

if TYPE_CHECKING:
    from collections.abc import Callable

    from mpi4py import MPI

    from espalier.planned.buffers import Array, Blocks


# Requests are kept while they are under way, and their arrays and neighborhoods with them.
_underway: set[Request] = set()


class Neighborhood(EndedByBlock):
    """Who sends to whom on a communicator; made by `neighborhood()` or `neighborhood_of()`.

    Each collective exists twice: `alltoall()` runs it, and `alltoall_init()` plans a `Request` that
    is started any number of times. Both are collective over the communicator, in the same order on
    all ranks. Requests may be started and completed in different orders on different ranks. They
    keep their arrays, which belong to the library from each start to the end of its wait.

    Free it, or use it in a `with` statement: what nobody has any more is not freed, since all ranks
    have to do that together.
    """

    def __init__(self, comm: MPI.Intracomm, handle: ctypes.c_void_p) -> None:
        """Take over what was made on a communicator."""
        into, out = ctypes.c_int(), ctypes.c_int()
        degrees = functions.foreign("neighborhood_degrees")
        degrees(handle, ctypes.byref(into), ctypes.byref(out))
        self._comm = comm
        self._handle = handle
        self._degrees = Degrees(into.value, out.value)
        self._requests: weakref.WeakSet[Request] = weakref.WeakSet()
        self._dropped = Dropped()

    def _end_block(self) -> None:
        self.free()

    @property
    def indegree(self) -> int:
        """Neighbours that this rank receives from, absent ones included."""
        return self._degrees.into

    @property
    def outdegree(self) -> int:
        """Neighbours that this rank sends to, absent ones included."""
        return self._degrees.out

    def free(self) -> None:
        """Wait for what is under way, and free the neighborhood with its requests.

        Collective over the communicator; nothing happens if it was freed before.
        """
        if self._handle.value is None:
            return
        for request in list(self._requests):
            request.wait()
            request.free()
        self._dropped.free()
        functions.free(self._handle)

    def allgather(self, send: Array, recv: Array) -> None:
        """Send the same block to all neighbours.

        Args:
            send: n elements.
            recv: a block of n elements of the same type from each neighbour, as `(indegree, n)`.
        """
        self._run("neighbor_allgather", lambda degrees: blocks.allgather(send, recv, degrees))

    def allgather_init(self, send: Array, recv: Array) -> Request:
        """Plan what `allgather()` does."""
        return self._plan(
            "neighbor_allgather", lambda degrees: blocks.allgather(send, recv, degrees)
        )

    def allgatherv(self, send: Array, recv: Blocks) -> None:
        """Send the same block to all neighbours, which may send larger or smaller ones.

        The algorithm is always direct: who forwards a block has to know its size, which
        `allgatherv_init()` finds out.

        Args:
            send: elements for all neighbours.
            recv: `(array, counts)` or `(array, counts, displacements)`; block i comes from
                neighbour i.
        """
        self._run("neighbor_allgatherv", lambda degrees: blocks.allgatherv(send, recv, degrees))

    def allgatherv_init(self, send: Array, recv: Blocks) -> Request:
        """Plan what `allgatherv()` does, with any algorithm."""
        return self._plan(
            "neighbor_allgatherv", lambda degrees: blocks.allgatherv(send, recv, degrees)
        )

    def alltoall(self, send: Array, recv: Array) -> None:
        """Send a block to each neighbour.

        Args:
            send: a block of n elements for each neighbour, as `(outdegree, n)`.
            recv: a block of n elements of the same type from each neighbour, as `(indegree, n)`.
        """
        self._run("neighbor_alltoall", lambda degrees: blocks.alltoall(send, recv, degrees))

    def alltoall_init(self, send: Array, recv: Array) -> Request:
        """Plan what `alltoall()` does."""
        return self._plan("neighbor_alltoall", lambda degrees: blocks.alltoall(send, recv, degrees))

    def alltoallv(self, send: Blocks, recv: Blocks) -> None:
        """Send a block to each neighbour; blocks may have different sizes.

        The algorithm is always direct: who forwards a block has to know its size, which
        `alltoallv_init()` finds out.

        Args:
            send: `(array, counts)` or `(array, counts, displacements)`; block i goes to
                neighbour i.
            recv: the same; block i comes from neighbour i, which sends as many elements.
        """
        self._run("neighbor_alltoallv", lambda degrees: blocks.alltoallv(send, recv, degrees))

    def alltoallv_init(self, send: Blocks, recv: Blocks) -> Request:
        """Plan what `alltoallv()` does, with any algorithm."""
        return self._plan(
            "neighbor_alltoallv", lambda degrees: blocks.alltoallv(send, recv, degrees)
        )

    def alltoallw(self, send: Blocks, recv: Blocks) -> None:
        """Send a block to each neighbour; blocks may have different sizes and types.

        The algorithm is always direct, as that of `alltoallv()`.

        Args:
            send: `(array, counts, displacements, types)`, where displacements are bytes from the
                beginning of the array, and types are those of NumPy or datatypes of mpi4py;
                block i goes to neighbour i.
            recv: the same; block i comes from neighbour i, with as many elements of types that fit.
        """
        self._run("neighbor_alltoallw", lambda degrees: blocks.alltoallw(send, recv, degrees))

    def alltoallw_init(self, send: Blocks, recv: Blocks) -> Request:
        """Plan what `alltoallw()` does, with any algorithm."""
        return self._plan(
            "neighbor_alltoallw", lambda degrees: blocks.alltoallw(send, recv, degrees)
        )

    def _live(self) -> ctypes.c_void_p:
        if self._handle.value is None:
            raise ArgumentError("expected a neighborhood, got one that was freed")
        return self._handle

    def _run(self, name: str, call_of: Callable[[Degrees], Call]) -> None:
        """Run a call on all ranks, or raise on all of them."""
        live = self._live()
        found, complaint = attempted(lambda: call_of(self._degrees))
        call = found or Call(functions.nothing(name))
        self._dropped.free()
        api.check(functions.foreign("neighborhood_agree")(live, name.encode(), complaint))
        api.check(functions.foreign(name)(*call.values, live, None))

    def _plan(self, name: str, call_of: Callable[[Degrees], Call]) -> Request:
        """Plan a call on all ranks, or raise on all of them."""
        live = self._live()
        found, complaint = attempted(lambda: call_of(self._degrees))
        call = found or Call(functions.nothing(name))
        made = ctypes.c_void_p()
        self._dropped.free()
        plan = functions.foreign(f"{name}_init")
        api.check(plan(*call.values, live, complaint, ctypes.byref(made)))
        request = Request(made, (self, *call.kept), _underway, self._dropped)
        self._requests.add(request)
        return request
