/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * Active messages of espalier_onesided.h, which includes this: a message runs a function of its
 * receiver, which may answer. A runtime for partitioned global address spaces asks for memory,
 * queues for a lock or starts a task with them; data that nobody has to look at are put.
 *
 * The functions, called handlers, are given to espalier_conduit_attach(), and messages name them by
 * number. A handler runs on the receiver, in a call of it that polls or waits on the conduit or on
 * its teams, one at a time. It must not wait, and no exception may leave it. Of the conduit it may
 * call what takes the message, espalier_counter(), and what only asks: rank, size, transport and
 * segments. Anything else is an error, before anything happens. The message ends with its handler,
 * and so do the arguments and the payload of a medium message.
 *
 * @code
 *     static void raise_hand(espalier_message* message, void* context) {
 *       uint64_t const mine[] = {*(uint64_t*)context};
 *       espalier_reply_short(mine, 1, 1, message);
 *     }
 *     static void take(espalier_message* message, void* context) {
 *       int num_arguments = 0;
 *       *(uint64_t*)context += espalier_message_arguments(message, &num_arguments)[0];
 *     }
 *     espalier_handler* const handlers[] = {raise_hand, take};
 *     espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
 *     options.handlers = handlers;
 *     options.num_handlers = 2;
 *     options.context = &number;
 *     espalier_conduit_attach(MPI_COMM_WORLD, bytes, &options, &conduit);
 *     espalier_send_short(NULL, 0, 0, neighbor, conduit);
 *     espalier_wait_until(has_answer, &number, conduit);
 * @endcode
 *
 * A message has up to ESPALIER_MAX_ARGUMENTS numbers. A short one has nothing else. A medium one
 * brings a payload that its handler finds in memory of the conduit, a long one puts its payload
 * into the segment of the receiver before its handler runs. Two messages may overtake each other.
 * A sender waits where the receiver has no room, and everything goes on meanwhile; replies have
 * their room.
 *
 * A handler can answer nobody but the sender of its message. So the owner of a lock does not hand
 * it over: it answers who asks with who asked before, who then waits for a signal of that one
 * (espalier_signal()) when the lock is free.
 */

#ifndef ESPALIER_MESSAGE_H
#define ESPALIER_MESSAGE_H

#include <stdint.h>

#include <espalier_conduit.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most numbers of a message. */
#define ESPALIER_MAX_ARGUMENTS 5

/** The most bytes of the payload of a medium message; at least 256. Not collective; 0 for NULL. */
uint64_t espalier_max_medium_bytes(espalier_conduit const* conduit);

/**
 * Send a message that has numbers only. Returns when they may be written again. Not collective.
 *
 * @param arguments      may be NULL if there are none
 * @param num_arguments  at most ESPALIER_MAX_ARGUMENTS
 * @param handler        its number on the receiver
 * @param rank           of the receiver, which may be the sender
 */
int espalier_send_short(
    uint64_t const* arguments, int num_arguments, int handler, int rank, espalier_conduit* conduit
);
/**
 * The same with a payload, which may be written again when it returns. Not collective.
 *
 * @param num_bytes  at most espalier_max_medium_bytes()
 */
int espalier_send_medium(
    void const* payload,
    uint64_t num_bytes,
    uint64_t const* arguments,
    int num_arguments,
    int handler,
    int rank,
    espalier_conduit* conduit
);
/** The same, where the payload lies in the segment of the receiver. Not collective. */
int espalier_send_long(
    void const* payload,
    uint64_t num_bytes,
    uint64_t const* arguments,
    int num_arguments,
    int handler,
    espalier_remote to,
    espalier_conduit* conduit
);
/**
 * Wait until a condition holds that messages or counters make true; meanwhile handlers run, and all
 * that is under way moves on. Not collective.
 *
 * @param is_true  not 0 if it holds; called often, and must not wait or call the conduit, but for
 *     espalier_counter()
 */
int espalier_wait_until(int (*is_true)(void* context), void* context, espalier_conduit* conduit);

/** Inside of a handler: the conduit on which the message came. NULL for NULL. */
espalier_conduit* espalier_message_conduit(espalier_message const* message);
/** The rank that sent the message. -1 for NULL. */
int espalier_message_source(espalier_message const* message);
/** The number of the handler that runs. -1 for NULL. */
int espalier_message_handler(espalier_message const* message);
/** The numbers of the message. NULL for NULL. @param num_arguments [out] how many; may be NULL */
uint64_t const* espalier_message_arguments(espalier_message const* message, int* num_arguments);
/** The payload: of a long message where it lies in the segment, of a medium one aligned to 16
   bytes. NULL if it has no bytes. @param num_bytes [out] may be NULL */
void* espalier_message_payload(espalier_message const* message, uint64_t* num_bytes);

/**
 * Answer the sender: once, and not an answer. Never waits, except for a long payload over "rma",
 * as espalier_conduit_poll(). Arguments as for espalier_send_short()
 * and its like; what is wrong with them reaches the error handler of the conduit.
 */
int espalier_reply_short(
    uint64_t const* arguments, int num_arguments, int handler, espalier_message* message
);
int espalier_reply_medium(
    void const* payload,
    uint64_t num_bytes,
    uint64_t const* arguments,
    int num_arguments,
    int handler,
    espalier_message* message
);
/** @param offset  where the payload goes in the segment of the sender of the message */
int espalier_reply_long(
    void const* payload,
    uint64_t num_bytes,
    uint64_t const* arguments,
    int num_arguments,
    int handler,
    uint64_t offset,
    espalier_message* message
);

#ifdef __cplusplus
}
#endif

#endif
