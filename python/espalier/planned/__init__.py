# SPDX-License-Identifier: Apache-2.0
"""Planned collectives of communicators, for programs that use mpi4py and NumPy.

The functions are those of `espalier_planned.h`: each plans a collective once, with an algorithm of
one's choice, and gives a `Request` that is started any number of times::

    total = np.empty(1)
    step = planned.allreduce_init(comm, residual, total, MPI.SUM, algorithm="recursive_doubling")
    while not is_solved():
        residual[0] = local_residual()
        step.start()
        compute_meanwhile()
        step.wait()

Initialisation is collective over the communicator, in the same order on all ranks, and waits for
them. All get a request, or all an error: what is wrong with an array of one rank is an
`ArgumentError` there, with the reason, and an `ArgumentError` on all others. Requests may be
started and completed in different orders on different ranks. They keep their arrays alive, which
belong to the library from each start to the end of its wait. One thread at a time calls a request.

Arrays are contiguous (in C or in Fortran order), and of types that mpi4py finds for NumPy; sizes,
counts and displacements are elements, unless it says bytes. `MPI.IN_PLACE` stands where MPI has it,
and None where an argument counts only at the root. Arrays of sizes that some ranks choose are
`(array, counts)` or `(array, counts, displacements)`, with an entry for each rank; without
displacements, blocks follow one another.

All functions have the keyword `algorithm`, equal on all ranks: a name as `espalier list` has it
(`"ring"`, `"allreduce/ring[segments=4]"`), or `"native"` for the MPI library's own. Without it,
`ESPALIER_FORCE` or the profile in `ESPALIER_PROFILE` of rank 0 decide, else it is native.

`test()` and `wait()` of any request move all of them on, and so does Open MPI wherever it waits. A
process that waits in MPICH itself moves nothing on.

All raise `ArgumentError` for arguments that cannot be, on any rank, and for an algorithm that does
not exist or cannot serve the call; `MpiError` if mpi4py is missing or a call of MPI failed.
"""

from espalier.onesided.request import Request
from espalier.planned.moves import (
    allgather_init,
    alltoall_init,
    barrier_init,
    bcast_init,
    gather_init,
    scatter_init,
)
from espalier.planned.reductions import (
    allreduce_init,
    exscan_init,
    reduce_init,
    reduce_scatter_block_init,
    reduce_scatter_init,
    scan_init,
)
from espalier.planned.uneven import (
    allgatherv_init,
    alltoallv_init,
    alltoallw_init,
    gatherv_init,
    scatterv_init,
)

__all__ = [
    "Request",
    "allgather_init",
    "allgatherv_init",
    "allreduce_init",
    "alltoall_init",
    "alltoallv_init",
    "alltoallw_init",
    "barrier_init",
    "bcast_init",
    "exscan_init",
    "gather_init",
    "gatherv_init",
    "reduce_init",
    "reduce_scatter_block_init",
    "reduce_scatter_init",
    "scan_init",
    "scatter_init",
    "scatterv_init",
]
