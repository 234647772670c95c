# SPDX-License-Identifier: Apache-2.0
"""Run by test_onesided.py on several ranks: shared arrays and collectives of their blocks.

Usage: onesided_arrays_program.py node|rma
"""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING

import numpy as np
from mpi4py import MPI

from espalier.errors import ArgumentError, OutOfMemoryError
from espalier.onesided import Addresses, Conduit, Region, SharedArray, Sync, Team

if TYPE_CHECKING:
    from collections.abc import Callable

    from espalier.onesided import Modes, Request

world = MPI.COMM_WORLD
SEGMENT = 1 << 16
HALF = SEGMENT // 2
MODES: list[Modes] = [
    {"sync_in": sync_in, "sync_out": sync_out, "addresses": addresses}
    for sync_in, sync_out, addresses in itertools.product(Sync, Sync, Addresses)
]


def number(array: SharedArray, first: int = 0) -> np.ndarray:
    """Number the elements of an array, and return all of it."""
    whole = first + np.arange(np.prod(array.shape), dtype=array.dtype).reshape(array.shape)
    for index, block in array.owned():
        begin = [i * size for i, size in zip(index, array.block, strict=True)]
        place = tuple(slice(b, b + n) for b, n in zip(begin, block.shape, strict=True))
        block[...] = whole[place]
    array.team.conduit.barrier()
    return whole


def gathered(array: SharedArray, conduit: Conduit) -> np.ndarray:
    """Return all elements, each fetched from where it is."""
    whole = np.zeros(array.shape, array.dtype)
    element = np.zeros(1, array.dtype)
    for index in np.ndindex(*array.shape):
        conduit.get(element, *array.place(*index))
        whole[index] = element[0]
    conduit.barrier()
    return whole


def complete(request: Request, conduit: Conduit) -> None:
    request.start()
    request.wait()
    conduit.barrier()


