# SPDX-License-Identifier: Apache-2.0
"""The same as planned.c."""

from __future__ import annotations

import sys

import numpy as np
from mpi4py import MPI

from espalier import planned

NUM_ROWS, NUM_STEPS = 16, 60

comm = MPI.COMM_WORLD
rank, size = comm.rank, NUM_ROWS * comm.size

# The matrix of a chain of springs with one that is stiffer; the rows of this process.
matrix = 2.0 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1)
matrix[0, 0] = 5
rows = matrix[NUM_ROWS * rank : NUM_ROWS * (rank + 1)]

own, whole, length = np.ones(NUM_ROWS), np.empty(size), np.empty(1)
vector = planned.allgather_init(comm, own, whole, algorithm="bruck")
total = planned.allreduce_init(comm, MPI.IN_PLACE, length)
if rank == 0:
    sys.stdout.write(f"{vector.explain()}\n{total.explain()}\n")

for _ in range(NUM_STEPS):
    length[0] = own @ own
    total.start()
    vector.start()
    vector.wait()
    total.wait()
    own[:] = rows @ whole / np.sqrt(length[0])
length[0] = own @ own
total.start()
total.wait()
if rank == 0:
    sys.stdout.write(f"largest eigenvalue {np.sqrt(length[0]):.6f}\n")
