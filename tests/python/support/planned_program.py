# SPDX-License-Identifier: Apache-2.0
"""All collectives of espalier.planned, under way at the same time, against those of mpi4py."""

from __future__ import annotations

import gc
import sys
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from freed_calls import FreedCalls
from mpi4py import MPI

from espalier import planned
from espalier.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

N = 5
comm = MPI.COMM_WORLD.Dup()
rank, size = comm.rank, comm.size
ROOT = size // 2
is_root = rank == ROOT

counts = [N * (i % 3) for i in range(size)]
sent = [N * ((rank + 2 * i) % 3) for i in range(size)]
got = [N * ((i + 2 * rank) % 3) for i in range(size)]


def places(blocks: list[int], scale: int = 1) -> list[int]:
    """Return where blocks begin."""
    return [scale * sum(blocks[:i]) for i in range(len(blocks))]


@dataclass(frozen=True)
class Case:
    """A collective, planned and by mpi4py; each has memory of its own."""

    name: str
    algorithm: str
    num_elements: int  # that come
    plan: Callable[..., planned.Request]
    run: Callable[[np.ndarray], object]
    is_in_place: bool = False
    num_right: int | None = None  # what else is there, nobody promises anything about


give = np.empty(3 * N * size, dtype=np.int64)
whole = give[: N * size].reshape(size, N)
own = give[:N]
mine = give[: counts[rank]]
types = [np.int64] * size
mpi_types = [MPI.INT64_T] * size


def typed(array: np.ndarray, blocks: list[int], kinds: list[object]) -> tuple[object, ...]:
    """Return what an alltoallw takes."""
    return array, blocks, places(blocks, 8), kinds


def at_root(given: object) -> object:
    """Return what only the root has."""
    return given if is_root else None


def cases() -> list[Case]:
    """Return all of them."""
    w = [give, (sent, places(sent, 8)), mpi_types]
    return [
        Case("allgather", "bruck", N * size,
             lambda to, **k: planned.allgather_init(comm, own, to, **k),
             lambda to: comm.Allgather(own, to)),
        Case("allgatherv", "allgather/ring", sum(counts),
             lambda to, **k: planned.allgatherv_init(comm, mine, (to, counts), **k),
             lambda to: comm.Allgatherv(mine, [to, counts])),
        Case("allreduce", "reduce_bcast", N,
             lambda to, **k: planned.allreduce_init(comm, own, to, MPI.MAX, **k),
             lambda to: comm.Allreduce(own, to, MPI.MAX)),
        Case("alltoall", "bruck", N * size,
             lambda to, **k: planned.alltoall_init(comm, whole, to, **k),
             lambda to: comm.Alltoall(whole, to)),
        Case("alltoallv", "linear", sum(got),
             lambda to, **k: planned.alltoallv_init(
                 comm, (give, sent), (to, got, places(got)), **k),
             lambda to: comm.Alltoallv([give, sent], [to, got])),
        Case("alltoallw", "pairwise", sum(got),
             lambda to, **k: planned.alltoallw_init(
                 comm, typed(give, sent, types), typed(to, got, mpi_types), **k),
             lambda to: comm.Alltoallw(w, [to, (got, places(got, 8)), mpi_types])),
        Case("barrier", "dissemination", 0,
             lambda _, **k: planned.barrier_init(comm, **k),
             lambda _: comm.Barrier()),
        Case("bcast", "binomial", N,
             lambda to, **k: planned.bcast_init(comm, to, ROOT, **k),
             lambda to: comm.Bcast(to, ROOT)),
        Case("exscan", "linear", N,
             lambda to, **k: planned.exscan_init(comm, own, to, **k),
             lambda to: comm.Exscan(own, to)),
        Case("gather", "binomial", N * size,
             lambda to, **k: planned.gather_init(comm, own, at_root(to), ROOT, **k),
             lambda to: comm.Gather(own, at_root(to), ROOT)),
        Case("gatherv", "flat", sum(counts),
             lambda to, **k: planned.gatherv_init(comm, mine, at_root((to, counts)), ROOT, **k),
             lambda to: comm.Gatherv(mine, at_root([to, counts]), ROOT)),
        Case("reduce", "binomial", N,
             lambda to, **k: planned.reduce_init(comm, own, at_root(to), MPI.SUM, ROOT, **k),
             lambda to: comm.Reduce(own, at_root(to), MPI.SUM, ROOT)),
        Case("reduce_scatter", "pairwise", counts[rank],
             lambda to, **k: planned.reduce_scatter_init(
                 comm, give[: sum(counts)], to, counts, **k),
             lambda to: comm.Reduce_scatter(give[: sum(counts)], to, counts)),
        Case("reduce_scatter_block", "ring", N,
             lambda to, **k: planned.reduce_scatter_block_init(comm, whole, to, **k),
             lambda to: comm.Reduce_scatter_block(whole, to)),
        Case("scan", "recursive_doubling", N,
             lambda to, **k: planned.scan_init(comm, own, to, **k),
             lambda to: comm.Scan(own, to)),
        Case("scatter", "binomial", N,
             lambda to, **k: planned.scatter_init(comm, at_root(whole), to, ROOT, **k),
             lambda to: comm.Scatter(at_root(whole), to, ROOT)),
        Case("scatterv", "flat", counts[rank],
             lambda to, **k: planned.scatterv_init(
                 comm, at_root((give, counts, places(counts))), to, ROOT, **k),
             lambda to: comm.Scatterv(at_root([give, counts]), to, ROOT)),
        *in_place_cases(),
    ]  # fmt: skip


