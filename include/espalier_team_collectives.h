/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * Part of espalier_onesided.h: the collectives of a team, of blocks of one size and of different
 * sizes.
 */

#ifndef ESPALIER_TEAM_COLLECTIVES_H
#define ESPALIER_TEAM_COLLECTIVES_H

#include <espalier_neighbor.h> /* espalier_request and its functions */
#include <espalier_team.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Plan a collective of a team. Arguments are those of MPI; counts, types, root, op and options are
 * equal on all members, types are contiguous (MPI_ERR_TYPE otherwise), and MPI_IN_PLACE is not
 * taken. With local and single addresses, buffers that count nowhere on this member may be NULL;
 * with local ones, what travels passes through scratch space. Type and op of a reduction stay until
 * the request is freed.
 *
 * Collective over the team, as requests are started in the same order on all members; planning
 * itself waits for nobody, and members may plan in any order. With single addresses it waits for
 * all members; then what is wrong on one of them is an error on all, which names its rank. Started
 * by espalier_request_start(), which waits for nobody; completed by espalier_request_test() or
 * espalier_request_wait(), in any order, or by espalier_team_fence(). Several may be under way,
 * each with buffers of its own.
 *
 * @param options NULL for strict, symmetric and chosen.
 * @param request [out] To be freed by espalier_request_free() when it is not under way.
 */
int espalier_team_bcast_init(
    void* buffer,
    int count,
    MPI_Datatype datatype,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
);
/** Block i of the root goes to member i. As espalier_team_bcast_init(). */
int espalier_team_scatter_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
);
/** The block of member i becomes block i of the root. As espalier_team_bcast_init(). */
int espalier_team_gather_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
);
/** The root gets what the operator makes of the blocks of all members. As
 * espalier_team_bcast_init(). */
int espalier_team_reduce_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    MPI_Op op,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
);
/** Every member gets what the operator makes of the blocks of all. As espalier_team_bcast_init().
 */
int espalier_team_allreduce_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    MPI_Op op,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
);
/** The block of member i becomes block i of all members. As espalier_team_bcast_init(). */
int espalier_team_allgather_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
);
/** Block j of member i becomes block i of member j. As espalier_team_bcast_init(). */
int espalier_team_alltoall_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
);

/**
 * Scatter blocks of different sizes: counts[i] elements, from element displs[i] of the root's
 * sendbuf on, go to member i, which has nothing else in its recvbuf. As espalier_team_bcast_init().
 *
 * Whoever plans has to know where all data are, so that both lists are those of all members, the
 * same on each of them. They may be freed when this returns. The same holds for the next two.
 *
 * @param displs  NULL: one block behind the other.
 *
 * Of a count below 0 the class is MPI_ERR_COUNT, of a displacement below 0 MPI_ERR_ARG, and so it
 * is of blocks that are received and overlap.
 */
int espalier_team_scatterv_init(
    void const* sendbuf,
    int const counts[],
    int const displs[],
    void* recvbuf,
    MPI_Datatype datatype,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
);
/** The counts[i] elements of member i go to element displs[i] of the root's recvbuf. As
 * espalier_team_scatterv_init(). */
int espalier_team_gatherv_init(
    void const* sendbuf,
    void* recvbuf,
    int const counts[],
    int const displs[],
    MPI_Datatype datatype,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
);
/** The counts[i] elements of member i go to element displs[i] of every recvbuf. As
 * espalier_team_scatterv_init(). */
int espalier_team_allgatherv_init(
    void const* sendbuf,
    void* recvbuf,
    int const counts[],
    int const displs[],
    MPI_Datatype datatype,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
);
/**
 * Exchange blocks of different sizes: sendcounts[j] elements, from element sdispls[j] of sendbuf
 * on, go to member j, where they are recvcounts[i] elements from element rdispls[i] of recvbuf on
 * if this is member i. As espalier_team_scatterv_init(), but each member gives its own lists.
 *
 * So planning is collective here: members tell each other their lists, in the same order as they
 * start collectives, and wait for all. What goes on meanwhile goes on. What is wrong on one member
 * is an error on all of them, and so are counts of two members that do not fit together
 * (MPI_ERR_COUNT). Serves: what hands each block to its member directly, as alltoall/linear and
 * alltoall/pairwise do.
 */
int espalier_team_alltoallv_init(
    void const* sendbuf,
    int const sendcounts[],
    int const sdispls[],
    void* recvbuf,
    int const recvcounts[],
    int const rdispls[],
    MPI_Datatype datatype,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
);
/** No member is through before all have started; options say nothing about buffers, and planning
 * waits for nobody. As espalier_team_bcast_init(). */
int espalier_team_barrier_init(
    espalier_team* team, espalier_onesided_options const* options, espalier_request** request
);

#ifdef __cplusplus
}
#endif

#endif
