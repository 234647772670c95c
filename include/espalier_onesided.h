/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * One-sided communication of Espalier: puts, gets and counters between segments of memory, and
 * collectives of teams that say when they touch whose buffers. Programs include this header. It
 * has no declarations of its own: what it includes are its parts.
 *
 * A conduit joins the processes of a communicator. Each has a segment that the others reach by rank
 * and offset. A team is some of them; its collectives are planned once and started any number of
 * times, many at the same time. All functions of a conduit and of its teams are called by one
 * thread at a time.
 *
 * @code
 *     espalier_conduit* conduit = NULL;
 *     espalier_team* team = NULL;
 *     espalier_request* step = NULL;
 *     espalier_onesided_options strict = ESPALIER_ONESIDED_OPTIONS_INIT;
 *     espalier_conduit_attach(MPI_COMM_WORLD, n * sizeof(double), NULL, &conduit);
 *     espalier_team_create(conduit, MPI_COMM_WORLD, 0, &team);
 *     double* x = espalier_conduit_segment(conduit);
 *     espalier_team_bcast_init(x, n, MPI_DOUBLE, 0, team, &strict, &step);
 *     espalier_request_start(step);
 *     compute_something_else();
 *     espalier_request_wait(step);
 *     espalier_request_free(&step);
 *     espalier_team_free(&team);
 *     espalier_conduit_detach(&conduit);
 * @endcode
 *
 * Progress: every function that waits, espalier_conduit_poll() and espalier_request_test() move on
 * what is under way on the conduit and on all of its teams. Nothing moves by itself; a process that
 * computes for long polls now and then. One that waits in MPI itself moves nothing on, so it must
 * not wait there for what others do only after a collective or transfer that needs it.
 *
 * Unless said otherwise functions return MPI_SUCCESS or an MPI error code that was given to the
 * error handler of the communicator of the conduit or team (of a conduit: the handler that it had
 * when the conduit was attached; of handles that are NULL: that of MPI_COMM_SELF). Of arguments
 * that cannot be right the class is MPI_ERR_ARG, or MPI_ERR_BUFFER, _COMM, _COUNT, _OP, _REQUEST,
 * _ROOT or _TYPE where that says it; then nothing has happened, and all goes on. MPI_ERR_NO_MEM:
 * memory or scratch space does not suffice; MPI_ERR_OTHER: it cannot be served, as a node's memory
 * between nodes. MPI_Error_string() and espalier_last_error() of espalier.h say what was expected
 * and found.
 */

#ifndef ESPALIER_ONESIDED_H
#define ESPALIER_ONESIDED_H

#include <espalier_conduit.h>          /* IWYU pragma: export */
#include <espalier_message.h>          /* IWYU pragma: export */
#include <espalier_neighbor.h>         /* IWYU pragma: export: espalier_request, its functions */
#include <espalier_team.h>             /* IWYU pragma: export */
#include <espalier_team_collectives.h> /* IWYU pragma: export */
#include <espalier_team_tuning.h>      /* IWYU pragma: export */

#endif
