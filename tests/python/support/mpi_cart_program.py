# SPDX-License-Identifier: Apache-2.0
"""Run by test_mpi_cart.py on several ranks: espalier.mpi on communicators of mpi4py."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import pytest
from mpi4py import MPI

from espalier import mpi
from espalier.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

world = MPI.COMM_WORLD


def check_cart(comm: MPI.Cartcomm, periods: list[bool]) -> list[int]:
    assert isinstance(comm, MPI.Cartcomm)
    assert math.prod(comm.dims) == comm.size
    assert [bool(wraps) for wraps in comm.periods] == periods
    assert list(comm.coords) == comm.Get_coords(comm.rank)
    ranks = comm.allgather(world.rank)
    assert sorted(ranks) == list(range(comm.size))
    dims = list(comm.dims)
    comm.Free()
    return dims


def check_refusal(text: str, call: Callable[[], object]) -> None:
    with pytest.raises(ArgumentError, match=text):
        call()


def main() -> None:
    p = world.size
    assert mpi.dims_weighted_create(12, [0, 0], [1 / 1800, 1 / 580]) == [6, 2]
    assert mpi.dims_weighted_create(12, [0, 0]) == [4, 3]
    weights = [1 / 1000, 1 / 1100, 1 / 950]
    expected = [[5, 2, 3], [25, 1, 1], [5, 1, 4]]
    assert mpi.dims_ml_create([625, 2, 12], 3, weights) == expected

    comm = mpi.cart_weighted_create(world, [0, 0], [True, False], [1.0, 1000.0])
    report = mpi.cart_report(comm)
    assert report.levels[0].num_groups == 1
    assert report.levels[0].total_after == 0
    assert check_cart(comm, [True, False]) == [p, 1]
    left_out = mpi.cart_weighted_create(world, [p - 1, 1])
    assert (left_out == MPI.COMM_NULL) == (world.rank == p - 1)
    if left_out != MPI.COMM_NULL:
        assert check_cart(left_out, [False, False]) == [p - 1, 1]

    node = MPI.COMM_TYPE_SHARED
    assert check_cart(mpi.cart_ml_create_from_types(world, [0], [node]), [False]) == [p]
    inner = world.Dup()
    assert check_cart(mpi.cart_ml_create_from_comms([world, inner], [0]), [False]) == [p]
    inner.Free()
    assert check_cart(mpi.cart_ml_create(world, [[1, p], [1, 1]]), [False, False]) == [p, 1]
    moved = mpi.cart_create(
        world, [0, 0], offsets=[[1, 1], [-1, -1]], weights=[2, 2], objective="total"
    )
    check_cart(moved, [False, False])

    check_refusal("at most", lambda: mpi.cart_weighted_create(world, [p, 2]))
    check_refusal("finite", lambda: mpi.cart_weighted_create(world, [0], weights=[math.nan]))
    check_refusal("expected 1 weights", lambda: mpi.cart_weighted_create(world, [0], weights=[]))
    check_refusal("ndims", lambda: mpi.cart_weighted_create(world, []))
    check_refusal("'magic'", lambda: mpi.cart_create(world, [0], algorithm="magic"))
    check_refusal("as espalier_cart_create", lambda: mpi.cart_report(world))
    if world.rank == 0:
        sys.stdout.write("ok\n")


if __name__ == "__main__":
    main()
