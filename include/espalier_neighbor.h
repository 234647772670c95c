/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * Neighborhood collectives of Espalier: blocking, nonblocking and persistent.
 *
 * A neighborhood says who sends to whom, and holds what its collectives share: a private
 * communicator and plans. The arguments of the collectives are those of MPI, with the neighborhood
 * in the place of the communicator. Blocks of absent neighbours, beyond an open border, are not
 * touched.
 *
 * @code
 *     int const offsets[] = {-1, -1,  -1, 0,  -1, 1,  0, -1,  0, 1,  1, -1,  1, 0,  1, 1};
 *     espalier_neighborhood* all8 = NULL;
 *     espalier_request* halo = NULL;
 *     espalier_neighborhood_create(grid, 8, offsets, NULL, &all8);
 *     espalier_neighbor_alltoall_init(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, all8, &halo);
 *     for (int step = 0; step < num_steps; ++step) {
 *       espalier_request_start(halo);
 *       compute_inside();
 *       espalier_request_wait(halo);
 *       compute_border();
 *     }
 *     espalier_request_free(&halo);
 *     espalier_neighborhood_free(&all8);
 * @endcode
 *
 * Progress: collectives of several rounds need the ranks in the middle. Any call that waits for a
 * request or tests one moves all requests of the process on. So does the MPI library, from the
 * first start on, wherever it waits or polls: Open MPI always, MPICH over UCX below
 * MPI_THREAD_MULTIPLE if the program was linked with this library. Under others, no rank may wait
 * in MPI itself between start and wait for what another rank does only after its wait.
 *
 * Blocks may lie in device memory, on any rank, if the MPI library accepts that: they go directly
 * then, and an algorithm that is named and forwards blocks is an error on all ranks.
 *
 * Algorithms: "direct" (each block by itself), "combining" (dimension by dimension: a 3^d-point
 * stencil needs 2 d messages instead of 3^d - 1; only for stencils on a grid, and for graphs whose
 * edges are those of one), "node_aware" (one message from node to node).
 *
 * Unless said otherwise functions return MPI_SUCCESS or an MPI error code that was given to the
 * error handler of the communicator of the neighborhood: MPI_ERR_ARG for arguments that cannot be
 * right, MPI_ERR_TOPOLOGY, MPI_ERR_NO_MEM, MPI_ERR_OTHER if the algorithm cannot serve the call.
 * When something is made or planned, what is wrong on one rank, or not equal on all, is an error on
 * all.
 */

#ifndef ESPALIER_NEIGHBOR_H
#define ESPALIER_NEIGHBOR_H

#include <stddef.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Who sends to whom on a communicator. */
typedef struct espalier_neighborhood espalier_neighborhood;

/** A collective that was planned; with fixed arguments, to be started any number of times. */
typedef struct espalier_request espalier_request;

/**
 * How to choose among algorithms. Initialise with ESPALIER_NEIGHBOR_OPTIONS_INIT: every field left
 * at 0 or NULL has its default. Equal on all ranks.
 */
typedef struct espalier_neighbor_options {
  size_t size;           /**< sizeof(espalier_neighbor_options): later versions may add fields */
  unsigned flags;        /**< must be 0 */
  char const* algorithm; /**< "direct", "combining" or "node_aware"; NULL: the one that is predicted
                              to be faster than direct by 10 % or more, direct if links are not
                              known; what cannot serve a call is not chosen */
  double latency_us;     /**< of a message between nodes; 0: not known */
  double bandwidth_gib_s; /**< of one rank between nodes; 0: not known */
} espalier_neighbor_options;

#define ESPALIER_NEIGHBOR_OPTIONS_INIT {sizeof(espalier_neighbor_options), 0, 0, 0, 0}

/**
 * The same stencil around every process of a grid: block k goes to the process offsets[k] away and
 * comes from the one -offsets[k] away. Open borders have no neighbour beyond them.
 *
 * Collective over comm_cart; all arguments must be equal on all ranks. In calls with blocks of one
 * size all ranks name that size, also those beyond whose borders all neighbours are.
 *
 * @param comm_cart    Has a Cartesian topology; must not be freed before the neighborhood.
 * @param num_offsets  Number of neighbours, >= 0.
 * @param offsets      num_offsets rows with an entry for each dimension, of any length; the same
 *                     row may occur again, and a row of 0 is the process itself.
 * @param options      NULL for defaults.
 * @param neighborhood [out] To be freed by espalier_neighborhood_free().
 */
int espalier_neighborhood_create(
    MPI_Comm comm_cart,
    int num_offsets,
    int const offsets[],
    espalier_neighbor_options const* options,
    espalier_neighborhood** neighborhood
);

/**
 * The neighborhood that MPI's own collectives have on a communicator with a Cartesian, graph or
 * distributed graph topology, with its order of neighbours.
 *
 * Collective over comm; options must be equal on all ranks. On a distributed graph neighbours
 * exchange one message; algorithms but direct need O(edges of all ranks) memory there, and if they
 * are named, all ranks name one size of blocks in calls with blocks of one size: also ranks without
 * neighbours, which may forward them, and all parts of a graph that falls into several.
 *
 * @param comm         Must not be freed before the neighborhood.
 * @param options      NULL for defaults.
 * @param neighborhood [out] To be freed by espalier_neighborhood_free().
 */
