/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * Planned collectives of MPI communicators: planned once, with an algorithm of one's choice, and
 * started any number of times. The program need not be preloaded.
 *
 * Arguments stand in the order of MPI_Allreduce_init() and its relatives of MPI 4, with options in
 * the place of the info. They work with every MPI, also those of MPI 3.
 *
 * @code
 *     espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
 *     espalier_request* sum = NULL;
 *     options.algorithm = "recursive_doubling";
 *     espalier_allreduce_init(
 *         MPI_IN_PLACE, residual, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options, &sum
 *     );
 *     while (!is_solved) {
 *       residual[0] = local_residual();
 *       espalier_request_start(sum);
 *       compute_meanwhile();
 *       espalier_request_wait(sum);
 *     }
 *     espalier_request_free(&sum);
 * @endcode
 *
 * Start, test, wait and free are those of espalier_neighbor.h, and what is said there of progress
 * holds here, too. Requests of one communicator may be started and completed in different orders on
 * different ranks. Messages travel apart from those of the program. The communicator may be freed
 * before its requests: errors then go to the handler of MPI_COMM_SELF.
 *
 * Functions whose names end in _c have large counts, under every MPI. The native collective of a
 * library without them serves numbers below 2^31.
 *
 * All functions return MPI_SUCCESS or an MPI error code that was given to the error handler of the
 * communicator; espalier_last_error() says what was expected.
 */

#ifndef ESPALIER_PLANNED_H
#define ESPALIER_PLANNED_H

#include <stddef.h>

#include "espalier_neighbor.h" /* espalier_request and its functions */

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * How to plan a collective. Initialise with ESPALIER_PLANNED_OPTIONS_INIT: every field left at 0 or
 * NULL has its default. Equal on all ranks.
 */
typedef struct espalier_planned_options {
  size_t size;           /**< sizeof(espalier_planned_options): later versions may add fields */
  unsigned flags;        /**< must be 0 */
  char const* algorithm; /**< as "ring", "allreduce/ring[segments=4]", or "native" for the MPI
                              library's own; `espalier list` describes them. NULL: what
                              ESPALIER_FORCE or the profile in ESPALIER_PROFILE of rank 0 say,
                              else "native" */
} espalier_planned_options;

#define ESPALIER_PLANNED_OPTIONS_INIT {sizeof(espalier_planned_options), 0, 0}

/**
 * Plan an allreduce; nothing is reduced before espalier_request_start().
 *
 * Collective over comm, in the same order on all ranks. Waits for other ranks: they agree that all
 * of them can, so either all have a request or all get an error of the same class. The first call
 * on a communicator makes a communicator and reads the settings, a request that runs the native
 * collective may make another communicator.
 *
 * Lists are read now, and types may be freed, but for the type and the operator of a reduction:
 * they must last as long as the request. Buffers are used from each start to the end of its wait.
 *
 * @param comm    Intracommunicator.
 * @param options NULL for defaults.
 * @param request [out] To be freed by espalier_request_free(); NULL after an error.
 *
 * @return MPI_SUCCESS; MPI_ERR_COMM; MPI_ERR_ARG for an algorithm that does not exist or cannot
 *         serve the call, for arguments that differ between ranks, and for buffers that overlap;
 *         what MPI has for wrong counts, types, roots and operators.
 */
int espalier_allreduce_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_allreduce_init_c(
    void const* sendbuf,
    void* recvbuf,
    MPI_Count count,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_bcast_init(
    void* buffer,
    int count,
    MPI_Datatype datatype,
    int root,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_bcast_init_c(
    void* buffer,
    MPI_Count count,
    MPI_Datatype datatype,
    int root,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_reduce_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    MPI_Op op,
    int root,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_reduce_init_c(
    void const* sendbuf,
    void* recvbuf,
    MPI_Count count,
    MPI_Datatype datatype,
    MPI_Op op,
    int root,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_barrier_init(
    MPI_Comm comm, espalier_planned_options const* options, espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_allgather_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_allgather_init_c(
    void const* sendbuf,
    MPI_Count sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count recvcount,
    MPI_Datatype recvtype,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_allgatherv_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int const recvcounts[],
    int const displs[],
    MPI_Datatype recvtype,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_allgatherv_init_c(
    void const* sendbuf,
    MPI_Count sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count const recvcounts[],
    MPI_Aint const displs[],
    MPI_Datatype recvtype,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_alltoall_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_alltoall_init_c(
    void const* sendbuf,
    MPI_Count sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count recvcount,
    MPI_Datatype recvtype,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_alltoallv_init(
    void const* sendbuf,
    int const sendcounts[],
    int const sdispls[],
    MPI_Datatype sendtype,
    void* recvbuf,
    int const recvcounts[],
    int const rdispls[],
    MPI_Datatype recvtype,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_alltoallv_init_c(
    void const* sendbuf,
    MPI_Count const sendcounts[],
    MPI_Aint const sdispls[],
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count const recvcounts[],
    MPI_Aint const rdispls[],
    MPI_Datatype recvtype,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_alltoallw_init(
    void const* sendbuf,
    int const sendcounts[],
    int const sdispls[],
    MPI_Datatype const sendtypes[],
    void* recvbuf,
    int const recvcounts[],
    int const rdispls[],
    MPI_Datatype const recvtypes[],
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_alltoallw_init_c(
    void const* sendbuf,
    MPI_Count const sendcounts[],
    MPI_Aint const sdispls[],
    MPI_Datatype const sendtypes[],
    void* recvbuf,
    MPI_Count const recvcounts[],
    MPI_Aint const rdispls[],
    MPI_Datatype const recvtypes[],
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_reduce_scatter_init(
    void const* sendbuf,
    void* recvbuf,
    int const recvcounts[],
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_reduce_scatter_init_c(
    void const* sendbuf,
    void* recvbuf,
    MPI_Count const recvcounts[],
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_reduce_scatter_block_init(
    void const* sendbuf,
    void* recvbuf,
    int recvcount,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_reduce_scatter_block_init_c(
    void const* sendbuf,
    void* recvbuf,
    MPI_Count recvcount,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_scan_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_scan_init_c(
    void const* sendbuf,
    void* recvbuf,
    MPI_Count count,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_exscan_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_exscan_init_c(
    void const* sendbuf,
    void* recvbuf,
    MPI_Count count,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_gather_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_gather_init_c(
    void const* sendbuf,
    MPI_Count sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count recvcount,
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_gatherv_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int const recvcounts[],
    int const displs[],
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_gatherv_init_c(
    void const* sendbuf,
    MPI_Count sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count const recvcounts[],
    MPI_Aint const displs[],
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_scatter_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_scatter_init_c(
    void const* sendbuf,
    MPI_Count sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count recvcount,
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_scatterv_init(
    void const* sendbuf,
    int const sendcounts[],
    int const displs[],
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/** See espalier_allreduce_init(). */
int espalier_scatterv_init_c(
    void const* sendbuf,
    MPI_Count const sendcounts[],
    MPI_Aint const displs[],
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count recvcount,
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    espalier_planned_options const* options,
    espalier_request** request
);

/**
 * How a request was planned, in lines of text: the call and its algorithm, why this one, and what
 * this rank sends in one run. For people to read; the words may change. Not collective.
 *
 * @param request Any request: also one of a neighborhood or a team.
 * @param text    [out] Cut to len characters with the closing 0; may be NULL.
 * @param len     Room in text.
 *
 * @return Length of the whole text without the closing 0; 0 if request is NULL.
 */
int espalier_explain(espalier_request const* request, char text[], int len);

#ifdef __cplusplus
}
#endif

#endif
