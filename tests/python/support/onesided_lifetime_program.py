# SPDX-License-Identifier: Apache-2.0
"""Run by test_onesided.py on several ranks: how long memory lives, and who waits for whom.

Usage: onesided_lifetime_program.py node|rma
"""

from __future__ import annotations

import gc
import sys
import threading
import warnings

import numpy as np
import pytest
from freed_calls import FreedCalls
from mpi4py import MPI

from espalier.errors import ArgumentError
from espalier.onesided import Addresses, Conduit, SharedArray, Team

world = MPI.COMM_WORLD
transport = sys.argv[1]


def leave(conduit: Conduit) -> None:
    with conduit:
        conduit.barrier()


def check_arrays_outlive_the_conduit() -> None:
    """An array on one process keeps the memory of all, until it is deleted there."""
    conduit = Conduit(world, 800, transport=transport)
    user = conduit.array(100)[10:20] if world.rank == world.size - 1 else None
    conduit.put(np.arange(10.0), (world.rank + 1) % world.size, 80)
    with pytest.warns(ResourceWarning, match=f"in use on 1 of {world.size} processes"):
        leave(conduit)
    assert not conduit.is_released
    with pytest.raises(ArgumentError, match="that was detached"):
        conduit.array(1)
    if user is not None:
        assert user.tolist() == list(range(10))
        user += 1
        assert user.sum() == 55
    with pytest.warns(ResourceWarning, match="in use on 1"):
        conduit.detach()
    del user
    conduit.detach()
    assert conduit.is_released
    conduit.detach()


def check_exceptions_do_not_wait() -> None:
    """A block that ends by an exception on one process alone must not wait for the others."""
    conduit = Conduit(world, 64, transport=transport)
    team = Team(conduit, world)
    if world.rank == 0:
        with pytest.raises(ZeroDivisionError), conduit, team:
            1 / 0  # noqa: B018 - the exception is what is wanted
        conduit.poll()
    with conduit, team:
        conduit.barrier()
    assert conduit.is_released


def check_ends_complete_what_is_under_way() -> None:
    conduit = Conduit(world, 4096, transport=transport)
    right = (world.rank + 1) % world.size
    totals = [np.zeros(4, int) for _ in range(8)]
    with Team(conduit, world) as team:
        for array in totals:
            team.allreduce(np.ones(4, int), array, addresses=Addresses.LOCAL)
        planned = team.barrier_init()
    for array in totals:
        assert (array == world.size).all()
    with pytest.raises(ArgumentError, match="that was freed"):
        planned.start()
    conduit.start_put(np.full(8, 1.5), right, 0)
    conduit.post_put(np.full(8, 2.5), right, 64)
    here = conduit.array((2, 8))
    with pytest.warns(ResourceWarning, match="in use on"):
        conduit.detach()
    assert here[0].tolist() == [1.5] * 8
    assert here[1].tolist() == [2.5] * 8
    del here
    conduit.detach()


def check_names_may_go_out_of_scope() -> None:
    """Dropping names neither ends a conduit nor a collective."""
    conduit = Conduit(world, 64, transport=transport)
    total = np.zeros(1, int)
    Team(conduit, world).allreduce(np.ones(1, int), total, addresses=Addresses.LOCAL)
    team = Team(conduit, world)
    for _ in range(100):
        team.barrier_init()
    del team
    gc.collect()
    conduit.detach()
    assert conduit.is_released
    assert total[0] == world.size


def check_what_is_dropped() -> None:
    """The collector frees nothing, in whatever thread it runs; the next call of the program does.

    What has to be freed before others is.
    """
    freed = FreedCalls()
    with freed, Conduit(world, 1024, transport=transport) as conduit:
        team = Team(conduit, world)
        calls = [
            team.fence,
            team.barrier_init(addresses=Addresses.LOCAL).start,
            team.barrier_init,
            team.barrier_init().free,
            team.cache_clear,
            team.free,
        ]
        for call in calls:
            array = SharedArray(team, team.size)
            for request in (array.blocks[0].bcast_init(array.blocks[:], 1), team.barrier_init()):
                request.explain()
            before = list(freed.names)
            del array, request
            thread = threading.Thread(target=gc.collect)
            thread.start()
            thread.join()
            assert freed.names == before
            call()
            assert freed.names.count("request_free") >= before.count("request_free") + 2
            assert freed.names.count("array_free") == before.count("array_free") + 1


def check_many_conduits() -> None:
    for size in range(8):
        with Conduit(world, 8 * size, transport=transport) as conduit:
            conduit.barrier()
        assert conduit.is_released


def check_the_end_of_mpi() -> None:
    """Memory that arrays show stays until MPI is finalized, and is given back then."""
    conduits = [Conduit(world, 64, transport=transport) for _ in range(3)]
    array = conduits[1].array(8)
    leave(conduits[0])
    with pytest.warns(ResourceWarning):
        leave(conduits[1])
    leave(conduits[2])
    array[:] = 1
    assert array.sum() == array.size
    assert [conduit.is_released for conduit in conduits] == [True, False, True]
    MPI.Finalize()
    assert all(conduit.is_released for conduit in conduits)
    conduits[1].detach()


def main() -> None:
    warnings.simplefilter("error")
    check_arrays_outlive_the_conduit()
    check_exceptions_do_not_wait()
    check_ends_complete_what_is_under_way()
    check_names_may_go_out_of_scope()
    check_what_is_dropped()
    check_many_conduits()
    rank = world.rank
    check_the_end_of_mpi()
    if rank == 0:
        sys.stdout.write("ok\n")


if __name__ == "__main__":
    main()
