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


def check_refusals_on_all() -> None:
    """What is wrong on one rank alone is an error on all, and the next call works."""
    here = world.rank == 0
    two = [1, 1]

    def expect(
        text: str, call: Callable[[], object], kind: type[Exception] = ArgumentError
    ) -> None:
        other = "the arguments of another rank are wrong"
        with pytest.raises(kind if here else ArgumentError, match=text if here else other):
            call()

    one = [1] if here else two
    expect("2 weights", lambda: mpi.cart_weighted_create(world, [0, 0], weights=one))
    expect("2 periods", lambda: mpi.cart_weighted_create(world, [0, 0], one))
    expect("str", lambda: mpi.cart_weighted_create(world, ["x", 0] if here else [0, 0]), TypeError)
    node = [MPI.COMM_TYPE_SHARED]
    expect("2 weights", lambda: mpi.cart_ml_create_from_types(world, [0, 0], node, two, one))
    expect("2 periods", lambda: mpi.cart_ml_create_from_comms([world], [0, 0], one))
    comms = [world, None] if here else [world, world]
    expect("NoneType", lambda: mpi.cart_ml_create_from_comms(comms, [0]), AttributeError)
    rows = [[1, world.size], one]
    expect("2 levels", lambda: mpi.cart_ml_create(world, rows))
    expect("2 periods", lambda: mpi.cart_ml_create(world, [[1, world.size], two], one))
    steps = [[1, 0], one]
    expect("of 2 dimensions", lambda: mpi.cart_create(world, [0, 0], offsets=steps))
    expect(
        "2 weights",
        lambda: mpi.cart_create(world, [0, 0], offsets=[[1, 0], [-1, 0]], weights=one),
    )
    expect("2 dim_weights", lambda: mpi.cart_create(world, [0, 0], dim_weights=one))
    assert check_cart(mpi.cart_weighted_create(world, [0, 1]), [False, False])[1] == 1


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
    check_refusals_on_all()
    if world.rank == 0:
        sys.stdout.write("ok\n")


if __name__ == "__main__":
    main()
