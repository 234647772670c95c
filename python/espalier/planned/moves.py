# SPDX-License-Identifier: Apache-2.0
"""Collectives that move blocks of equal sizes, and the barrier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from espalier.planned.buffers import nothing, part, part_or_in_place, root_of
from espalier.planned.planning import Call, Ranks, plan

if TYPE_CHECKING:
    from mpi4py import MPI

    from espalier.onesided.request import Request
    from espalier.planned.buffers import Array, Place


def barrier_init(comm: MPI.Intracomm, *, algorithm: str = "") -> Request:
    """Plan a barrier. Collective over `comm`."""
    return plan("barrier", comm, algorithm, lambda _: Call(()))


def bcast_init(comm: MPI.Intracomm, array: Array, root: int = 0, *, algorithm: str = "") -> Request:
    """Plan a broadcast: the array of the root is copied to those of all others.

    Collective over `comm`.

    Args:
        comm: an intracommunicator.
        array: of any shape, with as many elements of the same type on all ranks.
        root: equal on all ranks.
        algorithm: see `espalier.planned`.
    """

    def call(ranks: Ranks) -> Call:
        source = root_of(root, ranks)
        given = part(array, "array", is_written=ranks.rank != source)
        return Call((*given.values, source), (array,))

    return plan("bcast", comm, algorithm, call)


def allgather_init(
    comm: MPI.Intracomm, send: Place, recv: Array, *, algorithm: str = ""
) -> Request:
    """Plan a gather to all: part i of `recv` on all ranks comes from rank i.

    Collective over `comm`.

    Args:
        comm: an intracommunicator.
        send: n elements, or `MPI.IN_PLACE`: what is sent stands in the own part of `recv`.
        recv: num_ranks * n elements of the same type, as `(num_ranks, n)`.
        algorithm: see `espalier.planned`.
    """

    def call(ranks: Ranks) -> Call:
        whole = part(recv, "recv", ranks.size, is_written=True)
        own = part_or_in_place(send, whole, "send")
        return Call((*own.values, *whole.values), (send, recv))

    return plan("allgather", comm, algorithm, call)


def alltoall_init(comm: MPI.Intracomm, send: Place, recv: Array, *, algorithm: str = "") -> Request:
    """Plan an exchange: part i of `recv` of rank j is part j of `send` of rank i.

    Collective over `comm`.

    Args:
        comm: an intracommunicator.
        send: num_ranks * n elements, as `(num_ranks, n)`, or `MPI.IN_PLACE`: they stand in `recv`.
        recv: as many elements of the same type.
        algorithm: see `espalier.planned`.
    """

    def call(ranks: Ranks) -> Call:
        received = part(recv, "recv", ranks.size, is_written=True)
        sent = part_or_in_place(send, received, "send", ranks.size)
        return Call((*sent.values, *received.values), (send, recv))

    return plan("alltoall", comm, algorithm, call)


def gather_init(
    comm: MPI.Intracomm, send: Place, recv: Place, root: int = 0, *, algorithm: str = ""
) -> Request:
    """Plan a gather: part i of `recv` at the root comes from rank i.

    Collective over `comm`.

    Args:
        comm: an intracommunicator.
        send: n elements; at the root also `MPI.IN_PLACE`: its own stand in `recv`.
        recv: at the root num_ranks * n elements of the same type, as `(num_ranks, n)`. None
            elsewhere.
        root: equal on all ranks.
        algorithm: see `espalier.planned`.
    """

    def call(ranks: Ranks) -> Call:
        target = root_of(root, ranks)
        if ranks.rank == target:
            whole = part(recv, "recv", ranks.size, is_written=True)
            own = part_or_in_place(send, whole, "send")
        else:
            whole, own = nothing("recv"), part(send, "send")
        return Call((*own.values, *whole.values, target), (send, recv))

    return plan("gather", comm, algorithm, call)


def scatter_init(
    comm: MPI.Intracomm, send: Place, recv: Place, root: int = 0, *, algorithm: str = ""
) -> Request:
    """Plan a scatter: rank i gets part i of `send` of the root.

    Collective over `comm`.

    Args:
        comm: an intracommunicator.
        send: at the root num_ranks * n elements, as `(num_ranks, n)`. None elsewhere.
        recv: n elements of the same type; at the root also `MPI.IN_PLACE`: its own stay in `send`.
        root: equal on all ranks.
        algorithm: see `espalier.planned`.
    """

    def call(ranks: Ranks) -> Call:
        source = root_of(root, ranks)
        if ranks.rank == source:
            whole = part(send, "send", ranks.size)
            own = part_or_in_place(recv, whole, "recv", is_written=True)
        else:
            whole, own = nothing("send"), part(recv, "recv", is_written=True)
        return Call((*whole.values, *own.values, source), (send, recv))

    return plan("scatter", comm, algorithm, call)
