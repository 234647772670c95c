# SPDX-License-Identifier: Apache-2.0
"""All collectives of espalier.neighbors: against what stencils give, and against mpi4py."""

from __future__ import annotations

import functools
import gc
import itertools
import sys
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from mpi4py import MPI

from espalier import neighbors
from espalier.errors import ArgumentError, Error, MpiError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Ends = list[int | None]
    Kinds = Callable[[int | None, Ends], list[Any]]

N = 3
UNTOUCHED = -1
NAMES = ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")
ALGORITHMS = ("", "direct", "combining", "node_aware")
world = MPI.COMM_WORLD.Dup()
rank, size = world.rank, world.size


def block_size(sender: int | None, receiver: int | None) -> int:
    """Return the elements of a block whose size depends on both ends."""
    return 2 if sender is None or receiver is None else (sender + 2 * receiver) % 4


def starts(counts: list[int], scale: int = 1) -> list[int]:
    """Return where blocks begin."""
    return [scale * sum(counts[:i]) for i in range(len(counts))]


@dataclass(frozen=True)
class Topology:
    """Who sends to this rank, and to whom it sends; None is beyond a border."""

    sources: Ends
    destinations: Ends
    own_size: Callable[[int | None], int] = lambda sender: N if sender is None else sender % 4

    def counts(self, name: str) -> tuple[list[int], list[int]]:
        """Return the elements of each block that is sent, and that is received."""
        if name in ("allgather", "alltoall"):
            return [N] * len(self.destinations), [N] * len(self.sources)
        if name == "allgatherv":
            own = self.own_size(rank)
            return [own] * len(self.destinations), [self.own_size(one) for one in self.sources]
        return (
            [block_size(rank, one) for one in self.destinations],
            [block_size(one, rank) for one in self.sources],
        )

    def sent(self, name: str) -> np.ndarray:
        """Return what this rank sends: its number, that of the block, that of the element."""
        counts = self.counts(name)[0]
        if name.startswith("allgather"):
            return value(rank, 0, self.own_size(rank) if name == "allgatherv" else N)
        return joined([value(rank, k, count) for k, count in enumerate(counts)])

    def arguments(self, name: str, to: np.ndarray, kinds: Kinds) -> tuple[Any, Any]:
        """Return the arguments of a call."""
        out, into = self.counts(name)
        give = self.sent(name)
        if name in ("allgather", "alltoall"):
            return give, to
        if name == "allgatherv":
            return give, (to, into)
        if name == "alltoallv":
            return (give, out), (to, into, starts(into))
        return (
            (give, out, starts(out, 8), kinds(rank, self.destinations)),
            (to, into, starts(into, 8), kinds(None, self.sources)),
        )

    def untouched(self, name: str) -> np.ndarray:
        """Return an array for what comes."""
        return np.full(sum(self.counts(name)[1]), UNTOUCHED, dtype=np.int64)


def one_kind(_: int | None, ends: Ends) -> list[Any]:
    """Return the same type for all blocks, as NumPy and as mpi4py have it."""
    return [np.int64 if k % 2 else MPI.INT64_T for k in range(len(ends))]


def two_kinds(sender: int | None, ends: Ends) -> list[Any]:
    """Return a type for each block that depends on both of its ends."""
    pairs = [(rank, end) if sender is None else (sender, end) for end in ends]
    return [MPI.INT64_T if None in pair or sum(pair) % 2 else MPI.INT32_T for pair in pairs]


def value(sender: int, block: int, count: int) -> np.ndarray:
    """Return the elements of a block, which say where they come from."""
    return 1000 * sender + 10 * block + np.arange(count, dtype=np.int64)


def joined(blocks: list[np.ndarray]) -> np.ndarray:
    """Return blocks one after the other; np.concatenate() refuses none."""
    return np.concatenate([np.empty(0, dtype=np.int64), *blocks])


def grid(extents: tuple[int, ...], *, periodic: bool) -> MPI.Cartcomm:
    """Return a grid of all ranks."""
    dims = MPI.Compute_dims(size, list(extents))
    return world.Create_cart(dims, [periodic] * len(dims))