def in_place_cases() -> list[Case]:
    """Return those that read where they write."""
    here = MPI.IN_PLACE
    return [
        Case("allgather", "ring", N * size,
             lambda to, **k: planned.allgather_init(comm, here, to, **k),
             lambda to: comm.Allgather(here, to), is_in_place=True),
        Case("allgatherv", "ring", sum(counts),
             lambda to, **k: planned.allgatherv_init(comm, here, (to, counts), **k),
             lambda to: comm.Allgatherv(here, [to, counts]), is_in_place=True),
        Case("allreduce", "in_order", N,
             lambda to, **k: planned.allreduce_init(comm, here, to, **k),
             lambda to: comm.Allreduce(here, to), is_in_place=True),
        Case("alltoall", "linear", N * size,
             lambda to, **k: planned.alltoall_init(comm, here, to, **k),
             lambda to: comm.Alltoall(here, to), is_in_place=True),
        Case("exscan", "linear", N,
             lambda to, **k: planned.exscan_init(comm, here, to, **k),
             lambda to: comm.Exscan(here, to), is_in_place=True),
        Case("gather", "flat", N * size,
             lambda to, **k: planned.gather_init(
                 comm, here if is_root else to[:N], at_root(to), ROOT, **k),
             lambda to: comm.Gather(here if is_root else to[:N], at_root(to), ROOT),
             is_in_place=True),
        Case("gatherv", "flat", sum(counts),
             lambda to, **k: planned.gatherv_init(
                 comm, here if is_root else mine, at_root((to, counts)), ROOT, **k),
             lambda to: comm.Gatherv(here if is_root else mine, at_root([to, counts]), ROOT),
             is_in_place=True),
        Case("reduce", "binomial", N,
             lambda to, **k: planned.reduce_init(
                 comm, here if is_root else to, at_root(to), MPI.SUM, ROOT, **k),
             lambda to: comm.Reduce(here if is_root else to, at_root(to), MPI.SUM, ROOT),
             is_in_place=True),
        Case("reduce_scatter_block", "ring", N * size,
             lambda to, **k: planned.reduce_scatter_block_init(comm, here, to, **k),
             lambda to: comm.Reduce_scatter_block(to.reshape(size, N).copy(), to[:N]),
             is_in_place=True, num_right=N),
        Case("reduce_scatter", "pairwise", sum(counts),
             lambda to, **k: planned.reduce_scatter_init(comm, here, to, counts, **k),
             lambda to: comm.Reduce_scatter(to.copy(), to[: counts[rank]], counts),
             is_in_place=True, num_right=counts[rank]),
        Case("scan", "linear", N,
             lambda to, **k: planned.scan_init(comm, here, to, **k),
             lambda to: comm.Scan(here, to), is_in_place=True),
        Case("scatter", "flat", N * size,
             lambda to, **k: planned.scatter_init(
                 comm, at_root(to), here if is_root else to[:N], ROOT, **k),
             lambda to: comm.Scatter(at_root(to), here if is_root else to[:N], ROOT),
             is_in_place=True),
    ]  # fmt: skip


def fill(array: np.ndarray, round_number: int) -> None:
    """Give an array other numbers on each rank and in each round."""
    array[:] = (np.arange(array.size) + 31 * rank + 7 * round_number) % 97


def complete(request: planned.Request, *, by_asking: bool) -> None:
    """Bring a request to its end."""
    while by_asking and not request.test():
        pass
    request.wait()
    assert not request.is_underway


