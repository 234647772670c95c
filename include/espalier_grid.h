/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * Process grids of Espalier: a communicator mapped onto the hardware, the communicators of its
 * lines (rows, columns, ..), and collectives along all dimensions at once.
 *
 * @code
 *     int const dims[] = {8, 12};
 *     int const roots[] = {0, 0};
 *     espalier_grid* grid = NULL;
 *     espalier_grid_create(MPI_COMM_WORLD, 2, dims, NULL, NULL, &grid);
 *     espalier_grid_bcast(grid, buffers, counts, types, roots);
 *     espalier_grid_free(&grid);
 * @endcode
 *
 * Dimension i has ranks that differ in coordinate i only: in two dimensions the columns are
 * dimension 0, the rows dimension 1. Collectives take one argument for each dimension, roots are
 * coordinates on the line, and messages along different dimensions may differ in everything.
 *
 * Each collective can be planned once and started any number of times, by the functions of requests
 * in espalier_neighbor.h, where progress is described, too:
 *
 * @code
 *     espalier_request* spread = NULL;
 *     espalier_grid_bcast_init(grid, buffers, counts, types, roots, &spread);
 *     for (int step = 0; step < num_steps; ++step) {
 *       espalier_request_start(spread);
 *       compute_meanwhile();
 *       espalier_request_wait(spread);
 *     }
 *     espalier_request_free(&spread);
 * @endcode
 *
 * Unless said otherwise functions return MPI_SUCCESS or an MPI error code that was given to the
 * error handler of the communicator of the grid: MPI_ERR_ARG for arguments that cannot be right,
 * MPI_ERR_DIMS for a grid that does not fit, MPI_ERR_OTHER if the algorithm cannot serve the call.
 */

#ifndef ESPALIER_GRID_H
#define ESPALIER_GRID_H

#include <stddef.h>

#include "espalier_neighbor.h" /* espalier_request and its functions */

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A mapped Cartesian communicator with its lines. */
typedef struct espalier_grid espalier_grid;

/**
 * What the program will do on a grid, to be timed on candidates: any calls on the grid and its
 * communicators, the same number of times on all its ranks. Must not free the grid, and frees the
 * requests that it makes.
 *
 * @return MPI_SUCCESS or an MPI error code, which ends the search.
 */
typedef int espalier_grid_pattern(espalier_grid* grid, void* context);

/**
 * How to map a grid, and how to run its collectives. Initialise with ESPALIER_GRID_OPTIONS_INIT:
 * every field left at 0 or NULL has its default. Equal on all ranks, but for context.
 */
typedef struct espalier_grid_options {
  size_t size;           /**< sizeof(espalier_grid_options): later versions may add fields */
  unsigned flags;        /**< must be 0 */
  int is_overlapped;     /**< not 0: collectives run along all dimensions at the same time, so that
                              no output may overlap another buffer; default: one after the other */
  char const* mapping;   /**< "identity" or a walk (docs/explanation/mapping/walks.md names them);
                              default: the best of all by messages between nearest neighbours */
  char const* algorithm; /**< of collectives: "native" (default; MPI's own on the communicators of
                              lines), "binomial", or "pipeline" (bcast and reduce); the last two
                              make no communicators of lines, and do not serve device memory */
  size_t segment_bytes;  /**< of pipelines; default: 65536 */
  espalier_grid_pattern* pattern; /**< if not NULL, candidates are tried and the fastest is kept;
                                       mapping must be NULL */
  void* context;                  /**< handed to pattern */
  int num_calls;      /**< of pattern that are timed on each candidate, after one that is not;
                           default: 3 */
  int num_candidates; /**< at most, the order of comm_old among them; default: 4 */
} espalier_grid_options;

#define ESPALIER_GRID_OPTIONS_INIT {sizeof(espalier_grid_options), 0, 0, 0, 0, 0, 0, 0, 0, 0}

/** What finding a mapping took on the slowest rank, in microseconds, and what it saves. */
typedef struct espalier_grid_overhead {
  double sort_us;          /**< where ranks run, ordered by node */
  double choose_us;        /**< divisors, walks, scores */
  double rearrange_us;     /**< rank vectors, made on rank 0 and sent to all */
  double create_us;        /**< communicators, those of candidates included */
  double trial_us;         /**< pattern, on all candidates */
  double standard_us;      /**< a call of pattern in the order of comm_old; 0: not tried */
  double chosen_us;        /**< a call of pattern in the mapping that was chosen; 0: not tried */
  double num_calls_to_pay; /**< calls that save as much as all this took; infinity if none do */
} espalier_grid_overhead;

/**
 * Map a grid onto the hardware.
 *
 * One MPI_Comm_split makes the order, one MPI_Cart_create the grid, one MPI_Comm_split each line
 * when it is asked for.
 *
 * Collective over comm_old; all arguments must be equal on all ranks, but for options->context.
 * Costs a split by shared memory, an allgather of places, a broadcast of the mapping; with a
 * pattern also communicators and 1 + num_calls calls for each candidate.
 *
 * @param comm_old  Intracommunicator.
 * @param ndims     Number of dimensions, >= 1.
 * @param dims      Extents, >= 1; the product may be less than the size of comm_old.
 * @param periods   True for each dimension that is periodic; NULL: none is.
 * @param options   NULL for defaults.
 * @param grid      [out] To be freed by espalier_grid_free(); NULL on ranks that the grid leaves
 *                  out.
 */
