# SPDX-License-Identifier: Apache-2.0
"""Collectives that reduce; the operator is `MPI.SUM` unless it is given, and equal on all ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from espalier import api
from espalier.errors import ArgumentError
from espalier.planned.buffers import (
    LARGE,
    counts_of,
    in_place,
    is_in_place,
    nothing,
    part,
    part_or_in_place,
    root_of,
)
from espalier.planned.planning import Call, Ranks, plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mpi4py import MPI

    from espalier.onesided.request import Request
    from espalier.planned.buffers import Array, Place


def _sum_or(op: MPI.Op | None) -> MPI.Op:
    return api.mpi().SUM if op is None else op


def _on_all(send: Place, recv: Array, op: MPI.Op | None) -> Callable[[Ranks], Call]:
    """Return what makes the arguments of a call whose result all ranks get."""

    def call(_: Ranks) -> Call:
        operator = _sum_or(op)
        result = part(recv, "recv", is_written=True)
        given = part_or_in_place(send, result, "send")
        values = (given.address, *result.values, operator.py2f())
        return Call(values, (send, recv, operator))

    return call


def allreduce_init(
    comm: MPI.Intracomm, send: Place, recv: Array, op: MPI.Op | None = None, *, algorithm: str = ""
) -> Request:
    """Plan a reduction whose result all ranks get.

    Collective over `comm`.

    Args:
        comm: an intracommunicator.
        send: n elements, or `MPI.IN_PLACE` on all ranks: they stand in `recv`.
        recv: n elements of the same type.
        op: `MPI.SUM` if it is left out.
        algorithm: see `espalier.planned`.
    """
    return plan("allreduce", comm, algorithm, _on_all(send, recv, op))


def scan_init(
    comm: MPI.Intracomm, send: Place, recv: Array, op: MPI.Op | None = None, *, algorithm: str = ""
) -> Request:
    """Plan a reduction over the ranks up to the own one; arguments of `allreduce_init()`."""
    return plan("scan", comm, algorithm, _on_all(send, recv, op))


def exscan_init(
    comm: MPI.Intracomm, send: Place, recv: Array, op: MPI.Op | None = None, *, algorithm: str = ""
) -> Request:
    """Plan a reduction over the ranks before the own one; arguments of `allreduce_init()`.

    On rank 0 `recv` stays as it is.
    """
    return plan("exscan", comm, algorithm, _on_all(send, recv, op))


def reduce_init(
    comm: MPI.Intracomm,
    send: Place,
    recv: Place,
    op: MPI.Op | None = None,
    root: int = 0,
    *,
    algorithm: str = "",
) -> Request:
    """Plan a reduction whose result the root gets.

    Collective over `comm`.

    Args:
        comm: an intracommunicator.
        send: n elements; at the root also `MPI.IN_PLACE`: they stand in `recv`.
        recv: at the root n elements of the same type. None elsewhere.
        op: `MPI.SUM` if it is left out.
        root: equal on all ranks.
        algorithm: see `espalier.planned`.
    """

    def call(ranks: Ranks) -> Call:
        target = root_of(root, ranks)
        operator = _sum_or(op)
        if ranks.rank == target:
            result = part(recv, "recv", is_written=True)
            given = part_or_in_place(send, result, "send")
        else:
            result, given = nothing("recv"), part(send, "send")
        values = (given.address, result.address, given.count, given.datatype)
        return Call((*values, operator.py2f(), target), (send, recv, operator))

    return plan("reduce", comm, algorithm, call)


def reduce_scatter_block_init(
    comm: MPI.Intracomm, send: Place, recv: Array, op: MPI.Op | None = None, *, algorithm: str = ""
) -> Request:
    """Plan a reduction of which rank i gets part i.

    Collective over `comm`.

    Args:
        comm: an intracommunicator.
        send: num_ranks * n elements, as `(num_ranks, n)`, or `MPI.IN_PLACE` on all ranks.
        recv: n elements of the same type. In place it has num_ranks * n elements, of which the
            first n are the result.
        op: `MPI.SUM` if it is left out.
        algorithm: see `espalier.planned`.
    """

    def call(ranks: Ranks) -> Call:
        operator = _sum_or(op)
        num_parts = ranks.size if is_in_place(send) else 1
        result = part(recv, "recv", num_parts, is_written=True)
        given = part_or_in_place(send, result, "send", ranks.size)
        values = (given.address, *result.values, operator.py2f())
        return Call(values, (send, recv, operator))

    return plan("reduce_scatter_block", comm, algorithm, call)


def reduce_scatter_init(
    comm: MPI.Intracomm,
    send: Place,
    recv: Array,
    counts: Sequence[int],
    op: MPI.Op | None = None,
    *,
    algorithm: str = "",
) -> Request:
    """Plan a reduction of which rank i gets `counts[i]` elements, one part after the other.

    Collective over `comm`.

    Args:
        comm: an intracommunicator.
        send: sum(counts) elements, or `MPI.IN_PLACE` on all ranks: they stand in `recv`.
        recv: the own count of elements of the same type, or more: the result is the first ones.
        counts: for each rank, equal on all ranks.
        op: `MPI.SUM` if it is left out.
        algorithm: see `espalier.planned`.
    """

    def call(ranks: Ranks) -> Call:
        operator = _sum_or(op)
        numbers = counts_of(counts, "counts", ranks.size, LARGE.end)
        result = part(recv, "recv", is_written=True)
        given = result if is_in_place(send) else part(send, "send")
        if given.count != sum(numbers) or given.dtype != result.dtype:
            raise ArgumentError(
                f"expected {sum(numbers)} elements of {result.dtype} as {given.name}, the sum of "
                f"counts, got {given.count} of {given.dtype}"
            )
        if result.count < numbers[ranks.rank]:
            raise ArgumentError(
                f"expected {numbers[ranks.rank]} elements as recv, got {result.count}"
            )
        address = in_place("send").address if is_in_place(send) else given.address
        values = (address, result.address, LARGE.counts(numbers), result.datatype)
        return Call((*values, operator.py2f()), (send, recv, operator))

    return plan("reduce_scatter", comm, algorithm, call)