def check_results(algorithm_of: Callable[[Case], str]) -> None:
    """Twice with other numbers, all under way, completed in another order on each rank."""
    jobs = cases()
    results = [np.empty(job.num_elements, dtype=np.int64) for job in jobs]
    requests = [
        job.plan(result, algorithm=algorithm_of(job))
        for job, result in zip(jobs, results, strict=True)
    ]
    order = sorted(range(len(jobs)), key=lambda i: (7 * i + rank) % len(jobs))
    for round_number in range(2):
        fill(give, round_number)
        for result in results:
            fill(result, round_number + 3)
        expected = [result.copy() for result in results]
        for i in order:
            requests[i].start()
        for i in reversed(order):
            complete(requests[i], by_asking=i % 2 == 0)
        for job, found, wanted in zip(jobs, results, expected, strict=True):
            job.run(wanted)
            right = slice(job.num_right)
            assert (found[right] == wanted[right]).all(), (job.name, job.algorithm, found, wanted)
    for job, request in zip(jobs, requests, strict=True):
        assert algorithm_of(job) in request.algorithm, (job.name, request.algorithm)
        assert request.explain().startswith(f"{job.name}: {request.algorithm}, ")
        request.free()
        request.free()
        assert request.explain() == ""


def refusal(call: Callable[[], object]) -> str:
    """Return what an error says; all ranks get one."""
    try:
        call()
    except ArgumentError as error:
        return str(error)
    raise AssertionError("expected an ArgumentError")


def refused_here(call: Callable[[], object], text: str, *, here: bool) -> None:
    """Expect a reason on this rank, and on the others that another one has it."""
    found = refusal(call)
    assert (text if here else "the arguments of another rank are wrong") in found, found


def check_refusals() -> None:
    """What one rank does wrong is refused on all, and the next call works."""
    is_last = rank == size - 1
    four, square = np.zeros(4), np.zeros((4, 4))
    row = square[:, 1] if is_last else four
    refused_here(lambda: planned.bcast_init(comm, row), "contiguous array as array", here=is_last)
    other = np.zeros(4, dtype=np.float32) if is_last else np.zeros(4)
    refused_here(
        lambda: planned.allreduce_init(comm, other, four), "of float64 as send", here=is_last
    )
    root = size if is_last else 0
    refused_here(
        lambda: planned.reduce_init(comm, four, np.zeros(4), root=root),
        "expected root",
        here=is_last,
    )
    blocks = (np.zeros(1), [2] * size) if is_last else (np.zeros(2 * size), [2] * size)
    refused_here(
        lambda: planned.allgatherv_init(comm, np.zeros(2), blocks), "inside of the 1", here=is_last
    )
    if is_last:
        four.flags.writeable = False
    refused_here(lambda: planned.scan_init(comm, np.zeros(4), four), "read-only", here=is_last)
    assert "(array, counts)" in refusal(lambda: planned.allgatherv_init(comm, four, four))
    assert "native, " in refusal(lambda: planned.barrier_init(comm, algorithm="telepathy"))
    assert "overlap" in refusal(lambda: planned.allreduce_init(comm, square, square))
    assert "intracommunicator" in refusal(lambda: planned.barrier_init(MPI.COMM_NULL))
    request = planned.barrier_init(comm)
    request.start()
    assert "not under way" in refusal(request.start)
    assert "under way" in refusal(request.free)
    request.wait()
    request.free()
    assert "freed" in refusal(request.start)


def check_refusals_of_other_kinds() -> None:
    """What raises anything else in Python, or in mpi4py, is refused on all as well."""
    is_last = rank == size - 1
    last, own = size - 1, np.zeros(1)
    whole = np.zeros(size)
    wrong = {
        "counts of recv": (whole, 5),
        "counts of recv in": (whole, [-1] * size),
        "displacements of recv": (whole, [1] * size, 5),
    }
    for text, recv in wrong.items():
        given = recv if is_last else None
        refused_here(lambda to=given: planned.gatherv_init(comm, own, to, last), text, here=is_last)
    numbers = np.zeros(size, dtype=np.int64)
    ones = [1] * size
    for text, kinds in {
        "types of recv": 5,
        "TypeError": ["carrier"] * size,
        "Exception": [MPI.DATATYPE_NULL] * size,
    }.items():
        refused_typed(numbers, ones, kinds if is_last else mpi_types, text)
    refused_here(
        lambda: planned.allreduce_init(comm, own, np.zeros(1), 5 if is_last else None),
        "AttributeError",
        here=is_last,
    )
    refused_here(
        lambda: planned.barrier_init(comm, algorithm=5 if is_last else ""),
        "AttributeError",
        here=is_last,
    )


def refused_typed(array: np.ndarray, blocks: list[int], kinds: object, text: str) -> None:
    """Expect that types, or where their elements lie, are refused because of the last rank."""
    recv = (array.copy(), blocks, places(blocks, 8), kinds)
    refused_here(
        lambda: planned.alltoallw_init(comm, typed(array, blocks, mpi_types), recv),
        text,
        here=rank == size - 1,
    )