def rank_at(cart: MPI.Cartcomm, offset: tuple[int, ...], sign: int) -> int | None:
    """Return the rank that far away, None beyond an open border."""
    place = [at + sign * step for at, step in zip(cart.coords, offset, strict=True)]
    for at, extent, is_ring in zip(place, cart.dims, cart.periods, strict=True):
        if not is_ring and not 0 <= at < extent:
            return None
    return cart.Get_cart_rank([at % extent for at, extent in zip(place, cart.dims, strict=True)])


def stencil_of(cart: MPI.Cartcomm, offsets: list[tuple[int, ...]]) -> Topology:
    """Return the ends of a stencil around this rank."""
    return Topology(
        [rank_at(cart, offset, -1) for offset in offsets],
        [rank_at(cart, offset, 1) for offset in offsets],
    )


def expected(topology: Topology, name: str) -> np.ndarray:
    """Return what a call on a stencil gives: block k comes from block k of its source."""
    result = []
    for k, (source, count) in enumerate(
        zip(topology.sources, topology.counts(name)[1], strict=True)
    ):
        block = 0 if name.startswith("allgather") else k
        result.append(np.full(count, UNTOUCHED) if source is None else value(source, block, count))
    return joined(result)


def results(
    one: neighbors.Neighborhood, topology: Topology, name: str, kinds: Kinds
) -> Iterator[np.ndarray]:
    """Yield what a blocking call gives, and then three runs of a request."""
    to = topology.untouched(name)
    getattr(one, name)(*topology.arguments(name, to, kinds))
    yield to
    to = topology.untouched(name)
    request = getattr(one, f"{name}_init")(*topology.arguments(name, to, kinds))
    assert request.algorithm.startswith(f"neighbor_{name.rstrip('vw')}/"), request.algorithm
    assert request.explain().startswith(f"{request.algorithm}\nthis rank sends ")
    for turn in range(3):
        to[:] = UNTOUCHED
        request.start()
        while turn == 1 and not request.test():
            pass
        request.wait()
        yield to
    request.free()


def full_stencil(num_dimensions: int) -> list[tuple[int, ...]]:
    """Return all neighbours, corners too."""
    steps = itertools.product((-1, 0, 1), repeat=num_dimensions)
    return [step for step in steps if any(step)]


def check_stencils() -> None:
    """Corners, long offsets, repeated ones and the process itself, on open and on closed grids."""
    stencils = {
        (0, 0): full_stencil(2),
        (0, 0, 0): full_stencil(3),
        (0,): [(2,), (-1,), (0,), (2,)],
        (0, 1): [(1, 1), (-2, 0)],
    }
    for (extents, offsets), periodic in itertools.product(stencils.items(), (False, True)):
        cart = grid(extents, periodic=periodic)
        topology = stencil_of(cart, offsets)
        for algorithm in ALGORITHMS:
            given = np.array(offsets) if algorithm == "direct" else offsets
            with neighbors.neighborhood(cart, given, algorithm=algorithm) as one:
                assert (one.indegree, one.outdegree) == (len(offsets), len(offsets))
                for name in NAMES:
                    wanted = expected(topology, name)
                    for found in results(one, topology, name, one_kind):
                        assert (found == wanted).all(), (name, algorithm, offsets, found, wanted)
        cart.Free()


def native(comm: MPI.Intracomm, topology: Topology, name: str) -> np.ndarray:
    """Return what the MPI library gives."""
    to = topology.untouched(name)
    send, recv = topology.arguments(name, to, two_kinds)
    if name == "alltoallw":
        send, recv = ([one[0], (one[1], one[2]), one[3]] for one in (send, recv))
    elif name == "alltoallv":
        send, recv = [send[0], send[1]], [recv[0], recv[1]]
    elif name == "allgatherv":
        recv = [recv[0], recv[1]]
    getattr(comm, f"Neighbor_{name}")(send, recv)
    return to


