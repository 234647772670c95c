/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * Shared arrays of Espalier, whose blocks lie in the segments of the members of a team, and
 * collectives that name blocks instead of members: who has one of them takes part.
 *
 * @code
 *     espalier_distribution matrix = ESPALIER_DISTRIBUTION_INIT;
 *     espalier_array* a = NULL;
 *     espalier_request* step = NULL;
 *     matrix.ndims = 2;
 *     matrix.extents[0] = matrix.extents[1] = 200;
 *     matrix.block[0] = matrix.block[1] = 4;
 *     matrix.grid[0] = 2;
 *     espalier_array_create(team, &matrix, MPI_DOUBLE, 0, &a);
 *     espalier_region corner = {a, {{0}, {0}}};
 *     espalier_region rest_of_row = {a, {{0}, {1, 1, -1}}};
 *     espalier_array_bcast_init(&corner, &rest_of_row, 16, NULL, &step);
 * @endcode
 *
 * A block belongs to one member, its owner, which is said to have affinity to it. The owner keeps
 * it whole, in row-major order, also where the edge of the array cuts it: elements outside of the
 * array have memory and mean nothing. Members keep their blocks one behind the other, in row-major
 * order, and every member has as much memory as the one with the most blocks. So the place of
 * every element is known to every member, see espalier_array_place().
 *
 * Errors are those of espalier_onesided.h, given to the error handler of the communicator of the
 * team.
 */

#ifndef ESPALIER_ARRAY_H
#define ESPALIER_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include <espalier_onesided.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** As many dimensions as an array may have. */
#define ESPALIER_ARRAY_MAX_DIMS 4

/** Elements in the segments of the members of a team. */
typedef struct espalier_array espalier_array;

/**
 * How the blocks of an array are dealt to a grid of members: in each dimension in turn, block 0 to
 * the first position of the grid. Members are numbered as the grid is, in row-major order.
 * Initialise with ESPALIER_DISTRIBUTION_INIT.
 *
 * In one dimension: a block of 1 is a cyclic array, of the whole extent one that the first member
 * has, and of 0 a blocked one, where each member has one block.
 */
typedef struct espalier_distribution {
  size_t size;    /**< sizeof(espalier_distribution): later versions may add fields */
  unsigned flags; /**< must be 0 */
  int ndims;      /**< 1 .. ESPALIER_ARRAY_MAX_DIMS; what is beyond means nothing */
  int64_t extents[ESPALIER_ARRAY_MAX_DIMS]; /**< elements in each dimension, at least 1 */
  int64_t block[ESPALIER_ARRAY_MAX_DIMS];   /**< elements of a block; 0: one block for each position
                                                 of the grid */
  int grid[ESPALIER_ARRAY_MAX_DIMS]; /**< positions, as many as members in all; 0, in at most one
                                          dimension: what the others leave */
} espalier_distribution;

#define ESPALIER_DISTRIBUTION_INIT                                                                 \
  {                                                                                                \
    sizeof(espalier_distribution), 0, 1, {0}, {0}, {                                               \
      0                                                                                            \
    }                                                                                              \
  }

/**
 * Memory that an array needs at its offset in the segment of every member. Not collective, and
 * needs no team, so that a segment can be made as large. Errors go to the handler of MPI_COMM_SELF.
 *
 * @param num_members  Of the team that it is for.
 * @param num_bytes    [out] For elements of the datatype.
 */
int espalier_distribution_bytes(
    espalier_distribution const* distribution,
    MPI_Datatype datatype,
    int num_members,
    uint64_t* num_bytes
);

/**
 * Describe an array that lies in the segments of a team. Not collective: what is in the segments
 * stays, and nobody is told. But arrays that members name in the same collective are equal.
 *
 * @param datatype  Contiguous; stays until the array and requests planned with it are freed.
 * @param offset    Bytes from the beginning of the segment of each member to its blocks.
 * @param array     [out] To be freed before the team. MPI_ERR_ARG if a segment is too small.
 */
int espalier_array_create(
    espalier_team* team,
    espalier_distribution const* distribution,
    MPI_Datatype datatype,
    uint64_t offset,
    espalier_array** array
);
/**
 * Forget an array. Not collective; requests that were planned with it go on to be valid.
 *
 * @param array [inout] NULL afterwards.
 */
int espalier_array_free(espalier_array** array);

/** How an array is distributed, with nothing left to be chosen. Not collective. */
int espalier_array_distribution(espalier_array const* array, espalier_distribution* distribution);

/**
 * Where an element is, for espalier_put() and others. Not collective.
 *
 * @param element  As many numbers as the array has dimensions, from 0.
 * @param place    [out] Its rank is that of its owner on the conduit.
 */
int espalier_array_place(
    espalier_array const* array, int64_t const element[], espalier_remote* place
);

/** Blocks in one dimension: first, first + stride, ... up to last, which is one of them or not. */
typedef struct espalier_blocks {
  int64_t first;  /**< from 0 */
  int64_t stride; /**< at least 1; 0: the first block alone, and last is 0, too */
  int64_t last;   /**< -1: the last one of the array */
} espalier_blocks;

