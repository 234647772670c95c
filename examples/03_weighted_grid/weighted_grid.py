# SPDX-License-Identifier: Apache-2.0
"""The same as weighted_grid.c."""

from __future__ import annotations

import sys

from mpi4py import MPI

from espalier.mpi import cart_weighted_create


def show(how: str, grid: MPI.Cartcomm) -> None:
    """Print the grid and the halo of a process."""
    x, y = grid.dims
    if grid.rank == 0:
        halo = 2 * (1800 // x + 580 // y)
        sys.stdout.write(f"{how}: {x} x {y}, halo of {halo} points\n")
    grid.Free()


world = MPI.COMM_WORLD
plain = world.Create_cart(MPI.Compute_dims(world.size, 2), reorder=True)
show("MPI_Dims_create + MPI_Cart_create", plain)
fitted = cart_weighted_create(world, [0, 0], weights=[1 / 1800, 1 / 580])
show("MPIX_Cart_weighted_create", fitted)