def check_against_mpi(comm: MPI.Intracomm, topology: Topology, algorithms: tuple[str, ...]) -> None:
    """The topology of a communicator gives what the MPI library gives."""
    for algorithm in algorithms:
        one = neighbors.neighborhood_of(comm, algorithm=algorithm)
        assert (one.indegree, one.outdegree) == (
            len(topology.sources),
            len(topology.destinations),
        )
        for name in NAMES:
            wanted = native(comm, topology, name)
            for found in results(one, topology, name, two_kinds):
                assert (found == wanted).all(), (name, algorithm, found, wanted)
        one.free()
        one.free()


def check_topologies() -> None:
    """Open grids, rings of three and more, where MPI libraries agree, and graphs."""
    for periodic in (False, True) if size > 2 else (False,):
        cart = world.Create_cart([size, 1], [periodic, False])
        ends = [rank_at(cart, offset, 1) for offset in ((-1, 0), (1, 0), (0, -1), (0, 1))]
        check_against_mpi(cart, Topology(ends, ends), ALGORITHMS)
        cart.Free()
    reached = sorted({(rank + step) % size for step in (1, 2)})
    reaching = sorted({(rank - step) % size for step in (1, 2)})
    graph = world.Create_dist_graph_adjacent(reaching, reached)
    # It is a ring of several ranks, in which the stencil is found.
    served = ALGORITHMS if size > 1 else ("", "direct", "node_aware")
    check_against_mpi(graph, Topology(reaching, reached), served)
    graph.Free()
    if size > 2:
        check_graph_without_stencil()
    check_lonely_ranks()


def check_graph_without_stencil() -> None:
    """All send to rank 0: nothing can be combined."""
    sources = list(range(1, size)) if rank == 0 else []
    destinations = [] if rank == 0 else [0]
    graph = world.Create_dist_graph_adjacent(sources, destinations)
    with neighbors.neighborhood_of(graph, algorithm="combining") as one:
        array = np.zeros((len(destinations), N))
        to = np.zeros((len(sources), N))
        assert "the same offsets" in refusal(lambda: one.alltoall(array, to), MpiError)
    graph.Free()


def check_lonely_ranks() -> None:
    """Rank 0 only sends, and the others only receive: Open MPI itself sends nothing then."""
    out = list(range(1, size)) if rank == 0 else []
    into = [0] if rank > 0 else []
    graph = world.Create_dist_graph_adjacent(into, out)
    with neighbors.neighborhood_of(graph) as one:
        topology = Topology(list(into), list(out), own_size=lambda _: N)
        for name in NAMES:
            block = 0 if name.startswith("allgather") else rank - 1
            wanted = joined([value(0, block, count) for count in topology.counts(name)[1]])
            for found in results(one, topology, name, one_kind):
                assert (found == wanted).all(), (name, found, wanted)
        if rank == 0:
            nothing = lambda: one.alltoall(np.zeros(N * len(out)), np.zeros(1))  # noqa: E731
        else:
            nothing = lambda: one.alltoall(np.zeros(0), np.zeros(N))  # noqa: E731
        refused_here(nothing, "expected 0 elements as recv", here=rank == 0)
    graph.Free()


def check_prediction() -> None:
    """What links say decides, unless an algorithm is named."""
    cart = world.Create_cart([size, 1], [True, True])
    array, to = np.zeros((8, 1)), np.zeros((8, 1))
    links = {"latency_us": 100.0, "bandwidth_gib_s": 1.0}
    with neighbors.neighborhood(cart, full_stencil(2), **links) as one:
        chosen = one.alltoall_init(array, to).algorithm
        assert size < 3 or chosen == "neighbor_alltoall/combining", chosen
    with neighbors.neighborhood(cart, full_stencil(2), algorithm="direct", **links) as one:
        assert one.alltoall_init(array, to).algorithm == "neighbor_alltoall/direct"
    cart.Free()


