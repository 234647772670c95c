# SPDX-License-Identifier: Apache-2.0
"""Collectives with blocks of different sizes, that is `(array, counts)` or more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from espalier.errors import ArgumentError
from espalier.planned.buffers import (
    Part,
    Side,
    in_place,
    is_in_place,
    no_side,
    part,
    root_of,
    side,
    typed_side,
)
from espalier.planned.planning import Call, Ranks, plan

if TYPE_CHECKING:
    from mpi4py import MPI

    from espalier.onesided.request import Request
    from espalier.planned.buffers import Blocks, Place


def _block(given: Place, whole: Side, ranks: Ranks, name: str, *, is_written: bool = False) -> Part:
    """Return the array that is one block of a side: the own one."""
    if is_in_place(given):
        return in_place(name)
    found = part(given, name, is_written=is_written)
    expected = whole.counts[ranks.rank]
    if found.count != expected:
        raise ArgumentError(
            f"expected {expected} elements as {name}, the own count, got {found.count}"
        )
    return found


def allgatherv_init(
    comm: MPI.Intracomm, send: Place, recv: Blocks, *, algorithm: str = ""
) -> Request:
    """Plan a gather to all of blocks of different sizes.

    Collective over `comm`.

    Args:
        comm: an intracommunicator.
        send: as many elements as the counts have for this rank, or `MPI.IN_PLACE` on all ranks:
            they stand in the own block of `recv`.
        recv: `(array, counts)` or `(array, counts, displacements)`; block i comes from rank i.
            Counts are equal on all ranks.
        algorithm: see `espalier.planned`.
    """

    def call(ranks: Ranks) -> Call:
        whole = side(recv, "recv", ranks.size, is_written=True)
        own = _block(send, whole, ranks, "send")
        return Call((*own.values, *whole.values), (send, whole.array))

    return plan("allgatherv", comm, algorithm, call)


def gatherv_init(
    comm: MPI.Intracomm,
    send: Place,
    recv: Blocks | None,
    root: int = 0,
    *,
    algorithm: str = "",
) -> Request:
    """Plan a gather of blocks of different sizes.

    Collective over `comm`.

    Args:
        comm: an intracommunicator.
        send: the elements of this rank; at the root also `MPI.IN_PLACE`: they stand in `recv`.
        recv: at the root `(array, counts)` or `(array, counts, displacements)`; block i comes from
            rank i, which sends as many elements. None elsewhere.
        root: equal on all ranks.
        algorithm: see `espalier.planned`.
    """

    def call(ranks: Ranks) -> Call:
        target = root_of(root, ranks)
        if ranks.rank != target:
            own = part(send, "send")
            return Call((*own.values, *no_side().values, target), (send,))
        whole = side(recv, "recv", ranks.size, is_written=True)
        own = _block(send, whole, ranks, "send")
        return Call((*own.values, *whole.values, target), (send, whole.array))

    return plan("gatherv", comm, algorithm, call)


def scatterv_init(
    comm: MPI.Intracomm,
    send: Blocks | None,
    recv: Place,
    root: int = 0,
    *,
    algorithm: str = "",
) -> Request:
    """Plan a scatter of blocks of different sizes.

    Collective over `comm`.

    Args:
        comm: an intracommunicator.
        send: at the root `(array, counts)` or `(array, counts, displacements)`; block i goes to
            rank i, which receives as many elements. None elsewhere.
        recv: the elements of this rank; at the root also `MPI.IN_PLACE`: its own stay in `send`.
        root: equal on all ranks.
        algorithm: see `espalier.planned`.
    """

    def call(ranks: Ranks) -> Call:
        source = root_of(root, ranks)
        if ranks.rank != source:
            own = part(recv, "recv", is_written=True)
            return Call((*no_side().values, *own.values, source), (recv,))
        whole = side(send, "send", ranks.size)
        own = _block(recv, whole, ranks, "recv", is_written=True)
        return Call((*whole.values, *own.values, source), (whole.array, recv))

    return plan("scatterv", comm, algorithm, call)


def alltoallv_init(
    comm: MPI.Intracomm, send: Blocks | Place, recv: Blocks, *, algorithm: str = ""
) -> Request:
    """Plan an exchange of blocks of different sizes.

    Collective over `comm`.

    Args:
        comm: an intracommunicator.
        send: `(array, counts)` or `(array, counts, displacements)`; block j goes to rank j. Or
            `MPI.IN_PLACE` on all ranks: blocks stand in `recv`.
        recv: the same; block i comes from rank i, which sends as many elements.
        algorithm: see `espalier.planned`.
    """

    def call(ranks: Ranks) -> Call:
        received = side(recv, "recv", ranks.size, is_written=True)
        sent = no_side(in_place("send")) if is_in_place(send) else side(send, "send", ranks.size)
        return Call((*sent.values, *received.values), (sent.array, received.array))

    return plan("alltoallv", comm, algorithm, call)


def alltoallw_init(
    comm: MPI.Intracomm, send: Blocks | Place, recv: Blocks, *, algorithm: str = ""
) -> Request:
    """Plan an exchange of blocks of different sizes and types.

    Collective over `comm`.

    Args:
        comm: an intracommunicator.
        send: `(array, counts, displacements, types)`, where displacements are bytes from the
            beginning of the array, and types are those of NumPy or datatypes of mpi4py; block j
            goes to rank j. Or `MPI.IN_PLACE` on all ranks: blocks stand in `recv`.
        recv: the same; block i comes from rank i, with as many elements of types that fit.
        algorithm: see `espalier.planned`.
    """

    def call(ranks: Ranks) -> Call:
        received = typed_side(recv, "recv", ranks.size, is_written=True)
        sent = (
            no_side(in_place("send")) if is_in_place(send) else typed_side(send, "send", ranks.size)
        )
        return Call((*sent.typed_values, *received.typed_values), (sent.array, received.array))

    return plan("alltoallw", comm, algorithm, call)