def check_places_of_types() -> None:
    """Elements before the array are refused, those of a type with a negative extent are not."""
    before = MPI.INT64_T.Create_hindexed([1], [-8]).Commit()
    backward = MPI.INT64_T.Create_resized(0, -8).Commit()
    array, two = np.zeros(2 * size, dtype=np.int64), [2] * size
    for kind in (before, backward):
        kinds = [kind] * size if rank == size - 1 else mpi_types
        refused_typed(array, two, kinds, "got one from byte -8 ")
    behind = MPI.INT64_T.Create_hindexed([1], [8]).Commit()
    kinds = [behind] * size if rank == size - 1 else mpi_types
    refused_typed(array, two, kinds, f"got one from byte {16 * size - 8} to byte {16 * size + 8}")
    nothing = planned.alltoallw_init(
        comm,
        (array, [0] * size, [0] * size, [before] * size),
        (array.copy(), [0] * size, [array.nbytes + 8] * size, [backward] * size),
    )
    nothing.free()
    array[:] = np.arange(2 * size) + 100 * rank
    result = np.zeros_like(array)
    ends = [16 * i + 8 for i in range(size)]
    # MPI_Ialltoallw of Open MPI 4.1 does not receive where the extent is negative.
    request = planned.alltoallw_init(
        comm,
        typed(array, two, mpi_types),
        (result, two, ends, [backward] * size),
        algorithm="pairwise",
    )
    request.start()
    request.wait()
    expected = [100 * i + 2 * rank + j for i in range(size) for j in (1, 0)]
    assert result.tolist() == expected, (result, expected)
    for kind in (before, backward, behind):
        kind.Free()


def check_large_places() -> None:
    """Blocks may lie beyond 2^31 elements. What is not touched of the array takes no memory."""
    far = 2**31 + 5
    result = np.zeros(far + 2 * size, dtype=np.int8)
    own = np.full(2, rank + 1, dtype=np.int8)
    ends = [far + 2 * i for i in range(size)]
    for algorithm in ("ring", "bruck"):
        result[far:] = 0
        request = planned.allgatherv_init(
            comm, own, (result, [2] * size, ends), algorithm=algorithm
        )
        request.start()
        request.wait()
        expected = [i + 1 for i in range(size) for _ in range(2)]
        assert result[far:].tolist() == expected, (algorithm, result[far:])
        assert not result[far - 2 * size : far].any(), algorithm


def check_lifetime() -> None:
    """Requests keep arrays and operators; one that is under way is kept, too."""
    given, total = np.ones(3), np.empty(3)
    watched = weakref.ref(given)
    operator = MPI.Op.Create(lambda a, b, _: np.add(
        np.frombuffer(a), np.frombuffer(b), out=np.frombuffer(b)), commute=True)  # fmt: skip
    request = planned.allreduce_init(comm, given, total, operator, algorithm="in_order")
    del given, operator
    gc.collect()
    assert watched() is not None
    request.start()
    held = weakref.ref(request)
    del request
    gc.collect()
    assert held() is not None
    held().wait()
    assert (total == size).all()
    gc.collect()
    assert held() is None
    assert watched() is None


def check_collection_within_operators() -> None:
    """What an operator lets go, in the middle of a wait, is freed by the next call."""
    left = [planned.barrier_init(comm)]

    def add(a: MPI.buffer, b: MPI.buffer, _: MPI.Datatype) -> None:
        left.clear()
        gc.collect()
        np.frombuffer(b)[:] += np.frombuffer(a)

    total = np.zeros(1)
    operator = MPI.Op.Create(add, commute=True)
    request = planned.allreduce_init(comm, np.ones(1), total, operator, algorithm="in_order")
    freed = FreedCalls()
    with freed:
        request.start()
        request.wait()
        left.clear()
        assert not freed.names
        planned.barrier_init(comm).free()
        assert freed.names == ["request_free"] * 2
    assert total[0] == size


def check_communicators() -> None:
    """A communicator may be freed before its requests, and be a part."""
    half = MPI.COMM_WORLD.Split(rank % 2, -rank)
    array = np.array([rank])
    expected = half.bcast(rank)
    request = planned.bcast_init(half, array, algorithm="binomial")
    half.Free()
    request.start()
    request.wait()
    assert array[0] == expected


check_results(lambda _: "")
check_results(lambda _: "native")
check_results(lambda case: case.algorithm)
check_refusals()
check_refusals_of_other_kinds()
check_places_of_types()
check_large_places()
check_lifetime()
check_collection_within_operators()
check_communicators()
comm.Free()
if MPI.COMM_WORLD.rank == 0:
    sys.stdout.write("ok\n")