/** All blocks in one dimension. */
#define ESPALIER_ALL_BLOCKS {0, 1, -1}

/**
 * Blocks of an array: all combinations of those of each dimension, numbered from 0 in row-major
 * order.
 */
typedef struct espalier_region {
  espalier_array* array; /**< that has them */
  espalier_blocks
      blocks[ESPALIER_ARRAY_MAX_DIMS]; /**< what is beyond the dimensions means nothing */
} espalier_region;

/** Whether this member has a block of a region. Not collective. */
int espalier_region_has_affinity(espalier_region const* region, int* has_affinity);

/**
 * Plan a broadcast of blocks: the first `count` elements of one block become the first ones of
 * every block of a region, which may be one of them.
 *
 * Collectives of blocks have arrays of one team, with elements of one datatype. The pieces that
 * they move are `count` elements each; those of a block lie one behind the other from its
 * beginning, and have room in it. What is read is not written.
 *
 * Collective over the members that have one of the blocks, the implicit team: they plan such
 * collectives in the same order, and start them in the same order, with equal arguments. Who has
 * none of the blocks may do the same, and gets a request that does nothing. Planning waits for the
 * others if they are an implicit team for the first time, and for nobody otherwise; see
 * espalier_team_cache_limits(). Started and completed as requests of espalier_onesided.h; tuned by
 * espalier_request_tune(), which waits for what was started on the implicit team before.
 *
 * Modes mean what they mean there, of blocks instead of buffers, and of the implicit team instead
 * of the team. With ESPALIER_ADDRESSES_SYMMETRIC, data go straight from block to block if the
 * layout permits it: if all that a member gives is one run of its segment, and what it gets too, at
 * any offsets. ESPALIER_ADDRESSES_SINGLE is the same here, as distributions say where blocks are.
 * Otherwise, and with ESPALIER_ADDRESSES_LOCAL, data pass through scratch space of the implicit
 * team. espalier_explain() says what was planned.
 *
 * @param from     One block.
 * @param to       At least one block.
 * @param options  NULL for strict, symmetric and chosen.
 * @param request  [out] To be freed by espalier_request_free() when it is not under way, before the
 *                 team.
 */
int espalier_array_bcast_init(
    espalier_region const* from,
    espalier_region const* to,
    int count,
    espalier_onesided_options const* options,
    espalier_request** request
);
/** Piece i of one block goes to the beginning of block i of a region. As
 * espalier_array_bcast_init(). */
int espalier_array_scatter_init(
    espalier_region const* from,
    espalier_region const* to,
    int count,
    espalier_onesided_options const* options,
    espalier_request** request
);
/** The first piece of block i of a region becomes piece i of one block. As
 * espalier_array_bcast_init(). */
int espalier_array_gather_init(
    espalier_region const* from,
    espalier_region const* to,
    int count,
    espalier_onesided_options const* options,
    espalier_request** request
);
/** Piece i of block j of a region becomes piece j of block i of another one with as many blocks. As
 * espalier_array_bcast_init(). */
int espalier_array_exchange_init(
    espalier_region const* from,
    espalier_region const* to,
    int count,
    espalier_onesided_options const* options,
    espalier_request** request
);
/**
 * One block gets what the operator makes of the first pieces of all blocks of a region, in their
 * order if the operator is not commutative. As espalier_array_bcast_init().
 *
 * Pieces are gathered and combined by the owner of `to` if it has no block of `from`, or if the
 * operator is not commutative and the blocks are not in the order of their owners.
 */
int espalier_array_reduce_init(
    espalier_region const* from,
    espalier_region const* to,
    int count,
    MPI_Op op,
    espalier_onesided_options const* options,
    espalier_request** request
);

/**
 * Bound the implicit teams that a team keeps: one for each set of members that has run a collective
 * of blocks. Not collective, but equal on all members, and before the first one is made.
 *
 * When a member would keep more, planning is MPI_ERR_NO_MEM on all members that take part, and so
 * it is if the conduit has no scratch space left. None is given up silently: all of its members
 * would have to give it up together, and whoever plans does not know of the other teams of others.
 *
 * @param most_teams     That a member is in at the same time; at least 0. By default 16.
 * @param scratch_bytes  Of the conduit's, for each of them; 0: a thirty-second part, as by default.
 *                       A collective that needs more than half of it is refused.
 */
int espalier_team_cache_limits(espalier_team* team, int most_teams, uint64_t scratch_bytes);
/** Implicit teams that this member is in. Not collective; 0 for NULL. */
int espalier_team_cache_size(espalier_team const* team);
/**
 * Give up all implicit teams; espalier_team_free() does so, too. Collective over the team, for all
 * members of which it waits. Their requests must have been freed (MPI_ERR_ARG otherwise).
 */
int espalier_team_cache_clear(espalier_team* team);

#ifdef __cplusplus
}
#endif

#endif
