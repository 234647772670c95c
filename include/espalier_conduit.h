/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * Part of espalier_onesided.h: conduits, and puts, gets and counters between the segments of their
 * processes.
 */

#ifndef ESPALIER_CONDUIT_H
#define ESPALIER_CONDUIT_H

#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Processes with segments that all of them reach. */
typedef struct espalier_conduit espalier_conduit;

/** One put or get that was started. Waited for once, by espalier_transfer_wait() or a test that
 * finds it over; afterwards it is used up, and so is every copy. */
typedef struct espalier_transfer {
  uint64_t opaque[3]; /**< of the library; a copy stands for the same transfer */
} espalier_transfer;

/** A place in the segment of a process. */
typedef struct espalier_remote {
  int rank;        /**< of the conduit */
  uint64_t offset; /**< bytes from the beginning of its segment */
} espalier_remote;

/** A message that has arrived, see espalier_message.h. */
typedef struct espalier_message espalier_message;
/** Runs when a message arrives that names it, see there. @param context  that of the options */
typedef void espalier_handler(espalier_message* message, void* context);

/**
 * How to attach. Initialise with ESPALIER_CONDUIT_OPTIONS_INIT. Equal on all ranks, but for what
 * handlers and context are.
 */
typedef struct espalier_conduit_options {
  size_t size;            /**< sizeof(espalier_conduit_options): later versions may add fields */
  unsigned flags;         /**< must be 0 */
  char const* transport;  /**< "node" (memory that the processes share), "rma" (MPI-3 one-sided
                               communication), "ucx" (networks that UCX knows, if the library was
                               built with it); NULL: "node" if all are on one node, else "ucx" if
                               all processes find UCX, else "rma". On simulated machines there is
                               only "simulated" */
  uint64_t scratch_bytes; /**< beside each segment, for all teams, in units of 4 KiB; 0: 4 MiB */
  espalier_handler* const* handlers; /**< what messages run, by number; copied */
  int num_handlers;                  /**< at most 65536 */
  void* context;                     /**< of all handlers */
} espalier_conduit_options;

#define ESPALIER_CONDUIT_OPTIONS_INIT {sizeof(espalier_conduit_options), 0, 0, 0, 0, 0, 0}

/**
 * Make a conduit of the processes of a communicator. Collective over comm, which may be freed
 * afterwards.
 *
 * @param segment_bytes  What others reach of this process, zero at first; may differ between ranks.
 * @param options        NULL for defaults.
 * @param conduit        [out] To be detached before MPI_Finalize().
 */
int espalier_conduit_attach(
    MPI_Comm comm,
    uint64_t segment_bytes,
    espalier_conduit_options const* options,
    espalier_conduit** conduit
);

/**
 * End a conduit; its teams must have been freed. Collective over its processes: others that wait
 * for this one afterwards get MPI_ERR_OTHER on the conduit of a node, and may wait for ever on
 * another one.
 *
 * @param conduit [inout] NULL afterwards.
 */
int espalier_conduit_detach(espalier_conduit** conduit);

/** The rank of this process. Not collective; -1 for NULL. */
int espalier_conduit_rank(espalier_conduit const* conduit);
/** The number of processes. Not collective; 0 for NULL. */
int espalier_conduit_size(espalier_conduit const* conduit);
/** "node", "rma", "ucx" or "simulated". Not collective; "" for NULL. */
char const* espalier_conduit_transport(espalier_conduit const* conduit);
/** The segment of this process, aligned to cache lines. Not collective; NULL for NULL. */
void* espalier_conduit_segment(espalier_conduit const* conduit);
/** Bytes of the segment of a process. Not collective. */
int espalier_conduit_segment_bytes(espalier_conduit const* conduit, int rank, uint64_t* num_bytes);

/** Write to a segment, and wait until the data is there. Not collective. */
int espalier_put(
    void const* from, uint64_t num_bytes, espalier_remote to, espalier_conduit* conduit
);
/** Read from a segment, and wait until the data is here. Not collective. */
int espalier_get(void* to, uint64_t num_bytes, espalier_remote from, espalier_conduit* conduit);
/**
 * Write, and add to a counter of the same process after that: who sees the counter sees the data.
 * Returns when `from` may be written again. Not collective.
 *
 * @param counter  Offset of 8 bytes in the segment, a multiple of 8; counts modulo 2^64.
 */
int espalier_put_signal(
    void const* from,
    uint64_t num_bytes,
    espalier_remote to,
    uint64_t counter,
    uint64_t amount,
    espalier_conduit* conduit
);