int espalier_grid_create(
    MPI_Comm comm_old,
    int ndims,
    int const dims[],
    int const periods[],
    espalier_grid_options const* options,
    espalier_grid** grid
);

/**
 * Free a grid and all its communicators; its requests must have been freed before. Collective over
 * the grid.
 *
 * @param grid  [inout] Becomes NULL.
 */
int espalier_grid_free(espalier_grid** grid);

/**
 * The Cartesian communicator. Not collective.
 *
 * @param comm  [out] The grid's: must not be freed.
 */
int espalier_grid_comm(espalier_grid* grid, MPI_Comm* comm);

/**
 * The ranks that differ from this one in one coordinate only, ordered by it.
 *
 * Collective over the grid when called for the first time for a dimension, which then costs one
 * MPI_Comm_split; "native" collectives do that too.
 *
 * @param dimension  Counted from 0.
 * @param line       [out] The grid's: must not be freed.
 */
int espalier_grid_line(espalier_grid* grid, int dimension, MPI_Comm* line);

/**
 * What finding the mapping took. Not collective.
 *
 * @param overhead  [out] The same on all ranks.
 * @param mapping   [out] Room for num characters with the closing 0: which was taken; may be NULL.
 * @param num       Room in mapping.
 */
int espalier_grid_report(
    espalier_grid* grid, espalier_grid_overhead* overhead, char mapping[], int num
);

/**
 * A broadcast along each dimension, as MPI_Bcast on each line. Collective over the grid.
 */
int espalier_grid_bcast(
    espalier_grid* grid,
    void* const buffers[],
    int const counts[],
    MPI_Datatype const types[],
    int const roots[]
);

/**
 * A gather along each dimension, as MPI_Gather on each line; MPI_IN_PLACE at roots.
 * Collective over the grid.
 */
int espalier_grid_gather(
    espalier_grid* grid,
    void const* const sendbufs[],
    int const sendcounts[],
    MPI_Datatype const sendtypes[],
    void* const recvbufs[],
    int const recvcounts[],
    MPI_Datatype const recvtypes[],
    int const roots[]
);

/**
 * A scatter along each dimension, as MPI_Scatter on each line; MPI_IN_PLACE at roots.
 * Collective over the grid.
 */
int espalier_grid_scatter(
    espalier_grid* grid,
    void const* const sendbufs[],
    int const sendcounts[],
    MPI_Datatype const sendtypes[],
    void* const recvbufs[],
    int const recvcounts[],
    MPI_Datatype const recvtypes[],
    int const roots[]
);

/**
 * A reduction along each dimension, as MPI_Reduce on each line; MPI_IN_PLACE at roots.
 * Collective over the grid.
 */
int espalier_grid_reduce(
    espalier_grid* grid,
    void const* const sendbufs[],
    void* const recvbufs[],
    int const counts[],
    MPI_Datatype const types[],
    MPI_Op const ops[],
    int const roots[]
);

/**
 * Plan a broadcast along each dimension. Begun by espalier_request_start().
 *
 * Collective over the grid, in the same order on all ranks: all of them get a request, or all an
 * error. Requests may be started and completed in any order, and in different orders on different
 * ranks; any number may be under way. The arrays are read now; types may be freed, buffers are used
 * from each start to the end of its wait. Without is_overlapped, the next dimension begins when
 * this rank is through with the one before. A start allocates nothing of Espalier's.
 *
 * "native" runs the nonblocking collectives of MPI, on communicators of lines that each request has
 * for itself, and later ones take over: one MPI_Comm_split for each dimension.
 *
 * @param request  [out] To be freed by espalier_request_free() before the grid.
 */
int espalier_grid_bcast_init(
    espalier_grid* grid,
    void* const buffers[],
    int const counts[],
    MPI_Datatype const types[],
    int const roots[],
    espalier_request** request
);

/** See espalier_grid_bcast_init(). */
int espalier_grid_gather_init(
    espalier_grid* grid,
    void const* const sendbufs[],
    int const sendcounts[],
    MPI_Datatype const sendtypes[],
    void* const recvbufs[],
    int const recvcounts[],
    MPI_Datatype const recvtypes[],
    int const roots[],
    espalier_request** request
);

/** See espalier_grid_bcast_init(). */
int espalier_grid_scatter_init(
    espalier_grid* grid,
    void const* const sendbufs[],
    int const sendcounts[],
    MPI_Datatype const sendtypes[],
    void* const recvbufs[],
    int const recvcounts[],
    MPI_Datatype const recvtypes[],
    int const roots[],
    espalier_request** request
);

/** See espalier_grid_bcast_init(). Type and operator must outlive the request. */
int espalier_grid_reduce_init(
    espalier_grid* grid,
    void const* const sendbufs[],
    void* const recvbufs[],
    int const counts[],
    MPI_Datatype const types[],
    MPI_Op const ops[],
    int const roots[],
    espalier_request** request
);

#ifdef __cplusplus
}
#endif

#endif
