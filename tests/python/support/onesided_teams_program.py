# SPDX-License-Identifier: Apache-2.0
"""Run by test_onesided.py on several ranks: collectives of teams in all modes.

Usage: onesided_teams_program.py node|rma
"""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING

import numpy as np
from mpi4py import MPI

from espalier.errors import ArgumentError
from espalier.onesided import Addresses, Conduit, Sync, Team

if TYPE_CHECKING:
    from collections.abc import Callable

    from espalier.onesided import Modes, Request

    Allocate = Callable[[int, type], np.ndarray]

world = MPI.COMM_WORLD
SEGMENT = 1 << 16
MODES: list[Modes] = [
    {"sync_in": sync_in, "sync_out": sync_out, "addresses": addresses}
    for sync_in, sync_out, addresses in itertools.product(Sync, Sync, Addresses)
]


class Arrays:
    """Arrays at the same offsets on all members, at any, or anywhere."""

    def __init__(self, conduit: Conduit, addresses: Addresses) -> None:
        self._conduit = conduit
        self._addresses = addresses
        self._end = 64 * world.rank if addresses == Addresses.SINGLE else 0

    def make(self, size: int, dtype: type = np.int64) -> np.ndarray:
        if self._addresses == Addresses.LOCAL:
            return np.full(size, -1, dtype)
        array = self._conduit.array(size, dtype, self._end)
        self._end += array.nbytes
        array[:] = -1
        return array


def complete(request: Request, conduit: Conduit) -> None:
    """Complete a request whose modes may be loose: a barrier says that it is over everywhere."""
    request.start()
    if not request.test():
        conduit.poll()
        request.wait()
    conduit.barrier()


def check_bcast(team: Team, conduit: Conduit, modes: Modes, n: int) -> None:
    root = team.size - 1
    array = Arrays(conduit, modes["addresses"]).make(n)
    request = team.bcast_init(array, root, **modes)
    assert request.algorithm.startswith("bcast/")
    for step in range(2):
        if team.rank == root:
            array[:] = np.arange(n) + step
        conduit.barrier()
        complete(request, conduit)
        assert (array == np.arange(n) + step).all()


def check_scatter_and_gather(team: Team, conduit: Conduit, modes: Modes, n: int) -> None:
    arrays = Arrays(conduit, modes["addresses"])
    p, root = team.size, team.size // 2
    part, whole = arrays.make(n), arrays.make(n * p)
    back = arrays.make(n * p)
    whole[:] = np.arange(n * p)
    conduit.barrier()
    is_root = team.rank == root
    if modes["addresses"] == Addresses.SYMMETRIC:
        at_root, back_at_root = whole, back
    else:
        at_root, back_at_root = (whole, back) if is_root else (None, None)
    complete(team.scatter_init(at_root, part, root, **modes), conduit)
    assert (part == np.arange(n) + n * team.rank).all()
    complete(team.gather_init(part, back_at_root, root, **modes), conduit)
    assert (back == (np.arange(n * p) if is_root else -1)).all()
    conduit.barrier()
    back[:] = -1
    conduit.barrier()
    complete(team.allgather_init(part, back, **modes), conduit)
    assert (back == np.arange(n * p)).all()


def check_reductions(team: Team, conduit: Conduit, modes: Modes, n: int) -> None:
    arrays = Arrays(conduit, modes["addresses"])
    p, root = team.size, team.size - 1
    send, recv = arrays.make(n, float), arrays.make(n, float)
    send[:] = np.arange(n) + team.rank
    conduit.barrier()
    complete(team.allreduce_init(send, recv, **modes), conduit)
    assert (recv == p * np.arange(n) + p * (p - 1) / 2).all()
    conduit.barrier()
    recv[:] = -1
    conduit.barrier()
    is_root = team.rank == root
    at_root: np.ndarray | int | None = recv
    if not is_root:
        is_symmetric = modes["addresses"] == Addresses.SYMMETRIC
        at_root = conduit.offset(recv) if is_symmetric else None
    request = team.reduce_init(send, at_root, MPI.MAX, root, **modes)
    complete(request, conduit)
    assert (recv == (np.arange(n) + p - 1 if is_root else -1)).all()


def check_alltoall(team: Team, conduit: Conduit, modes: Modes, n: int) -> None:
    arrays = Arrays(conduit, modes["addresses"])
    p = team.size
    send, recv = arrays.make(n * p), arrays.make(n * p)
    send[:] = np.repeat(np.arange(p) + 100 * team.rank, n)
    conduit.barrier()
    complete(team.alltoall_init(send, recv, **modes), conduit)
    assert (recv == np.repeat(100 * np.arange(p) + team.rank, n)).all()


