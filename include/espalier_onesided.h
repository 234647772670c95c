/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * One-sided communication of Espalier: puts, gets and counters between segments of memory, and
 * collectives of teams that say when they touch whose buffers.
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

#include <stddef.h>
#include <stdint.h>

#include <espalier_neighbor.h> /* espalier_request and its functions */

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Processes with segments that all of them reach. */
typedef struct espalier_conduit espalier_conduit;

/** Some processes of a conduit that run collectives together. */
typedef struct espalier_team espalier_team;

/** One put or get that was started. Waited for once. */
typedef struct espalier_transfer {
  uint64_t opaque[3]; /**< of the library; a copy stands for the same transfer */
} espalier_transfer;

/** A place in the segment of a process. */
typedef struct espalier_remote {
  int rank;        /**< of the conduit */
  uint64_t offset; /**< bytes from the beginning of its segment */
} espalier_remote;

/**
 * How to attach. Initialise with ESPALIER_CONDUIT_OPTIONS_INIT. Equal on all ranks.
 */
typedef struct espalier_conduit_options {
  size_t size;            /**< sizeof(espalier_conduit_options): later versions may add fields */
  unsigned flags;         /**< must be 0 */
  char const* transport;  /**< "node" (memory that the processes share), "rma" (MPI-3 one-sided
                               communication), "ucx" (networks that UCX knows, if the library was
                               built with it); NULL: "node" if all are on one node, else "rma" */
  uint64_t scratch_bytes; /**< beside each segment, for all teams, in units of 4 KiB; 0: 4 MiB */
} espalier_conduit_options;

#define ESPALIER_CONDUIT_OPTIONS_INIT {sizeof(espalier_conduit_options), 0, 0, 0}

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
 * End a conduit; its teams must have been freed. Collective over its processes.
 *
 * @param conduit [inout] NULL afterwards.
 */
int espalier_conduit_detach(espalier_conduit** conduit);

/** The rank of this process. Not collective; -1 for NULL. */
int espalier_conduit_rank(espalier_conduit const* conduit);
/** The number of processes. Not collective; 0 for NULL. */
int espalier_conduit_size(espalier_conduit const* conduit);
/** "node", "rma" or "ucx". Not collective; "" for NULL. */
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
/** Whether a transfer is over, as after espalier_put() or espalier_get(). If so it is used up. */
int espalier_transfer_test(
    espalier_conduit* conduit, espalier_transfer* transfer, int* is_complete
);
/** Wait until a transfer is over; it is used up. MPI_ERR_ARG for one that was used up before. */
int espalier_transfer_wait(espalier_conduit* conduit, espalier_transfer* transfer);
/** Wait until `from` of a put may be written again; the transfer goes on. */
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
/** Wait for all that was posted. Not collective. */
int espalier_fence(espalier_conduit* conduit);

/** Add to a counter of a process, in no order with puts that are not over. Not collective. */
int espalier_signal(espalier_remote counter, uint64_t amount, espalier_conduit* conduit);
/** The value of a counter of this process. Does not poll. */
int espalier_counter(espalier_conduit* conduit, uint64_t offset, uint64_t* value);
/** Wait until a counter of this process is at least that. Not collective. */
int espalier_await(espalier_conduit* conduit, uint64_t offset, uint64_t at_least);

/** Move on what is under way. Never waits; not collective. */
int espalier_conduit_poll(espalier_conduit* conduit);
/** The first half of a barrier of all processes, which orders what was over before. Never waits. */
int espalier_conduit_notify(espalier_conduit* conduit);
/** The second half: whether all processes have notified. Never waits. */
int espalier_conduit_try_barrier(espalier_conduit* conduit, int* is_complete);
/** Both halves. Collective over the processes of the conduit. */
int espalier_conduit_barrier(espalier_conduit* conduit);

/**
 * A team of the processes of a communicator, with its ranks; all are processes of the conduit. So
 * MPI_Comm_split, MPI_Comm_split_type and groups make teams. Collective over comm, which must not
 * be freed before the team. Members that are in several teams make them in the same order. What is
 * under way goes on meanwhile.
 *
 * @param scratch_bytes  Of the conduit's, for this team alone, the same on all members; 0: an
 *                       eighth. A collective that needs more than half of it is refused. It is free
 *                       again after the team: MPI_ERR_NO_MEM, on all members, if it is not free on
 *                       all of them.
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
                                         buffer: then others need no memory there */
  ESPALIER_ADDRESSES_LOCAL = 1      /**< anywhere; nobody knows those of others */
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
  char const* algorithm; /**< as `espalier list` names it: "bcast/binomial"; NULL: chosen. The error
                              of one that cannot serve lists those that can */
  char const* mechanism; /**< how data move: "signaling_put", "rendezvous" (both with symmetric
                              addresses only), "eager" or "counting_put"; NULL: chosen */
} espalier_onesided_options;

/**
 * The starts of a request are also trials: it takes turns among up to 6 candidates that a model
 * finds fastest and what would run otherwise, until one of them is clearly faster, by at least 3 %.
 * What trials lose is at most 5 % of the time of all starts so far, and 0.25 s in all; one that is
 * slower than was feared may exceed that once. Later runs remember what was found; other requests
 * of this run do not take it. Nothing is learned where algorithm and mechanism are named or were
 * measured already.
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

/**
 * Plan a collective of a team. Arguments are those of MPI; counts, types, root, op and options are
 * equal on all members, types are contiguous (MPI_ERR_TYPE otherwise), and MPI_IN_PLACE is not
 * taken. With local addresses, buffers that count nowhere on this member may be NULL, and what
 * travels passes through scratch space. Type and op of a reduction stay until the request is freed.
 *
 * Collective over the team, as requests are started in the same order on all members; planning
 * itself waits for nobody, and members may plan in any order. Started by espalier_request_start(),
 * which waits for nobody; completed by espalier_request_test() or espalier_request_wait(), in any
 * order, or by espalier_team_fence(). Several may be under way, each with buffers of its own.
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
/** No member is through before all have started; options say nothing about buffers. As
 * espalier_team_bcast_init(). */
int espalier_team_barrier_init(
    espalier_team* team, espalier_onesided_options const* options, espalier_request** request
);

/** Wait for all collectives of this team that this member has started; their requests are complete
    then. Not collective. */
int espalier_team_fence(espalier_team* team);

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
 * all (ESPALIER_TUNE_EVERY, and among more than 64 members). The parameters of the model (LogGP)
 * are measured by the first tuning of a team. What it ran before stays unless another one is
 * clearly faster, by at least 3 % in trials that take turns. A trial is one run, or up to 8 in a
 * row where no mode is ESPALIER_NOSYNC, on the member where it takes longest.
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
 * @return Lives as long as the request, and until it is tuned or has learned; "" for NULL and for
 *         collectives of neighborhoods.
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