/** As espalier_put() without waiting; `from` must stay until the transfer is over, or until
    espalier_transfer_wait_local(). Not collective. */
int espalier_start_put(
    void const* from,
    uint64_t num_bytes,
    espalier_remote to,
    espalier_conduit* conduit,
    espalier_transfer* transfer
);
/** As espalier_start_put(): `to` must not be used until the transfer is over. Not collective. */
int espalier_start_get(
    void* to,
    uint64_t num_bytes,
    espalier_remote from,
    espalier_conduit* conduit,
    espalier_transfer* transfer
);
/**
 * As espalier_put_signal() without waiting. The transfer is over when `from` may be written again,
 * which says nothing about the target: only the counter says that the data are there. One writer
 * makes it a signaling put, several writers to one counter a counting put.
 *
 * It goes on where this process waits or polls, as all that is under way does, and not only in
 * calls that name the transfer. Not collective.
 *
 * @param counter   As for espalier_put_signal(); MPI_ERR_ARG, before anything happens, for one that
 *                  is outside of the segment or no multiple of 8.
 * @param transfer  [out] Waited for once.
 */
int espalier_start_put_signal(
    void const* from,
    uint64_t num_bytes,
    espalier_remote to,
    uint64_t counter,
    uint64_t amount,
    espalier_conduit* conduit,
    espalier_transfer* transfer
);
/** Whether a transfer is over, as after espalier_put(), espalier_get() or espalier_put_signal(). If
 * so it is used up. Not collective. MPI_ERR_ARG for one that was used up before. */
int espalier_transfer_test(
    espalier_conduit* conduit, espalier_transfer* transfer, int* is_complete
);
/** Wait until a transfer is over; it is used up. Not collective. MPI_ERR_ARG for one that was used
 * up before. */
int espalier_transfer_wait(espalier_conduit* conduit, espalier_transfer* transfer);
/**
 * Whether `from` of a put may be written again; of a get, whether it is over. The transfer goes on,
 * and has to be waited for all the same. Not collective; never waits, except as
 * espalier_conduit_poll() does. MPI_ERR_ARG for one that was used up before.
 */
int espalier_transfer_test_local(
    espalier_conduit* conduit, espalier_transfer* transfer, int* is_complete
);
/** Wait until espalier_transfer_test_local() is true; the transfer goes on. Not collective. */
int espalier_transfer_wait_local(espalier_conduit* conduit, espalier_transfer* transfer);

/** As espalier_put() with implicit completion: over at the next espalier_fence(). Not collective.
 */
int espalier_post_put(
    void const* from, uint64_t num_bytes, espalier_remote to, espalier_conduit* conduit
);
/** As espalier_get(), over at the next espalier_fence(). Not collective. */
int espalier_post_get(
    void* to, uint64_t num_bytes, espalier_remote from, espalier_conduit* conduit
);
/**
 * As espalier_put_signal() with implicit completion: `from` must stay until the next
 * espalier_fence(). Neither says that the data are there: only the counter does. Not collective.
 */
int espalier_post_put_signal(
    void const* from,
    uint64_t num_bytes,
    espalier_remote to,
    uint64_t counter,
    uint64_t amount,
    espalier_conduit* conduit
);
/** Wait for all that was posted. Not collective. */
int espalier_fence(espalier_conduit* conduit);

/** Add to a counter of a process, in no order with puts that are not over. Not collective. */
int espalier_signal(espalier_remote counter, uint64_t amount, espalier_conduit* conduit);
/** The value of a counter of this process. Does not poll. */
int espalier_counter(espalier_conduit* conduit, uint64_t offset, uint64_t* value);
/** Wait until a counter of this process is at least that. Not collective. */
int espalier_await(espalier_conduit* conduit, uint64_t offset, uint64_t at_least);

/** Move on what is under way. Not collective. Never waits, except over "rma" where MPI makes its
 * windows of messages: then for the target of a long put. */
int espalier_conduit_poll(espalier_conduit* conduit);
/** The first half of a barrier of all processes, which orders what was over before. Never waits. */
int espalier_conduit_notify(espalier_conduit* conduit);
/** The second half: whether all processes have notified. Never waits. */
int espalier_conduit_try_barrier(espalier_conduit* conduit, int* is_complete);
/** Both halves. Collective over the processes of the conduit. */
int espalier_conduit_barrier(espalier_conduit* conduit);

#ifdef __cplusplus
}
#endif

#endif