def check_distribution(team: Team, conduit: Conduit) -> None:
    p = team.size
    for block in (1, 3, 0, 5 * p):
        array = SharedArray(team, 5 * p, np.int32, block=block)
        assert array.grid == (p,)
        assert (gathered_of(array, conduit) == np.arange(5 * p)).all()
        mine = [index for index, _ in array.owned()]
        assert all(array.blocks[index].has_affinity for index in mine)
        every = world.allgather(len(mine))
        assert sum(every) == array.num_blocks[0]
        array.free()
    plane = SharedArray(team, (7, 5), block=(2, 3), grid=(1, p))
    assert plane.num_blocks == (4, 2)
    assert plane.local.shape == (4, -(-2 // p), 2, 3)
    assert plane.nbytes == plane.local.nbytes
    assert (gathered_of(plane, conduit).ravel() == np.arange(35)).all()


def gathered_of(array: SharedArray, conduit: Conduit) -> np.ndarray:
    number(array)
    return gathered(array, conduit)


def check_collectives(team: Team, conduit: Conduit) -> None:
    """Every collective in every mode, of blocks of 8 elements of which each member has two."""
    p = team.size
    source = SharedArray(team, 16 * p, np.int64, block=8)
    target = SharedArray(team, 16 * p, np.int64, block=8, offset=HALF)
    for modes in MODES:
        whole = number(source).reshape(-1, 8)
        expected = number(target, 1000).reshape(-1, 8).copy()

        def compare(request: Request, wanted: np.ndarray = expected) -> None:
            complete(request, conduit)
            assert (gathered(target, conduit).reshape(-1, 8) == wanted).all()

        compare_all(compare, source, target, (whole, expected), modes)
    team.fence()


def compare_all(
    compare: Callable[[Request], None],
    source: SharedArray,
    target: SharedArray,
    elements: tuple[np.ndarray, np.ndarray],
    modes: Modes,
) -> None:
    whole, expected = elements
    last = source.num_blocks[0] - 1
    few = slice(0, min(last + 1, 4))
    n = few.stop
    one = source.blocks[last]
    expected[1::2] = whole[last]
    compare(one.bcast_init(target.blocks[1::2], **modes))
    expected[few, :2] = whole[last, : 2 * n].reshape(n, 2)
    compare(one.scatter_init(target.blocks[few], 2, **modes))
    expected[0, : 2 * n] = whole[few, :2].ravel()
    compare(source.blocks[few].gather_init(target.blocks[0], 2, **modes))
    expected[last] = whole.sum(axis=0)
    compare(source.blocks[:].reduce_init(target.blocks[last], **modes))
    expected[few, :n] = whole[few, :n].T
    compare(source.blocks[few].exchange_init(target.blocks[few], 1, **modes))


def check_convenience(team: Team, conduit: Conduit) -> None:
    p = team.size
    source = SharedArray(team, p)
    target = SharedArray(team, p, offset=HALF)
    whole = number(source)
    number(target, 100)
    request = source.blocks[:].reduce(target.blocks[0], MPI.MAX)
    request.wait()
    conduit.barrier()
    assert gathered(target, conduit)[0] == p - 1
    source.blocks[p - 1].bcast(target.blocks[:]).wait()
    source.blocks[:1].scatter(target.blocks[:1]).wait()
    source.blocks[:1].gather(target.blocks[:1]).wait()
    source.blocks[:1].exchange(target.blocks[:1]).wait()
    conduit.barrier()
    assert gathered(target, conduit).tolist() == [0.0, *[float(p - 1)] * (p - 1)]
    assert (gathered(source, conduit) == whole).all()
    spared = source.blocks[0].bcast_init(target.blocks[0])
    assert (spared.algorithm == "") == (team.rank != 0)
    assert ("none of the blocks" in spared.explain()) == (team.rank != 0)
    spared.free()


def check_cache(team: Team, conduit: Conduit) -> None:
    team.fence()
    team.cache_clear()
    assert team.cache_size == 0
    source = SharedArray(team, team.size)
    target = SharedArray(team, team.size, offset=HALF)
    for _ in range(3):
        source.blocks[0].bcast(target.blocks[:]).wait()
    assert team.cache_size == 1
    request = source.blocks[0].bcast_init(target.blocks[:])
    refuse(team.cache_clear, "1 of them")
    request.free()
    team.cache_clear()
    team.cache_limits(0)
    refuse(lambda: source.blocks[0].bcast(target.blocks[:]), "at most 0 implicit teams")
    team.cache_limits(16)
    conduit.barrier()


def refuse(action: Callable[[], object], text: str) -> None:
    try:
        action()
    except (ArgumentError, OutOfMemoryError) as error:
        found = str(error)
    else:
        found = "no error"
    assert text in found, found


def check_errors(team: Team) -> None:
    array = SharedArray(team, 4 * team.size, block=2)
    other = SharedArray(team, 4 * team.size, block=2, offset=HALF)
    plane = SharedArray(team, (2, 2))
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: SharedArray(team, 0), "extent"),
        (lambda: SharedArray(team, (1, 1, 1, 1, 1)), "1 to 4 dimensions"),
        (lambda: SharedArray(team, (4, 4), block=2), "expected 2 numbers"),
        (lambda: SharedArray(team, 4, grid=team.size + 1), "expected a grid"),
        (lambda: SharedArray(team, 4, object), "type that MPI has"),
        (lambda: SharedArray(team, 4, offset=SEGMENT), "inside of segments"),
        (lambda: array.blocks[2 * team.size], "block in [0"),
        (lambda: array.blocks[1:1], "ascending order"),
        (lambda: array.blocks[0, 0], "1 dimensions"),
        (lambda: plane.blocks[0], "2 dimensions"),
        (lambda: array.place(0, 0), "expected 1 numbers"),
        (lambda: array.blocks[:].bcast(other.blocks[:]), "one block to bcast from"),
        (lambda: array.blocks[0].bcast(other.blocks[0], 3), "at most 16 bytes"),
        (lambda: array.blocks[:2].gather(array.blocks[0]), "overlap"),
    ]
    for action, text in cases:
        refuse(action, text)
    assert isinstance(array.blocks[0], Region)
    array.free()
    refuse(lambda: array.blocks[0].has_affinity, "was freed")


def main() -> None:
    with Conduit(world, SEGMENT, transport=sys.argv[1]) as conduit:
        team = Team(conduit, world)
        check_distribution(team, conduit)
        check_collectives(team, conduit)
        check_convenience(team, conduit)
        check_cache(team, conduit)
        check_errors(team)
    assert conduit.is_released
    if world.rank == 0:
        sys.stdout.write("ok\n")


if __name__ == "__main__":
    main()
