/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * The C interface of Espalier.
 *
 * Link with libespalier-api-<vendor>, of the MPI the program is compiled with. All functions return
 * an MPI error code and report errors to the handler of the communicator they are given.
 */

#ifndef ESPALIER_H
#define ESPALIER_H

#include <stddef.h>

#include "espalier_grid.h"
#include "espalier_neighbor.h"
#include "espalier_order.h"
#include "espalier_planned.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Number of characters of names, with the closing 0. */
#define ESPALIER_NAME_LEN 64

/**
 * What the last error of a function of espalier.h or espalier_mpix.h on this thread was: what was
 * expected, what was found. MPI_Error_string() says the same where the MPI can tell it (MPICH 4
 * tells the class only).
 *
 * Not collective; may be called at any time.
 *
 * @param text  [out] Cut to len characters with the closing 0; may be NULL.
 * @param len   Room in text.
 *
 * @return Length of the whole text without the closing 0; 0 if there was no error.
 */
int espalier_last_error(char text[], int len);

/**
 * What is known of a program's messages, and how to map it. Initialise with
 * ESPALIER_CART_OPTIONS_INIT: every field left at 0 or NULL has its default.
 */
typedef struct espalier_cart_options {
  size_t size;        /**< sizeof(espalier_cart_options), so that later versions may add fields */
  unsigned flags;     /**< must be 0 */
  int num_neighbors;  /**< of the stencil; default: the 2 ndims nearest */
  int const* offsets; /**< num_neighbors * ndims, row by row: where the neighbours are */
  double const* weights; /**< num_neighbors, above 0: what is sent there, e.g. bytes; default: 1;
                              to nearest neighbours what dim_weights say of their faces */
  double const* dim_weights; /**< ndims, >= 0, as MPIX_Cart_weighted_create; default: equal */
  int num_level_costs;       /**< entries of level_costs; default: what is known of the machine */
  int verbose;               /**< not 0: rank 0 prints one line on stderr, before and after */
  double const* level_costs; /**< above 0: of a unit of data at each level, outermost first; levels
                                  without one count 1/8 of the level outside them */
  char const* objective; /**< what is made small: "balanced" (default): the mean of what an average
                              and what the worst group sends, "total" or "worst" */
  char const* algorithm; /**< of the portfolio, e.g. "hyperplane"; the error of a wrong name lists
                              them; default: the best of all */
} espalier_cart_options;

#define ESPALIER_CART_OPTIONS_INIT {sizeof(espalier_cart_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/** What crosses one level of the hardware, before (in the order of comm_old) and after. */
typedef struct espalier_cart_level {
  char name[ESPALIER_NAME_LEN]; /**< node, package, .. */
  int num_groups;               /**< of the level, in the whole communicator */
  double cost;                  /**< of a unit of data */
  double total_before; /**< weights of directed messages whose ends first differ at this level */
  double total_after;  /**< the same, in the new order */
  double worst_before; /**< those that leave the group that most leaves */
  double worst_after;  /**< the same, in the new order */
} espalier_cart_level;

/**
 * Make a Cartesian communicator whose ranks stand where their messages stay near.
 *
 * Extents left free are chosen by the weights; all algorithms are tried, the best mapping is
 * improved by swapping ranks, and taken if it is better than the order of comm_old.
 *
 * Collective over comm_old; all arguments must be equal on all ranks. Costs a split by shared
 * memory, an allgather of places, and a broadcast of the mapping.
 *
 * @param comm_old   Intracommunicator.
 * @param ndims      Number of dimensions, >= 1.
 * @param dims       [inout] Entries above 0 are kept, entries of 0 are chosen. If none is 0, the
 *                   product may be less than the size of comm_old.
 * @param periods    True for each dimension that is periodic.
 * @param options    NULL for defaults.
 * @param comm_cart  [out] To be freed by MPI_Comm_free; MPI_COMM_NULL on ranks that the grid leaves
 *                   out.
 *
 * @return MPI_SUCCESS, MPI_ERR_COMM, MPI_ERR_ARG or MPI_ERR_DIMS with a text that says what was
 *         expected. The same code on every rank, unless comm_old is not a communicator there.
 */
int espalier_cart_create(
    MPI_Comm comm_old,
    int ndims,
    int dims[],
    int const periods[],
    espalier_cart_options const* options,
    MPI_Comm* comm_cart
);

/**
 * What a mapping of espalier_cart_create() or MPIX_Cart_weighted_create() has changed.
 *
 * Not collective.
 *
 * @param comm_cart   As it was returned; a duplicate knows nothing.
 * @param max_levels  Room in levels, >= 0.
 * @param levels      [out] Outermost first; may be NULL if max_levels is 0.
 * @param num_levels  [out] How many there are, which may be more than max_levels.
 * @param algorithm   [out] ESPALIER_NAME_LEN characters: what found the mapping, "identity" if
 *                    nothing is better than the order of comm_old. NULL: not wanted.
 *
 * @return MPI_SUCCESS, MPI_ERR_ARG, or MPI_ERR_TOPOLOGY for a communicator without such a record.
 */
int espalier_cart_report(
    MPI_Comm comm_cart,
    int max_levels,
    espalier_cart_level levels[],
    int* num_levels,
    char algorithm[ESPALIER_NAME_LEN]
);

#ifdef __cplusplus
}
#endif

#endif
