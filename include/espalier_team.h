/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * Part of espalier_onesided.h: teams, and what is promised of all their collectives.
 */

#ifndef ESPALIER_TEAM_H
#define ESPALIER_TEAM_H

#include <stddef.h>
#include <stdint.h>

#include <espalier_conduit.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Some processes of a conduit that run collectives together. */
typedef struct espalier_team espalier_team;

/**
 * A team of the processes of a communicator, with its ranks; all are processes of the conduit. So
 * MPI_Comm_split, MPI_Comm_split_type and groups make teams. Collective over comm, which must not
 * be freed before the team. Members that are in several teams make them in the same order. What is
 * under way goes on meanwhile.
 *
 * @param scratch_bytes  Of the conduit's, for this team alone, the same on all members; 0: an
 *                       eighth. Where a collective needs more than half of it, that of the MPI
 *                       library serves, if it can. It is free again after the team: MPI_ERR_NO_MEM,
 *                       on all members, if it is not free on all of them.
 * @param team           [out] To be freed before the conduit is detached.
 */
int espalier_team_create(
    espalier_conduit* conduit, MPI_Comm comm, uint64_t scratch_bytes, espalier_team** team
);
/**
 * Free a team; its requests must have been freed before. Collective over its members, for all of
 * which it waits; what is under way in other teams goes on meanwhile.
 *
 * @param team [inout] NULL afterwards.
 */
int espalier_team_free(espalier_team** team);

/** The rank of this process in the team. Not collective; -1 for NULL. */
int espalier_team_rank(espalier_team const* team);
/** The number of members. Not collective; 0 for NULL. */
int espalier_team_size(espalier_team const* team);
/** The rank on the conduit of a rank of the team. Not collective. */
int espalier_team_conduit_rank(espalier_team const* team, int rank, int* conduit_rank);
/**
 * The rank in the team of a rank of the conduit. Not collective; takes time in proportion to the
 * size of the team.
 *
 * @param conduit_rank  MPI_ERR_ARG for one that the conduit does not have.
 * @param rank          [out] MPI_UNDEFINED if that process is no member.
 */
int espalier_team_rank_of(espalier_team const* team, int conduit_rank, int* rank);

/** Wait for all collectives of this team that this member has started; their requests are complete
    then. Not collective. */
int espalier_team_fence(espalier_team* team);

/** When a collective may begin and end to touch buffers. */
typedef enum espalier_sync {
  ESPALIER_ALLSYNC = 0, /**< in: after all members have started it; out: until the first is over */
  ESPALIER_MYSYNC = 1,  /**< in: a member's buffers after this member has started it; out: until it
                             is over on this member. What MPI promises. */
  ESPALIER_NOSYNC = 2   /**< in: after the first member has started it; out: until it is over on the
                             last member */
} espalier_sync;

/** Who knows where buffers are. */
typedef enum espalier_addresses {
  ESPALIER_ADDRESSES_SYMMETRIC = 0, /**< in segments, at the same offset on all members. Each names
                                         its own address there, also where only the root has such a
                                         buffer: then others need no memory there.
                                         ESPALIER_CHECK_ADDRESSES=1 checks offsets */
  ESPALIER_ADDRESSES_LOCAL = 1,     /**< anywhere; nobody knows those of others */
  ESPALIER_ADDRESSES_SINGLE = 2 /**< in segments, at any offset of each member: members tell each
                                     other where when they plan, which waits for all of them */
} espalier_addresses;

/**
 * A flag of espalier_onesided_options: reductions combine from the left in the order of ranks,
 * ((0 op 1) op 2) op ..., as a loop over the members would. So the result has the same bits in each
 * run, whatever the root, the machine, the modes, and what was measured; of numbers in floating
 * point it otherwise depends on the algorithm. It takes longer: in a reduction the root hears all
 * other members, in a reduction to all each of them combines a part. Reductions of blocks of arrays
 * combine the blocks of a member first, so there the distribution of the blocks matters, too. Other
 * collectives are not changed.
 */
#define ESPALIER_REPRODUCIBLE 1U

/**
 * What a collective promises, and how to choose among algorithms. Initialise with
 * ESPALIER_ONESIDED_OPTIONS_INIT: strict, symmetric, chosen. Equal on all members.
 */
typedef struct espalier_onesided_options {
  size_t size;       /**< sizeof(espalier_onesided_options): later versions may add fields */
  unsigned flags;    /**< ESPALIER_REPRODUCIBLE, ESPALIER_LEARN_IN_STARTS, both or 0 */
  espalier_sync in;  /**< when it may begin to touch buffers */
  espalier_sync out; /**< until when it may */
  espalier_addresses addresses; /**< who knows where buffers are */
  char const* algorithm; /**< as `espalier list` names it: "bcast/binomial"; "bcast/native": the
                              collective of the MPI library, with no mechanism; NULL: chosen. The
                              error of one that cannot serve lists those that can */
  char const* mechanism; /**< how data move: "signaling_put", "rendezvous" (neither with
                              local addresses), "eager" or "counting_put"; NULL: chosen */
} espalier_onesided_options;

/**
 * The starts of a request are also trials: it takes turns among what would run otherwise and up to
 * 6 candidates, which are the collective of the MPI library and those that a model finds fastest,
 * until one of them is clearly faster, by at least 3 %. What trials lose is at most 5 % of the time
 * of all starts so far, and 0.25 s in all; one that is slower than was feared may exceed that once.
 * Later runs remember what was found; other requests of this run do not take it. Nothing is learned
 * where algorithm and mechanism are named or were measured already.
 *
 * Until then a start may wait until all members have made the one before, whatever the modes say,
 * and so may the first start of another request, and espalier_request_free(): no member may wait,
 * outside of Espalier, for what another one does only after two more starts. Refused for
 * collectives of arrays.
 *
 * Equal on all members. If not, espalier_request_wait(), espalier_request_test() or
 * espalier_team_fence() returns MPI_ERR_ARG once for that request: on members with the flag of
 * their fifth start, on the others of it or a later one. The collective is complete then, all goes
 * on, and nothing is learned.
 */
#define ESPALIER_LEARN_IN_STARTS 2U

#define ESPALIER_ONESIDED_OPTIONS_INIT                                                             \
  {sizeof(espalier_onesided_options),                                                              \
   0,                                                                                              \
   ESPALIER_ALLSYNC,                                                                               \
   ESPALIER_ALLSYNC,                                                                               \
   ESPALIER_ADDRESSES_SYMMETRIC,                                                                   \
   0,                                                                                              \
   0}

#ifdef __cplusplus
}
#endif

#endif