def refusal(call: Callable[[], object], kind: type[Error] = ArgumentError) -> str:
    """Return what an error says; all ranks get one."""
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"expected an {kind.__name__}")


def refused_here(call: Callable[[], object], text: str, *, here: bool) -> None:
    """Expect a reason on this rank, and on the others that another one has it."""
    found = refusal(call)
    assert (text if here else "the arguments of another rank are wrong") in found, found


def check_refusals_of_making() -> None:
    """What one rank does wrong when a neighborhood is made is refused on all."""
    is_last = rank == size - 1
    cart = world.Create_cart([size, 1], [True, True])
    make = neighbors.neighborhood
    for wrong, text in {
        ((1, 0), (1,)): "rows of 1 and of 2 entries",
        ((1,), (2,)): "an entry for each of 2 dimensions, got 1",
        ((), ()): "an entry for each of 2 dimensions, got 0",
        ((1.5, 0),): "TypeError",
        ((1 << 31, 0),): "that C has as int",
    }.items():
        refused_here(
            lambda rows=wrong: make(cart, rows if is_last else [(1, 0)]), text, here=is_last
        )
    refused_here(
        lambda: make(cart, [], algorithm=5 if is_last else ""), "AttributeError", here=is_last
    )
    refused_here(
        lambda: make(cart, [], latency_us=-1.0 if is_last else 0.0), "not negative", here=is_last
    )
    assert "direct" in refusal(lambda: make(cart, [], algorithm="telepathy"))
    if size > 1:
        different = "expected equal arguments on all ranks"
        assert different in refusal(lambda: make(cart, [(1, 0)] * (1 + is_last)))
        assert different in refusal(
            lambda: neighbors.neighborhood_of(cart, algorithm="direct" if is_last else "combining")
        )
    assert refusal(lambda: neighbors.neighborhood_of(world))
    assert refusal(lambda: make(world, [(1, 0)]))
    assert "intracommunicator" in refusal(lambda: neighbors.neighborhood_of(MPI.COMM_NULL))
    with make(cart, []) as none:
        none.alltoall(np.empty((0, 4)), np.empty((0, 4)))
    cart.Free()


def typed(array: np.ndarray, num_types: int) -> tuple[Any, ...]:
    """Return two blocks of two elements for an alltoallw."""
    return array, [2, 2], [0, 16], ["d"] * num_types


def check_refusals_of_calls() -> None:
    """What one rank does wrong is refused on all, blocking and planned, and the next call works."""
    is_last = rank == size - 1
    cart = world.Create_cart([size, 1], [True, True])
    one = neighbors.neighborhood(cart, [(1, 0), (-1, 0)])
    send, recv = np.arange(4.0), np.zeros(4)
    read_only = np.zeros(4)
    read_only.flags.writeable = False
    calls = {
        "contiguous array as send": ("alltoall", np.zeros((4, 4))[:, 1], recv),
        "multiple of 2 elements as send": ("alltoall", np.zeros(3), recv),
        "got 3 of float64": ("alltoall", send, np.zeros(6)),
        "of 2 elements of float32 as recv": ("alltoall", send.astype(np.float32), recv),
        "read-only": ("alltoall", send, read_only),
        "got MPI.IN_PLACE": ("allgather", MPI.IN_PLACE, recv),
        "NumPy array as recv": ("allgather", np.zeros(2), [0.0] * 4),
        "expected (array, counts)": ("allgatherv", np.zeros(2), recv),
        "2 numbers as counts of send": ("alltoallv", (send, [4]), (recv, [2, 2])),
        "inside of the 4 elements": ("alltoallv", (send, [2, 2]), (recv, [2, 3])),
        "2 types of recv": ("alltoallw", typed(send, 2), typed(recv, 1)),
    }
    right = {
        "alltoall": (send, recv),
        "allgather": (np.zeros(2), recv),
        "allgatherv": (np.zeros(2), (recv, [2, 2])),
        "alltoallv": ((send, [2, 2]), (recv, [2, 2])),
        "alltoallw": (typed(send, 2), typed(recv, 2)),
    }  # fmt: skip
    for text, (name, *wrong) in calls.items():
        given = wrong if is_last else right[name]
        for function in (name, f"{name}_init"):
            call = functools.partial(getattr(one, function), *given)
            refused_here(call, text, here=is_last)
    if size > 1:
        other = one.allgather if is_last else one.alltoall
        given = right["allgather"] if is_last else right["alltoall"]
        assert "expected equal arguments on all ranks" in refusal(lambda: other(*given))
    one.alltoall(send, recv)
    assert (recv == send).all()
    check_refusals_of_states(one, send, recv)
    cart.Free()


