/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * Communicators whose rank order makes the trees of a collective faster [karlsson2012].
 *
 * MPI libraries build the trees of bcast, gather, reduce and scatter over rank numbers. Which ranks
 * are near each other decides what such a tree costs, so another order of the same ranks can be
 * faster. docs/howto/reorder_a_communicator.md says when.
 *
 * @code
 *     MPI_Comm ordered = MPI_COMM_NULL;
 *     espalier_order_report report;
 *     espalier_order_create(comm, "scatter", root, bytes, NULL, &ordered, &report);
 *     if (num_calls > report.num_calls_to_pay) {
 *       espalier_order_ranks(comm, ordered, rank_at);
 *       ... parts of rank rank_at[i] at place i ...
 *       MPI_Scatter(.., 0, ordered);
 *     }
 *     MPI_Comm_free(&ordered);
 * @endcode
 *
 * Functions return MPI_SUCCESS or an MPI error code that was given to the error handler of their
 * first communicator; espalier_last_error() says more.
 */

#ifndef ESPALIER_ORDER_H
#define ESPALIER_ORDER_H

#include <stddef.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Number of characters of the name of an order, with the closing 0. */
#define ESPALIER_ORDER_NAME_LEN 32

/**
 * How to find an order. Initialise with ESPALIER_ORDER_OPTIONS_INIT: every field left at 0 or NULL
 * has its default. Equal on all ranks.
 */
typedef struct espalier_order_options {
  size_t size;         /**< sizeof(espalier_order_options): later versions may add fields */
  unsigned flags;      /**< must be 0 */
  int num_trial_calls; /**< of MPI's own collective that are timed in both orders, after one that is
                            not; the order of comm is kept unless the new one is 2 % faster. Default
                            0: none, the model decides */
  char const* order;   /**< "standard", "fef" (fastest edge first), "cao" (channel aware),
                            "cao_published", "random", "smp", "round_robin" or "folded"; default
                            "best": of standard, fef and cao the fastest by the model */
  char const* machine; /**< a machine text, or a file; if its links have times nothing is measured.
                            Default: ESPALIER_MACHINE */
  char const* memory;  /**< a file that keeps measured distances between runs, or "off"; default:
                            one in the folder of ESPALIER_MEMORY, or of the user's state, and none
                            if ESPALIER_MEMORY is "off" */
  double measure_seconds; /**< how long round trips are measured, if they are; default: 0.1. A few
                               of each kind are in any case */
} espalier_order_options;

#define ESPALIER_ORDER_OPTIONS_INIT {sizeof(espalier_order_options), 0, 0, 0, 0, 0, 0}

/** Where the distances between ranks came from. */
typedef enum espalier_order_source {
  ESPALIER_ORDER_MEASURED = 0,   /**< between the ranks, now */
  ESPALIER_ORDER_REMEMBERED = 1, /**< measured by an earlier run, and still true */
  ESPALIER_ORDER_DESCRIBED = 2   /**< by a machine text or file */
} espalier_order_source;

/** What an order promises and what it took, on the slowest rank. Times are in microseconds. */
typedef struct espalier_order_report {
  char order[ESPALIER_ORDER_NAME_LEN]; /**< that was chosen */
  int source;                          /**< an espalier_order_source */
  int num_groups;           /**< of ranks near each other, as they were found; 1: all are alike */
  double channels_across;   /**< messages at once between two groups without loss; infinity: any */
  double channels_inside;   /**< the same inside a group */
  int num_pairs;            /**< of ranks whose round trips were measured */
  int num_trial_calls;      /**< that were timed in each order; 0: the next two are of the model */
  double standard_us;       /**< a call in the order of comm */
  double chosen_us;         /**< a call in the order that was chosen */
  double model_standard_us; /**< a call in the order of comm, by the model */
  double model_chosen_us;   /**< a call in the order that the model chose */
  double find_us;           /**< where ranks run */
  double measure_us;        /**< round trips, or reading what is remembered */
  double compute_us;        /**< the orders */
  double create_us;         /**< the communicator */
  double trial_us;          /**< calls that were timed */
  double num_calls_to_pay;  /**< calls that save as much as all this took; infinity if none do */
} espalier_order_report;

/**
 * Make a communicator of the same ranks in which the tree of a collective is faster.
 *
 * Rank 0 of the new communicator is the root. Roots, parts and operands go by the new ranks there;
 * espalier_order_ranks() translates. All collectives of MPI work on it, also under the preload
 * library, which sees it made.
 *
 * The times are those of a binomial tree. Libraries use other algorithms for large bcasts and
 * reduces, and linear ones for some gathers and scatters: give num_trial_calls to measure.
 *
 * Collective over comm; all arguments must be equal on all ranks, but for report. Costs a split by
 * shared memory, a gather of places, a broadcast of the order, one MPI_Comm_split; and messages
 * between pairs of ranks for measure_seconds if distances are neither described nor remembered.
 *
 * @param comm        Intracommunicator.
 * @param collective  "bcast", "gather", "reduce" or "scatter".
 * @param root        A rank of comm.
 * @param bytes       Of a rank's part of a gather or scatter, of the message of others;
 *                    1 .. 2^31-1.
 * @param options     NULL for defaults.
 * @param newcomm     [out] To be freed by MPI_Comm_free.
 * @param report      [out] The same on all ranks; NULL where it is not wanted.
 *
 * @return MPI_SUCCESS, or a code of the class MPI_ERR_COMM, MPI_ERR_ARG, MPI_ERR_ROOT,
 *         MPI_ERR_COUNT for bytes, or MPI_ERR_NO_MEM. The same class on every rank, unless comm is
 *         not a communicator there.
 */
int espalier_order_create(
    MPI_Comm comm,
    char const* collective,
    int root,
    size_t bytes,
    espalier_order_options const* options,
    MPI_Comm* newcomm,
    espalier_order_report* report
);

/**
 * The rank in comm of each rank of newcomm. Not collective.
 *
 * @param newcomm  As espalier_order_create() made it of comm, or any of ranks of comm.
 * @param ranks    [out] As many as newcomm has ranks: ranks[i] is rank i there.
 */
int espalier_order_ranks(MPI_Comm comm, MPI_Comm newcomm, int ranks[]);

/**
 * Time each step of the binomial tree of a collective, from or to rank 0, in the order of comm.
 *
 * Step s sends the messages of that step only, and the next one begins when all have arrived. So
 * the sum is more than a call takes; it shows which steps an order makes cheaper [karlsson2012,
 * table 4.12].
 *
 * Collective over comm; all arguments must be equal on all ranks.
 *
 * @param comm        Intracommunicator, such as newcomm above.
 * @param collective  As above; a gather and a reduce send upwards, their first step is that of the
 *                    leaves. A reduce is timed without its operator.
 * @param bytes       As above; a message of at most 2^31-1 bytes may result from it.
 * @param num_calls   How often each step is timed, after once that is not; >= 1.
 * @param max_steps   Room in mean_us and sd_us, >= 0.
 * @param mean_us     [out] Of each step, on the slowest rank.
 * @param sd_us       [out] Standard deviations, 0 of a single call; may be NULL.
 * @param num_steps   [out] ceil(log2 p) for p ranks, which may be more than max_steps.
 */
int espalier_order_steps(
    MPI_Comm comm,
    char const* collective,
    size_t bytes,
    int num_calls,
    int max_steps,
    double mean_us[],
    double sd_us[],
    int* num_steps
);

#ifdef __cplusplus
}
#endif

#endif
