/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * Part of espalier_onesided.h: what runs a request of a team, and how to have it measured.
 */

#ifndef ESPALIER_TEAM_TUNING_H
#define ESPALIER_TEAM_TUNING_H

#include <stddef.h>

#include <espalier_neighbor.h> /* espalier_request and its functions */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * How to tune a request. Initialise with ESPALIER_TUNING_OPTIONS_INIT.
 */
typedef struct espalier_tuning_options {
  size_t size;    /**< sizeof(espalier_tuning_options): later versions may add fields */
  unsigned flags; /**< ESPALIER_TUNE_ANEW, ESPALIER_TUNE_EVERY, both or 0. Equal on all members */
  double seconds; /**< that it may take: the trial during which they are over is the last one; 0:
                       0.2. Equal on all members */
  void (*meanwhile)(void* context); /**< called by this member between start and wait of each run,
                                         so that what is tuned is what the program does; it returns,
                                         and uses neither this request nor its buffers; NULL:
                                         nothing. May differ between members */
  void* context;                    /**< what it is given; may differ, too */
} espalier_tuning_options;

/** Measure also what an earlier run measured. */
#define ESPALIER_TUNE_ANEW 1U
/** Try all that can serve, and not only what a model finds fastest. */
#define ESPALIER_TUNE_EVERY 2U
#define ESPALIER_TUNING_OPTIONS_INIT {sizeof(espalier_tuning_options), 0, 0, 0, 0}

/**
 * Measure what runs a request of a team fastest, which it runs from then on: of all algorithms and
 * mechanisms that can serve, within what its options name, the 12 that a model finds fastest, or
 * all (ESPALIER_TUNE_EVERY, and among more than 256 members), and the collective of the MPI
 * library, of which there is no model. The parameters of the model (LogGP) are measured by the
 * first tuning of a team. Where some members share a node, algorithms in which one member of a node
 * acts for the others are among them. What it ran before stays unless another one is clearly
 * faster, by at least 3 % in trials that take turns. A trial is one run, or up to 8 in a row where
 * no mode is ESPALIER_NOSYNC, on the member where it takes longest.
 *
 * The team remembers. Of collectives that it plans afterwards, equal ones take what was found, and
 * near ones too, if it can serve: those that differ by the size of a block, by a factor of at most
 * 2, or by a root if neither root is 0.
 *
 * Later runs remember it for 30 days, of teams with as many members on as many nodes and with the
 * same transport: in a file beside that of ESPALIER_MEMORY, which the first rank of a conduit reads
 * when it is attached, and the first member of a team writes. What is remembered is not measured
 * again: the function returns at once. A file that cannot be used is one line to standard error,
 * and stays as it is.
 *
 * The buffers of the request are used, with what they hold. What it reads is kept, and what it
 * writes is overwritten; modes are kept to as if each run were started by the program. If there was
 * not enough time to decide, the request runs what it ran before, and nothing is remembered.
 *
 * Collective over the team, in the same order as starts, not while the request is under way. All
 * members have planned the same collectives before, in any order. What is wrong on one member is an
 * error on all of them: the class MPI_ERR_REQUEST if it is under way, or belongs to a neighborhood;
 * MPI_ERR_ARG if options are wrong, or members tune different requests.
 *
 * @param options NULL for defaults.
 */
int espalier_request_tune(espalier_request* request, espalier_tuning_options const* options);

/**
 * The mechanism that a collective of a team was planned with, as espalier_request_algorithm() says
 * the algorithm. Not collective.
 *
 * @return "native" where the MPI library moves the data. Lives as long as the request, and until it
 *         is tuned or has learned; "" for NULL and for collectives of neighborhoods.
 */
char const* espalier_request_mechanism(espalier_request const* request);

/**
 * Where algorithm and mechanism of a collective of a team came from. Not collective.
 *
 * @return "named" (both by options), "tuned" (measured for this request or an equal one),
 *         "remembered" (the same by an earlier run), "nearest" (measured for a near one), or "rule"
 *         (of these nothing was measured); "" as for espalier_request_mechanism(). Lives for ever.
 */
char const* espalier_request_origin(espalier_request const* request);

#ifdef __cplusplus
}
#endif

#endif
