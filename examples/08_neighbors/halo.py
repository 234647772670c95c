# SPDX-License-Identifier: Apache-2.0
"""The same as halo.c."""

from __future__ import annotations

import itertools
import sys

import numpy as np
from mpi4py import MPI

from espalier import neighbors

WIDTH, NUM_GENERATIONS = 8, 64

OFFSETS = [step for step in itertools.product((-1, 0, 1), repeat=2) if any(step)]


def block(offset: tuple[int, ...], begins: dict[int, int]) -> MPI.Datatype:
    """Return the cells of a block, which begin there along each dimension."""
    extents = [WIDTH if step == 0 else 1 for step in offset]
    places = [begins[step] for step in offset]
    return MPI.INT32_T.Create_subarray([WIDTH + 2] * 2, extents, places).Commit()


def advance(cells: np.ndarray) -> None:
    """Make the next generation."""
    around = sum(np.roll(cells, step, (0, 1)) for step in OFFSETS)
    alive = (around == 3) | ((around == 2) & (cells == 1))
    cells[1:-1, 1:-1] = alive[1:-1, 1:-1]


comm = MPI.COMM_WORLD
grid = comm.Create_cart(MPI.Compute_dims(comm.size, 2), [True, True])
# The cells of this process, with a layer of those of others around them.
cells = np.zeros((WIDTH + 2, WIDTH + 2), dtype=np.int32)
# What is sent lies at the border in a direction, and what comes lies beyond the opposite one.
sent = [block(offset, {-1: 1, 0: 1, 1: WIDTH}) for offset in OFFSETS]
received = [block(offset, {-1: WIDTH + 1, 0: 1, 1: 0}) for offset in OFFSETS]

with neighbors.neighborhood(grid, OFFSETS, algorithm="combining") as all8:
    ones, zeros = [1] * len(OFFSETS), [0] * len(OFFSETS)
    halo = all8.alltoallw_init((cells, ones, zeros, sent), (cells, ones, zeros, received))
    if grid.rank == 0:
        sys.stdout.write(f"{halo.explain()}\n")
        cells[[1, 2, 3, 3, 3], [2, 3, 1, 2, 3]] = 1
    begun = cells.copy()
    for _ in range(NUM_GENERATIONS):
        halo.start()
        halo.wait()
        advance(cells)

inside = (slice(1, -1), slice(1, -1))
counts = np.array([cells[inside].sum(), (cells[inside] & begun[inside]).sum()])
comm.Allreduce(MPI.IN_PLACE, counts)
if grid.rank == 0:
    sys.stdout.write(f"{counts[0]} cells are alive, {counts[1]} of them where the glider began\n")
