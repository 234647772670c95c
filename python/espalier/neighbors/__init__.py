# SPDX-License-Identifier: Apache-2.0
"""Neighborhood collectives, for programs that use mpi4py and NumPy.

The functions are those of `espalier_neighbor.h`. A `Neighborhood` says who sends to whom, and its
collectives are blocking, or planned once as a `Request` that is started any number of times::

    offsets = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
    with neighbors.neighborhood(grid, offsets) as all8:
        halo = all8.alltoall_init(out, into)
        while not is_solved():
            halo.start()
            compute_inside()
            halo.wait()
            compute_border()

Arrays are contiguous (in C or in Fortran order), and of types that mpi4py finds for NumPy. Where
blocks have one size, an array has a block for each neighbour, as `(num_neighbors, n)`. Blocks of
different sizes are `(array, counts)` or `(array, counts, displacements)` in elements, with an entry
for each neighbour; without displacements, blocks follow one another. Blocks of absent neighbours,
beyond an open border, are there, and are not touched.

What is wrong with an array of one rank is an `ArgumentError` there, with the reason, and an
`ArgumentError` on all others. To know it, every blocking call begins with a reduction; requests are
checked when they are planned.

`test()` and `wait()` of any request move all of them on, and so does Open MPI wherever it waits. A
process that waits in MPICH itself moves nothing on.

All raise `ArgumentError` for arguments that cannot be, on any rank; `MpiError` if mpi4py is
missing, a call of MPI failed, or the algorithm that was named cannot serve a call.
"""

from espalier.neighbors.making import neighborhood, neighborhood_of
from espalier.neighbors.neighborhood import Neighborhood
from espalier.onesided.request import Request

__all__ = ["Neighborhood", "Request", "neighborhood", "neighborhood_of"]
