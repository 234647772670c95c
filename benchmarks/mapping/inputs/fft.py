# SPDX-License-Identifier: Apache-2.0
"""Transforms of 64 x 64 x 64 numbers, forth and back, by mpi4py-fft on a grid of processes."""

import numpy as np
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

SIZE = 64
NUM_STEPS = 20

fft = PFFT(MPI.COMM_WORLD, (SIZE, SIZE, SIZE), dtype=float)
values = newDistArray(fft, forward_output=False)
x, y, z = (np.arange(SIZE)[part] for part in values.local_slice())
values[:] = np.sin(x)[:, None, None] + np.cos(2 * y)[None, :, None] * z[None, None, :]
waves = newDistArray(fft, forward_output=True)
for _ in range(NUM_STEPS):
    waves = fft.forward(values, waves)
    values = fft.backward(waves, values)
energy = MPI.COMM_WORLD.allreduce(float(np.sum(np.abs(waves) ** 2)))
if MPI.COMM_WORLD.rank == 0:
    print(f"energy {energy:.8e}")  # noqa: T201
