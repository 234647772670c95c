# SPDX-License-Identifier: Apache-2.0
"""The same as shared_arrays.c."""

from __future__ import annotations

import sys

import numpy as np
from mpi4py import MPI

from espalier.onesided import Conduit, Modes, Request, SharedArray, Sync, Team

B, NUM_BLOCKS = 4, 6
N = B * NUM_BLOCKS
# A panel is mine before I start and after I waited.
OWN: Modes = {"sync_in": Sync.MYSYNC, "sync_out": Sync.MYSYNC}


def start_step(
    k: int, left: tuple[SharedArray, SharedArray], right: tuple[SharedArray, SharedArray]
) -> list[Request]:
    """Start what brings blocks (:, k) of A to their rows, and blocks (k, :) of B to their columns.

    Who takes no part in one of them need not call.
    """
    (a, a_panel), (b, b_panel) = left, right
    row, column = np.unravel_index(a.team.rank, a.grid)
    return [
        *(
            a.blocks[i, k].bcast(a_panel.blocks[i, :], **OWN)
            for i in range(row, NUM_BLOCKS, a.grid[0])
        ),
        *(
            b.blocks[k, j].bcast(b_panel.blocks[:, j], **OWN)
            for j in range(column, NUM_BLOCKS, a.grid[1])
        ),
    ]


with Conduit(MPI.COMM_WORLD, 1 << 20) as conduit:
    team = Team(conduit, MPI.COMM_WORLD)
    grid = MPI.Compute_dims(team.size, 2)
    made: list[SharedArray] = []

    def make(rows: int, columns: int) -> SharedArray:
        """Make an array of blocks of b x b, behind those before."""
        end = sum(array.nbytes for array in made)
        made.append(SharedArray(team, (rows * B, columns * B), block=(B, B), grid=grid, offset=end))
        return made[-1]

    a, b, c = (make(NUM_BLOCKS, NUM_BLOCKS) for _ in range(3))
    # A column for each process of a row of the grid, and a row for each process of a column.
    a_panels = [make(NUM_BLOCKS, grid[1]) for _ in range(2)]
    b_panels = [make(grid[0], NUM_BLOCKS) for _ in range(2)]
    i, j = np.indices((N, N))
    for array, whole in ((a, i + j), (b, i - j)):
        for (row, column), block in array.owned():
            block[:] = whole[row * B : row * B + B, column * B : column * B + B]

    underway = start_step(0, (a, a_panels[0]), (b, b_panels[0]))
    for k in range(NUM_BLOCKS):
        now, later = k % 2, (k + 1) % 2
        arriving = underway
        if k + 1 < NUM_BLOCKS:
            underway = start_step(k + 1, (a, a_panels[later]), (b, b_panels[later]))
        for request in arriving:
            request.wait()
        # Blocks (row, 0) and (0, column) of this process.
        for (row, column), block in c.owned():
            left = a_panels[now].local[row // grid[0], 0]
            block[:] += left @ b_panels[now].local[0, column // grid[1]]

    expected = (i + j) @ (i - j)
    error = max(
        np.abs(block - expected[row * B : row * B + B, column * B : column * B + B]).max()
        for (row, column), block in c.owned()
    )
    error = MPI.COMM_WORLD.allreduce(error, MPI.MAX)
    if team.rank == 0:
        sys.stdout.write(
            f"{N} x {N} matrices on {grid[0]} x {grid[1]} processes, "
            f"{team.cache_size} implicit teams, largest error {error:g}\n"
        )
    del block, left
