# SPDX-License-Identifier: Apache-2.0
"""The same as onesided.c."""

from __future__ import annotations

import sys

import numpy as np
from mpi4py import MPI

from espalier.onesided import Conduit, Sync, Team

NUM_CELLS, NUM_STEPS, NUM_SUMS, LEFT, RIGHT = 16, 400, 4, 0, 1

# The segment of each process; all have the same.
segment = np.dtype(
    [
        ("arrived", np.uint64, 2),  # steps whose border cell came from the left, from the right
        ("border", float, (2, 2)),  # these cells, of even and of odd steps
        ("change", float, NUM_SUMS),  # in the last steps, here
        ("sum", float, NUM_SUMS),  # and everywhere
    ]
)


def tell(conduit: Conduit, rank: int, side: int, step: int, cell: np.ndarray) -> None:
    """Give a border cell of a step to a neighbour, at its side `side`."""
    if 0 <= rank < conduit.size:
        offset = segment.fields["border"][1] + 8 * (2 * (step % 2) + side)
        conduit.put_signal(cell, rank, offset, counter=8 * side)


def hear(conduit: Conduit, side: int, step: int, end_of_bar: float) -> float:
    """Wait for the border cell of a neighbour."""
    if not 0 <= conduit.rank + (-1 if side == LEFT else 1) < conduit.size:
        return end_of_bar
    conduit.await_counter(8 * side, step + 1)
    return conduit.array((), segment)["border"][step % 2, side]


def relax(x: np.ndarray) -> float:
    """Compute one step, and return how much changed; x[0] and x[-1] belong to neighbours."""
    difference = 0.25 * (x[:-2] - 2 * x[1:-1] + x[2:])
    x[1:-1] += difference
    return np.abs(difference).sum()


def show(conduit: Conduit, step: int, change: float) -> None:
    """Print how much changed in a step."""
    if conduit.rank == 0:
        sys.stdout.write(f"step {step:3}: change {change:.4f}\n")


with Conduit(MPI.COMM_WORLD, segment.itemsize) as conduit:
    team = Team(conduit, MPI.COMM_WORLD)
    here = conduit.array((), segment)
    change, total = here["change"], here["sum"]
    # What is mine is mine before I start a sum and after I waited.
    sums = [
        team.allreduce_init(
            change[i : i + 1], total[i : i + 1], sync_in=Sync.MYSYNC, sync_out=Sync.MYSYNC
        )
        for i in range(NUM_SUMS)
    ]
    x = np.zeros(NUM_CELLS + 2)
    for step in range(NUM_STEPS):
        tell(conduit, conduit.rank - 1, RIGHT, step, x[1:2])
        tell(conduit, conduit.rank + 1, LEFT, step, x[-2:-1])
        i = step % NUM_SUMS
        sums[i].wait()
        if step > 0 and step % 100 == 0:
            show(conduit, step - NUM_SUMS, total[i])
        x[0] = hear(conduit, LEFT, step, 1)
        x[-1] = hear(conduit, RIGHT, step, 0)
        change[i] = relax(x)
        sums[i].start()
    team.fence()
    show(conduit, NUM_STEPS - 1, total[(NUM_STEPS - 1) % NUM_SUMS])