int espalier_neighborhood_of(
    MPI_Comm comm, espalier_neighbor_options const* options, espalier_neighborhood** neighborhood
);

/**
 * Free a neighborhood; its requests must have been freed before. Collective over its communicator.
 *
 * @param neighborhood [inout] NULL afterwards.
 */
int espalier_neighborhood_free(espalier_neighborhood** neighborhood);

/**
 * As MPI_Neighbor_allgather: the same block to all neighbours. Collective over the neighborhood.
 * Sizes seen before are not planned again.
 */
int espalier_neighbor_allgather(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood
);

/**
 * As MPI_Neighbor_allgatherv. Collective over the neighborhood. Always direct: who forwards a block
 * has to know its size, which espalier_neighbor_allgatherv_init() finds out.
 */
int espalier_neighbor_allgatherv(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int const recvcounts[],
    int const displs[],
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood
);

/** As MPI_Neighbor_alltoall: a block for each neighbour. Collective over the neighborhood. */
int espalier_neighbor_alltoall(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood
);

/** As MPI_Neighbor_alltoallv. Collective over the neighborhood. Always direct, see allgatherv. */
int espalier_neighbor_alltoallv(
    void const* sendbuf,
    int const sendcounts[],
    int const sdispls[],
    MPI_Datatype sendtype,
    void* recvbuf,
    int const recvcounts[],
    int const rdispls[],
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood
);

/** As MPI_Neighbor_alltoallw. Collective over the neighborhood. Always direct, see allgatherv. */
int espalier_neighbor_alltoallw(
    void const* sendbuf,
    int const sendcounts[],
    MPI_Aint const sdispls[],
    MPI_Datatype const sendtypes[],
    void* recvbuf,
    int const recvcounts[],
    MPI_Aint const rdispls[],
    MPI_Datatype const recvtypes[],
    espalier_neighborhood* neighborhood
);

/**
 * Plan a neighborhood collective; nothing is sent to neighbours before espalier_request_start().
 *
 * Collective over the neighborhood, in the same order on all ranks. The lists are read now; types
 * may be freed, buffers are used from each start to the end of its wait. With forwarding algorithms
 * blocks of different sizes are announced to those who will forward them. What is wrong on one rank
 * is an error on all.
 *
 * @param request [out] To be freed by espalier_request_free().
 */
int espalier_neighbor_allgather_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood,
    espalier_request** request
);

/** See espalier_neighbor_allgather_init(). */
int espalier_neighbor_allgatherv_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int const recvcounts[],
    int const displs[],
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood,
    espalier_request** request
);

/** See espalier_neighbor_allgather_init(). */
int espalier_neighbor_alltoall_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood,
    espalier_request** request
);

/** See espalier_neighbor_allgather_init(). */
int espalier_neighbor_alltoallv_init(
    void const* sendbuf,
    int const sendcounts[],
    int const sdispls[],
    MPI_Datatype sendtype,
    void* recvbuf,
    int const recvcounts[],
    int const rdispls[],
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood,
    espalier_request** request
);

/** See espalier_neighbor_allgather_init(). */
int espalier_neighbor_alltoallw_init(
    void const* sendbuf,
    int const sendcounts[],
    MPI_Aint const sdispls[],
    MPI_Datatype const sendtypes[],
    void* recvbuf,
    int const recvcounts[],
    MPI_Aint const rdispls[],
    MPI_Datatype const recvtypes[],
    espalier_neighborhood* neighborhood,
    espalier_request** request
);

/**
 * Begin a planned collective; its buffers belong to the library until it is complete.
 *
 * Collective over the neighborhood, the grid of espalier_grid.h, or the team of
 * espalier_onesided.h, but does not wait for others. Several requests may be under way, begun and
 * completed in any order. Allocates nothing.
 */
int espalier_request_start(espalier_request* request);

/**
 * Do what can be done without waiting, of all requests of this process: call it now and then
 * during long computations.
 *
 * Not collective. Algorithms but direct have rounds, of which all but the first begin only in
 * functions of this file. So between start and wait no rank may wait, in MPI itself, for what
 * another rank does only after its wait.
 *
 * @param is_complete [out] Not 0 if the collective is complete; also for one that is not under way.
 */
int espalier_request_test(espalier_request* request, int* is_complete);

/** Wait until the collective is complete; returns at once for one that is not under way. */
int espalier_request_wait(espalier_request* request);

/**
 * The algorithm that was planned, as "neighbor_alltoall/combining". Not collective.
 *
 * @return Lives as long as the request, and until it is tuned or has learned; "" if request is
 * NULL.
 */
char const* espalier_request_algorithm(espalier_request const* request);

/**
 * Free a request that is not under way. Not collective.
 *
 * @param request [inout] NULL afterwards.
 */
int espalier_request_free(espalier_request** request);

#ifdef __cplusplus
}
#endif

#endif