def check_refusals_of_states(
    one: neighbors.Neighborhood, send: np.ndarray, recv: np.ndarray
) -> None:
    """Requests that are under way are not started, freed ones neither; a neighborhood waits."""
    request = one.alltoall_init(send, recv)
    request.start()
    assert "not under way" in refusal(request.start)
    assert "under way" in refusal(request.free)
    request.wait()
    assert "a collective of a team" in refusal(request.tune)
    request.start()
    one.free()
    assert not request.is_underway
    assert "freed" in refusal(request.start)
    assert request.explain() == ""
    assert "freed" in refusal(lambda: one.alltoall(send, recv))
    assert "freed" in refusal(lambda: one.alltoall_init(send, recv))


def check_orders() -> None:
    """Some ranks wait for a request before the next call, and others after it."""
    cart = grid((size,), periodic=True)
    offsets = [(-2,), (-1,), (1,), (2,)]
    sent = np.arange(8.0).reshape(4, 2) + 100 * rank
    with neighbors.neighborhood(cart, offsets, algorithm="combining") as one:
        halo, now, later = (np.zeros_like(sent) for _ in range(3))
        request = one.alltoall_init(sent, halo)
        for _ in range(20):
            request.start()
            waits_first = rank % 2 == 0
            if waits_first:
                request.wait()
            one.alltoall(sent, now)
            other = one.alltoall_init(sent, later)
            if not waits_first:
                request.wait()
            other.start()
            other.wait()
            other.free()
            assert np.array_equal(halo, now)
            assert np.array_equal(halo, later)
        request.free()
    cart.Free()


def check_library_progress() -> None:
    """Some ranks wait in MPI itself for others that wait for the request first."""
    if not MPI.Get_library_version().startswith("Open MPI"):
        return
    cart = grid((size,), periodic=True)
    sent = np.full((6, 2), rank)
    received = np.zeros_like(sent)
    offsets = [(-3,), (-2,), (-1,), (1,), (2,), (3,)]
    with neighbors.neighborhood(cart, offsets, algorithm="combining") as one:
        request = one.alltoall_init(sent, received)
        for _ in range(5):
            request.start()
            if rank % 2 == 1:
                request.wait()
            world.Barrier()
            request.wait()
        request.free()
    assert (received[:, 0] == [(rank - offset) % size for (offset,) in offsets]).all()
    cart.Free()


def check_lifetime() -> None:
    """Requests keep arrays and neighborhood; one that is under way is kept, too."""
    cart = world.Create_cart([size], [True])
    one = neighbors.neighborhood(cart, [(1,)])
    send, recv = np.full(2, rank), np.zeros(2, dtype=int)
    watched, held_by = weakref.ref(send), weakref.ref(one)
    request = one.alltoall_init(send, recv)
    del send, one
    gc.collect()
    assert watched() is not None
    request.start()
    held = weakref.ref(request)
    del request
    gc.collect()
    one = held_by()
    assert one is not None
    held().wait()
    assert (recv == (rank - 1) % size).all()
    gc.collect()
    assert held() is None
    assert watched() is None
    one.free()
    cart.Free()


check_stencils()
check_topologies()
check_prediction()
check_refusals_of_making()
check_refusals_of_calls()
check_orders()
check_library_progress()
check_lifetime()
world.Free()
if MPI.COMM_WORLD.rank == 0:
    sys.stdout.write("ok\n")
