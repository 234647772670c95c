# SPDX-License-Identifier: Apache-2.0
"""Making a neighborhood, on all ranks of a communicator or on none."""

from __future__ import annotations

import ctypes
import operator
from typing import TYPE_CHECKING, Any

from espalier import api
from espalier.errors import ArgumentError
from espalier.neighbors import functions
from espalier.neighbors.functions import NeighborOptions
from espalier.neighbors.neighborhood import Neighborhood
from espalier.planned.buffers import LAST_OF_INT, integers
from espalier.planned.planning import attempted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mpi4py import MPI


def neighborhood(
    comm_cart: MPI.Cartcomm,
    offsets: Sequence[Sequence[int]],
    *,
    algorithm: str = "",
    latency_us: float = 0.0,
    bandwidth_gib_s: float = 0.0,
) -> Neighborhood:
    """Put the same stencil around every process of a grid.

    Block k goes to the process `offsets[k]` away and comes from the one `-offsets[k]` away. Open
    borders have no neighbour beyond them. Collective over `comm_cart`; all arguments are equal on
    all ranks.

    Args:
        comm_cart: a Cartesian communicator of mpi4py; must not be freed before the neighborhood.
        offsets: a row for each neighbour with an entry for each dimension, of any length; the same
            row may occur again, and a row of 0 is the process itself. A list or an array.
        algorithm: `direct`, `combining` or `node_aware`. Without it, the one that is predicted to
            be faster than direct by 10 % or more, direct if the two numbers below are not known;
            what cannot serve a call is not chosen.
        latency_us: of a message between nodes; 0 if it is not known.
        bandwidth_gib_s: of one rank between nodes; 0 if it is not known.
    """

    def call() -> tuple[Any, ...]:
        rows = _rows(offsets)
        num_entries = len(rows[0]) if rows else 0
        flat = integers([entry for row in rows for entry in row])
        options = _options(algorithm, latency_us, bandwidth_gib_s)
        return len(rows), num_entries, flat, ctypes.byref(options)

    return _made("neighborhood_create", comm_cart, call, (0, 0, None, None))


def neighborhood_of(
    comm: MPI.Intracomm,
    *,
    algorithm: str = "",
    latency_us: float = 0.0,
    bandwidth_gib_s: float = 0.0,
) -> Neighborhood:
    """Take the neighborhood of MPI's own collectives on a communicator, in its order.

    Collective over `comm`; options are equal on all ranks, and those of `neighborhood()`.

    Args:
        comm: a communicator of mpi4py with a Cartesian, graph or distributed graph topology; must
            not be freed before the neighborhood.
        algorithm: see `neighborhood()`.
        latency_us: see `neighborhood()`.
        bandwidth_gib_s: see `neighborhood()`.
    """

    def call() -> tuple[Any, ...]:
        return (ctypes.byref(_options(algorithm, latency_us, bandwidth_gib_s)),)

    return _made("neighborhood_of", comm, call, (None,))


def _made(
    name: str, comm: MPI.Intracomm, call: Callable[[], tuple[Any, ...]], nothing: tuple[Any, ...]
) -> Neighborhood:
    """Make it on all ranks, or raise on all of them."""
    if comm == api.mpi().COMM_NULL or comm.Is_inter():
        raise ArgumentError("expected an intracommunicator of mpi4py, got another one")
    found, complaint = attempted(call)
    handle = ctypes.c_void_p()
    make = functions.foreign(name)
    api.check(make(comm.py2f(), *(found or nothing), complaint, ctypes.byref(handle)))
    return Neighborhood(comm, handle)


def _options(algorithm: str, latency_us: float, bandwidth_gib_s: float) -> NeighborOptions:
    return NeighborOptions(
        size=ctypes.sizeof(NeighborOptions),
        flags=0,
        algorithm=algorithm.encode() or None,
        latency_us=latency_us,
        bandwidth_gib_s=bandwidth_gib_s,
    )


def _entry(value: int) -> int:
    found = operator.index(value)
    if not -LAST_OF_INT <= found < LAST_OF_INT:
        raise ArgumentError(f"expected entries of offsets that C has as int, got {found}")
    return found


def _rows(offsets: Sequence[Sequence[int]]) -> list[list[int]]:
    rows = [[_entry(value) for value in row] for row in offsets]
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1:
        raise ArgumentError(
            f"expected offsets of one length, got rows of {lengths[0]} and of {lengths[-1]} entries"
        )
    return rows