def check_uneven(team: Team, conduit: Conduit, modes: Modes) -> None:
    """Member i has i elements, the last one has none; blocks lie in the reverse order."""
    arrays = Arrays(conduit, modes["addresses"])
    p, root = team.size, team.size // 2
    counts = [*range(1, p), 0]
    first = [sum(counts[rank + 1 :]) for rank in range(p)]
    own, whole = arrays.make(p)[: counts[team.rank]], arrays.make(sum(counts) + 1)
    back = arrays.make(sum(counts) + 1)
    expected = np.full(sum(counts) + 1, -1)
    for rank in range(p):
        expected[first[rank] : first[rank] + counts[rank]] = 100 + rank
    whole[:] = expected
    conduit.barrier()
    is_known = team.rank == root or modes["addresses"] == Addresses.SYMMETRIC
    complete(
        team.scatterv_init((whole if is_known else None, counts, first), own, root, **modes),
        conduit,
    )
    assert (own == 100 + team.rank).all()
    to_root = (back if is_known else None, counts, first)
    complete(team.gatherv_init(own, to_root, root, **modes), conduit)
    assert (back == (expected if team.rank == root else -1)).all()
    conduit.barrier()
    back[:] = -1
    conduit.barrier()
    complete(team.allgatherv_init(own, (back, counts, first), **modes), conduit)
    assert (back == expected).all()
    # Member i gives each member j i elements, and so gets j of j.
    given, got = arrays.make(p * p)[: p * team.rank], arrays.make(sum(range(p)))
    given[:] = team.rank
    conduit.barrier()
    request = team.alltoallv_init((given, [team.rank] * p), (got, list(range(p))), **modes)
    complete(request, conduit)
    assert (got == np.repeat(np.arange(p), np.arange(p))).all()


def check_modes(team: Team, conduit: Conduit) -> None:
    for modes in MODES:
        for n in (1, 33):
            for check in (check_bcast, check_scatter_and_gather, check_reductions, check_alltoall):
                conduit.barrier()
                check(team, conduit, modes, n)
        conduit.barrier()
        check_uneven(team, conduit, modes)
        complete(team.barrier_init(**modes), conduit)


