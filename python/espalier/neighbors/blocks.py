# SPDX-License-Identifier: Apache-2.0
"""Arrays of a neighborhood collective, as C gets them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from espalier.errors import ArgumentError
from espalier.planned.buffers import NARROW, Part, is_in_place, part, side, typed_side
from espalier.planned.planning import Call

if TYPE_CHECKING:
    from espalier.planned.buffers import Array, Blocks


@dataclass(frozen=True)
class Degrees:
    """Neighbours of a rank, absent ones included: it receives from `into`, and sends to `out`."""

    into: int
    out: int


def _parts(given: Array, name: str, num_parts: int, *, is_written: bool = False) -> Part:
    """Return an array with a part for each neighbour; without neighbours it is empty."""
    if is_in_place(given):
        raise ArgumentError(
            f"expected an array as {name}, got MPI.IN_PLACE, which MPI does not have here"
        )
    whole = part(given, name, max(1, num_parts), is_written=is_written, numbers=NARROW)
    if num_parts == 0 and whole.count > 0:
        raise ArgumentError(
            f"expected 0 elements as {name}, blocks of no neighbours, got {whole.count}"
        )
    return whole


def _check_equal(sent: Part, received: Part, degrees: Degrees) -> None:
    """Blocks have one size and type on both sides, where there are blocks on both."""
    is_comparable = degrees.into > 0 and degrees.out > 0
    if is_comparable and (sent.count, sent.dtype) != (received.count, received.dtype):
        raise ArgumentError(
            f"expected blocks of {sent.count} elements of {sent.dtype} as recv, to fit send, got "
            f"{received.count} of {received.dtype}"
        )


def allgather(send: Array, recv: Array, degrees: Degrees) -> Call:
    """Return the arguments of a call that sends the same block to all neighbours."""
    sent = _parts(send, "send", 1)
    received = _parts(recv, "recv", degrees.into, is_written=True)
    _check_equal(sent, received, degrees)
    return Call((*sent.values, *received.values), (send, recv))


def allgatherv(send: Array, recv: Blocks, degrees: Degrees) -> Call:
    """Return the arguments of a call that sends the same block to all neighbours."""
    sent = _parts(send, "send", 1)
    received = side(recv, "recv", degrees.into, is_written=True, numbers=NARROW)
    return Call((*sent.values, *received.values), (send, received.array))


def alltoall(send: Array, recv: Array, degrees: Degrees) -> Call:
    """Return the arguments of a call that sends a block to each neighbour."""
    sent = _parts(send, "send", degrees.out)
    received = _parts(recv, "recv", degrees.into, is_written=True)
    _check_equal(sent, received, degrees)
    return Call((*sent.values, *received.values), (send, recv))


def alltoallv(send: Blocks, recv: Blocks, degrees: Degrees) -> Call:
    """Return the arguments of a call whose blocks may have different sizes."""
    sent = side(send, "send", degrees.out, numbers=NARROW)
    received = side(recv, "recv", degrees.into, is_written=True, numbers=NARROW)
    return Call((*sent.values, *received.values), (sent.array, received.array))


def alltoallw(send: Blocks, recv: Blocks, degrees: Degrees) -> Call:
    """Return the arguments of a call whose blocks may have different sizes and types."""
    sent = typed_side(send, "send", degrees.out, numbers=NARROW)
    received = typed_side(recv, "recv", degrees.into, is_written=True, numbers=NARROW)
    values = (*sent.typed_values, *received.typed_values)
    return Call(values, (sent.array, received.array))
