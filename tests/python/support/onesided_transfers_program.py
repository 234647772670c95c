# SPDX-License-Identifier: Apache-2.0
"""Run by test_onesided.py on several ranks: segments, puts, gets and counters.

Usage: onesided_transfers_program.py node|rma
"""

from __future__ import annotations

import sys

import numpy as np
import pytest
from mpi4py import MPI

from espalier.errors import ArgumentError
from espalier.onesided import Conduit

world = MPI.COMM_WORLD
SEGMENT = 4096


def check_description(conduit: Conduit, transport: str) -> None:
    assert conduit.rank == world.rank
    assert conduit.size == world.size
    assert conduit.transport == transport
    assert conduit.segment_bytes() == SEGMENT + 64 * world.rank
    last = world.size - 1
    assert conduit.segment_bytes(last) == SEGMENT + 64 * last
    assert not conduit.array(SEGMENT // 8, np.int64).any()
    assert conduit.array(1, offset=0).ctypes.data % 64 == 0
    assert conduit.offset(conduit.array((4, 4), np.int32, 64)[1]) == 64 + 16


def check_blocking(conduit: Conduit, right: int) -> None:
    rank, size = conduit.rank, conduit.size
    mine = np.full(5, rank, dtype=np.int64)
    conduit.put(mine, right, 40)
    conduit.barrier()
    assert (conduit.array(5, np.int64, 40) == (rank - 1) % size).all()
    got = np.zeros((5,), dtype=np.int64)
    conduit.get(got, right, 40)
    assert (got == rank).all()
    conduit.barrier()
    # The bytes of an array are what is moved, in the order that they have in memory.
    matrix = np.arange(6, dtype=np.int16).reshape(2, 3).T
    conduit.put(matrix, right, 8)
    conduit.barrier()
    assert conduit.array(6, np.int16, 8).tolist() == [0, 1, 2, 3, 4, 5]
    conduit.put(np.empty(0), right, SEGMENT)
    conduit.barrier()


def check_started(conduit: Conduit, right: int) -> None:
    rank, size = conduit.rank, conduit.size
    source = np.full(100, rank + 0.5)
    put = conduit.start_put(source, right, 800)
    put.wait_local()
    put.wait()
    conduit.barrier()
    assert (conduit.array(100, float, 800) == (rank - 1) % size + 0.5).all()
    target = np.zeros(100)
    get = conduit.start_get(target, right, 800)
    while not get.test():
        conduit.poll()
    assert (target == rank + 0.5).all()
    for transfer in (put, get):
        for use in (transfer.test, transfer.wait, transfer.test_local, transfer.wait_local):
            with pytest.raises(ArgumentError, match="under way, got one that was over"):
                use()
    conduit.barrier()


def check_dropped(conduit: Conduit, right: int) -> None:
    """A transfer that nobody has any more keeps its array."""
    for value in range(20):
        conduit.start_put(np.full(10, value), right, 8 * 10 * value)
    conduit.post_put(np.full(10, 77), right, 1600)
    conduit.fence()
    conduit.start_put(np.full(1, 5), right, 1680).wait()
    conduit.barrier()


def check_posted(conduit: Conduit, right: int) -> None:
    rank, size = conduit.rank, conduit.size
    for index in range(10):
        conduit.post_put(np.full(2, rank * 100 + index), right, 16 * index)
    conduit.fence()
    conduit.barrier()
    here = conduit.array((10, 2), np.int64)
    assert (here[:, 1] == (rank - 1) % size * 100 + np.arange(10)).all()
    got = np.zeros((10, 2), dtype=np.int64)
    for index in range(10):
        conduit.post_get(got[index], right, 16 * index)
    conduit.fence()
    assert (got[:, 0] == rank * 100 + np.arange(10)).all()
    conduit.barrier()


def check_counters(conduit: Conduit, right: int) -> None:
    rank, size = conduit.rank, conduit.size
    counter, data = 2048, 2056
    for step in range(1, 6):
        conduit.put_signal(np.full(30, rank + step), right, data, counter=counter)
        conduit.await_counter(counter, step)
        assert (conduit.array(30, np.int64, data) == (rank - 1) % size + step).all()
        conduit.barrier()
    assert conduit.counter(counter) == 5
    every = 2048 + 512
    for process in range(size):
        conduit.signal(process, every, 2)
    conduit.signal(rank, every)
    conduit.await_counter(every, 2 * size + 1)
    assert conduit.counter(every) == 2 * size + 1
    conduit.barrier()
    conduit.put_signal(np.zeros(1), rank, data, counter=every, amount=2**64 - 1)
    while conduit.counter(every) != 2 * size:
        conduit.poll()
    conduit.barrier()


def check_started_signals(conduit: Conduit, right: int) -> None:
    rank, size = conduit.rank, conduit.size
    counter, data, length = 2048 + 1024, 800, 100
    left = (rank - 1) % size
    for step in range(1, 6):
        source = np.full(length, 10 * step + rank, dtype=np.int64)
        put = conduit.start_put_signal(source, right, data, counter=counter, amount=2)
        while not put.test_local():
            conduit.poll()
        assert put.test_local()
        source[:] = -1
        put.wait()
        conduit.await_counter(counter, 2 * step)
        assert (conduit.array(length, np.int64, data) == 10 * step + left).all()
        with pytest.raises(ArgumentError, match="under way, got one that was over"):
            put.test_local()
        conduit.barrier()
    for step in range(6, 9):
        source = np.full(length, 10 * step + rank, dtype=np.int64)
        conduit.post_put_signal(source, right, data, counter=counter)
        conduit.fence()
        source[:] = -1
        conduit.await_counter(counter, 10 + step - 5)
        assert (conduit.array(length, np.int64, data) == 10 * step + left).all()
        conduit.barrier()
    # Nobody has the array or the transfer any more.
    conduit.start_put_signal(np.full(length, 7.0), right, data, counter=counter)
    conduit.post_put_signal(np.full(1, 7.0), right, data, counter=counter)
    conduit.await_counter(counter, 15)
    assert (conduit.array(length, float, data) == 7).all()
    conduit.fence()
    conduit.barrier()


def check_split_barrier(conduit: Conduit, right: int) -> None:
    for step in range(3):
        conduit.put(np.array([step]), right, 3000)
        conduit.notify()
        while not conduit.try_barrier():
            conduit.poll()
        assert conduit.array(1, np.int64, 3000)[0] == step
        conduit.barrier()


def main() -> None:
    transport = sys.argv[1]
    conduit = Conduit(world, SEGMENT + 64 * world.rank, transport=transport)
    right = (world.rank + 1) % world.size
    check_description(conduit, transport)
    conduit.barrier()
    check_blocking(conduit, right)
    check_started(conduit, right)
    check_dropped(conduit, right)
    check_posted(conduit, right)
    check_counters(conduit, right)
    check_started_signals(conduit, right)
    check_split_barrier(conduit, right)
    conduit.detach()
    assert conduit.is_released
    if world.rank == 0:
        sys.stdout.write("ok\n")


if __name__ == "__main__":
    main()