def check_convenience(team: Team, conduit: Conduit) -> None:
    """The functions that plan and start, completed in any order, dropped, and by the fence."""
    p, rank = team.size, team.rank
    local: Modes = {"addresses": Addresses.LOCAL}
    number, mine = np.array([rank]), np.full(2 * p, rank)
    total, largest, parts = np.zeros(1, int), np.zeros(1, int), np.zeros(p, int)
    gathered, got, everything = np.zeros(p, int), np.zeros(1, int), np.zeros(2 * p, int)
    word = np.array([42 if rank == 0 else 0], dtype=np.uint8)
    ones, one, one_each = [1] * p, np.zeros(1, int), np.zeros(p, int)
    one_for_all, exchanged = np.zeros(p, int), np.zeros(p, int)
    requests = [
        team.bcast(word, **local),
        team.scatter(np.arange(p), got, **local),
        team.gather(number, gathered, p - 1, **local),
        team.reduce(number, largest, MPI.MAX, **local),
        team.allreduce(number, total, **local),
        team.allgather(number, parts, **local),
        team.alltoall(mine, everything, **local),
        team.scatterv((np.arange(p), ones), one, **local),
        team.gatherv(number, (one_each, ones), **local),
        team.allgatherv(number, (one_for_all, ones), **local),
        team.alltoallv((mine[:p], ones), (exchanged, ones), **local),
        team.barrier(**local),
    ]
    for request in reversed(requests):
        request.wait()
        assert not request.is_underway
        assert request.test()
        request.wait()
    assert word[0] == 42
    assert got[0] == one[0] == rank
    assert (one_each == (np.arange(p) if rank == 0 else 0)).all()
    assert (one_for_all == np.arange(p)).all()
    assert (exchanged == np.arange(p)).all()
    assert (gathered == (np.arange(p) if rank == p - 1 else 0)).all()
    assert largest[0] == (p - 1 if rank == 0 else 0)
    assert total[0] == p * (p - 1) // 2
    assert (parts == np.arange(p)).all()
    assert (everything == np.repeat(np.arange(p), 2)).all()

    totals = [np.zeros(3, int) for _ in range(20)]
    for index, array in enumerate(totals):
        team.allreduce(np.full(3, rank + index), array, **local)
    team.fence()
    for index, array in enumerate(totals):
        assert (array == p * (p - 1) // 2 + p * index).all()

    team.bcast(word, **local)
    conduit.barrier()


def check_choices(team: Team, conduit: Conduit) -> None:
    """What is named is planned, and what was planned is named."""
    array = conduit.array(9, np.int32)
    for mechanism in ("signaling_put", "eager", "rendezvous", "counting_put"):
        array[:] = team.rank
        conduit.barrier()
        request = team.bcast_init(array, algorithm="bcast/binomial", mechanism=mechanism)
        assert request.algorithm == "bcast/binomial"
        assert request.mechanism == mechanism
        complete(request, conduit)
        assert not array.any()
        conduit.barrier()


def check_types(team: Team, conduit: Conduit) -> None:
    """Types and operators of mpi4py."""
    local: Modes = {"addresses": Addresses.LOCAL}
    p = team.size
    for dtype in (np.int8, np.uint16, np.int32, np.uint64, np.float32, np.float64, np.complex128):
        send, recv = np.full(5, 2, dtype), np.zeros(5, dtype)
        team.allreduce(send, recv, MPI.PROD, **local).wait()
        assert (recv == np.array(2**p).astype(dtype)).all()
    send, recv = np.array([team.rank == 0, True]), np.zeros(2, bool)
    team.allreduce(send, recv, MPI.LAND, **local).wait()
    assert recv.tolist() == [p == 1, True]
    conduit.barrier()


def check_reproducible_bits(team: Team, conduit: Conduit) -> None:
    """Sums are those of a loop over the members, whose order decides what is lost."""
    p, n = team.size, 257
    every = np.random.default_rng(7).normal(size=(p, n)) * 10.0 ** np.arange(p)[:, None] ** 2
    expected = every[0].copy()
    for numbers in every[1:]:
        expected += numbers
    modes: Modes = {"addresses": Addresses.LOCAL, "reproducible": True}
    total, at_root = np.zeros(n), np.zeros(n)
    team.allreduce(every[team.rank], total, **modes).wait()
    assert (total == expected).all()
    root = p - 1
    request = team.reduce_init(every[team.rank], at_root, MPI.SUM, root, **modes)
    assert request.algorithm in ("reduce/flat", "reduce/chain")
    complete(request, conduit)
    assert (at_root == (expected if team.rank == root else 0)).all()


def check_own_operators(team: Team, conduit: Conduit) -> None:
    """An operator of the program lives as long as the request."""

    def add(left: MPI.buffer, right: MPI.buffer, _: MPI.Datatype) -> None:
        np.frombuffer(right)[:] += np.frombuffer(left)

    recv = np.zeros(4)
    op = MPI.Op.Create(add, commute=True)
    request = team.allreduce(np.ones(4), recv, op, addresses=Addresses.LOCAL)
    del op
    request.wait()
    assert (recv == team.size).all()
    conduit.barrier()


def check_split(conduit: Conduit) -> None:
    """Teams of some of the processes, in an order of their own."""
    part = world.Split(world.rank % 2, -world.rank)
    with Team(conduit, part) as team:
        assert team.rank == part.rank
        assert team.size == part.size
        ranks = [team.conduit_rank(rank) for rank in range(team.size)]
        assert ranks == part.allgather(world.rank)
        found = [team.rank_of(rank) for rank in range(conduit.size)]
        assert found == [ranks.index(rank) if rank in ranks else None for rank in range(world.size)]
        array = conduit.array(4, np.int32)
        array[:] = world.rank
        team.bcast(array).wait()
        assert (array == ranks[0]).all()
    part.Free()


def check_tuning(team: Team, conduit: Conduit) -> None:
    array = conduit.array(4, np.int64)
    modes: Modes = {
        "sync_in": Sync.NOSYNC,
        "sync_out": Sync.NOSYNC,
        "algorithm": "bcast/binomial",
    }
    request = team.bcast_init(array, 0, **modes)
    assert request.origin == "rule"
    calls = []
    request.tune(0.01, meanwhile=lambda: calls.append(1))
    assert calls
    assert len(set(world.allgather(len(calls)))) == 1
    assert len(set(world.allgather((request.algorithm, request.mechanism, request.origin)))) == 1
    array[:] = team.rank + 7
    conduit.barrier()
    complete(request, conduit)
    assert (array == 7).all()
    check_tuning_that_fails(request)
    request.tune(100)
    assert request.origin == "tuned"
    request.tune(100, anew=True, every=True)
    assert request.origin == "tuned"
    assert team.bcast_init(array[:2], 0, **modes).origin == "nearest"


def check_learning(team: Team, conduit: Conduit) -> None:
    array = conduit.array(4, np.int64)
    request = team.bcast_init(array, 0, learn=True)
    before = (request.algorithm, request.mechanism)
    for run in range(400):
        array[:] = team.rank + run
        complete(request, conduit)
        assert (array == run).all()
    assert len(set(world.allgather((request.algorithm, request.mechanism, request.origin)))) == 1
    assert request.origin == "tuned" or (request.algorithm, request.mechanism) == before
    request.free()


def check_tuning_that_fails(request: Request) -> None:
    calls = []

    def fail() -> None:
        calls.append(1)
        raise KeyError("enough")

    try:
        request.tune(0.01, meanwhile=fail)
    except KeyError:
        pass
    else:
        raise AssertionError("expected what the function raised")
    assert len(calls) == 1
    try:
        request.tune(-1)
    except ArgumentError:
        pass
    else:
        raise AssertionError("expected seconds below 0 to be refused")


def main() -> None:
    with Conduit(world, SEGMENT, transport=sys.argv[1]) as conduit:
        team = Team(conduit, world)
        check_modes(team, conduit)
        check_convenience(team, conduit)
        check_choices(team, conduit)
        check_types(team, conduit)
        check_own_operators(team, conduit)
        check_reproducible_bits(team, conduit)
        check_tuning(team, conduit)
        check_learning(team, conduit)
        check_split(conduit)
    assert conduit.is_released
    if world.rank == 0:
        sys.stdout.write("ok\n")


if __name__ == "__main__":
    main()
