// SPDX-License-Identifier: Apache-2.0

/// @file
/// Wrong arguments of MPI_Ineighbor_* are errors of the start, those of MPI_Neighbor_*_init errors
/// of the initialisation, delivered to the error handler of the communicator, and the next call is
/// a new one; messages of another length are errors of the completion.

#include <string>
#include <vector>

#include <mpi.h>

#include "tests/shim/handled.hpp"
#include "tests/shim/persistent_names.h"
#include "tests/shim/support.hpp"

namespace {

using shim_test::class_of;
using shim_test::handled_code;
using shim_test::handled_comm;
using shim_test::num_handled;
using shim_test::on_error;
using shim_test::rank_of;
using shim_test::require;
using shim_test::require_name;
using shim_test::size_of;

/// A ring with a place before and behind each rank, also where there is one rank.
MPI_Comm make_ring() {
  int const num_ranks = size_of(MPI_COMM_WORLD);
  int const is_periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &num_ranks, &is_periodic, 0, &ring);
  return ring;
}

class Ring {
public:
  explicit Ring(MPI_Comm comm) : comm_(comm) {}

  /// Arguments of the five calls, right until somebody changes one.
  int send_count = 1;
  int recv_count = 1;
  MPI_Datatype send_type = MPI_INT;
  MPI_Datatype recv_type = MPI_INT;
  std::vector<int> counts{1, 1};
  std::vector<MPI_Datatype> types{MPI_INT, MPI_INT};

  int gather() {
    return MPI_Ineighbor_allgather(
        sent_, send_count, send_type, got_, recv_count, recv_type, comm_, &request_
    );
  }

  int gatherv() {
    return MPI_Ineighbor_allgatherv(
        sent_, send_count, send_type, got_, counts.data(), places_, recv_type, comm_, &request_
    );
  }

  int exchange() {
    return MPI_Ineighbor_alltoall(
        sent_, send_count, send_type, got_, recv_count, recv_type, comm_, &request_
    );
  }

  int exchange_now() {
    return MPI_Neighbor_alltoall(sent_, send_count, send_type, got_, recv_count, recv_type, comm_);
  }

  int exchangev() {
    int const* const n = counts.data();
    return MPI_Ineighbor_alltoallv(
        sent_, n, places_, send_type, got_, n, places_, recv_type, comm_, &request_
    );
  }

  int exchangew() {
    int const* const n = counts.data();
    MPI_Datatype const* const t = types.data();
    return MPI_Ineighbor_alltoallw(sent_, n, in_bytes_, t, got_, n, in_bytes_, t, comm_, &request_);
  }

  /// The call is refused with this class, and the handler of the communicator hears of it.
  void refuses(int code, int expected, std::string const& what) {
    require(class_of(code) == expected, what + ": class " + std::to_string(class_of(code)));
    require(num_handled == 1, what + ": the error handler must be called once");
    require(handled_comm == comm_, what + ": with the communicator of the call");
    require(handled_code == code, what + ": with the code that is returned");
    num_handled = 0;
    request_ = MPI_REQUEST_NULL;
  }

  /// After all that, calls are as right as ever.
  void goes_on() {
    int const rank = rank_of(comm_);
    int const num_ranks = size_of(comm_);
    for (int& value : sent_) {
      value = rank;
    }
    require(exchange() == MPI_SUCCESS, "the next call is a new one");
    require(MPI_Wait(&request_, MPI_STATUS_IGNORE) == MPI_SUCCESS, "and is completed");
    require(got_[0] == (rank + num_ranks - 1) % num_ranks, "from the rank before");
    require(got_[1] == (rank + 1) % num_ranks, "from the rank behind");
  }

  int plan_exchange() {
    return ESPALIER_PERSISTENT(Neighbor_alltoall)(
        sent_, send_count, send_type, got_, recv_count, recv_type, comm_, MPI_INFO_NULL, &request_
    );
  }

  int plan_exchangew() {
    int const* const n = counts.data();
    MPI_Datatype const* const t = types.data();
    return ESPALIER_PERSISTENT(Neighbor_alltoallw)(
        sent_, n, in_bytes_, t, got_, n, in_bytes_, t, comm_, MPI_INFO_NULL, &request_
    );
  }

  /// As another rank cannot take part, it is one of the MPI library.
  void is_made(int code, std::string const& what) {
    require(code == MPI_SUCCESS && num_handled == 0, what + ": right arguments");
    require(MPI_Request_free(&request_) == MPI_SUCCESS, what + ": a request that can be freed");
  }

  /// Rank 0 sends more than the others expect.
  void is_truncated() {
    int const is_sender = rank_of(comm_) == 0 ? 1 : 0;
    std::vector<int> const sent_counts{1 + is_sender, 1 + is_sender};
    int const code = MPI_Ineighbor_alltoallv(
        sent_,
        sent_counts.data(),
        places_,
        MPI_INT,
        got_,
        counts.data(),
        places_,
        MPI_INT,
        comm_,
        &request_
    );
    require(code == MPI_SUCCESS, "what is sent is known at its end only");
    int const completed = MPI_Wait(&request_, MPI_STATUS_IGNORE);
    int const expected = is_sender == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    require(class_of(completed) == expected, "a message that is too long");
  }

private:
  MPI_Comm comm_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  int sent_[4] = {};
  int got_[4] = {};
  int places_[2] = {0, 1};
  MPI_Aint in_bytes_[2] = {0, sizeof(int)};
};

void check_counts(MPI_Comm comm) {
  Ring ring(comm);
  ring.send_count = -1;
  ring.refuses(ring.gather(), MPI_ERR_COUNT, "allgather: negative count");
  ring.refuses(ring.gatherv(), MPI_ERR_COUNT, "allgatherv: negative count");
  ring.refuses(ring.exchange(), MPI_ERR_COUNT, "alltoall: negative count");
  ring.send_count = 1;
  ring.recv_count = -1;
  ring.refuses(ring.exchange(), MPI_ERR_COUNT, "alltoall: negative count of what is received");
  ring.recv_count = 1;
  ring.counts[1] = -1;
  ring.refuses(ring.gatherv(), MPI_ERR_COUNT, "allgatherv: negative entry");
  ring.refuses(ring.exchangev(), MPI_ERR_COUNT, "alltoallv: negative entry");
  ring.refuses(ring.exchangew(), MPI_ERR_COUNT, "alltoallw: negative entry");
  ring.counts[1] = 1;
  ring.goes_on();
}

void check_types(MPI_Comm comm) {
  Ring ring(comm);
  ring.recv_type = MPI_DATATYPE_NULL;
  ring.refuses(ring.gather(), MPI_ERR_TYPE, "allgather: null type");
  ring.refuses(ring.exchangev(), MPI_ERR_TYPE, "alltoallv: null type");
  ring.recv_type = MPI_INT;
  ring.types[0] = MPI_DATATYPE_NULL;
  ring.refuses(ring.exchangew(), MPI_ERR_TYPE, "alltoallw: null type");
  ring.types[0] = MPI_INT;
  ring.goes_on();
}

void check_names(MPI_Comm comm) {
  Ring ring(comm);
  ring.send_count = -1;
  require_name(ring.gather(), "MPI_Ineighbor_allgather");
  require_name(ring.exchange_now(), "MPI_Neighbor_alltoall");
  num_handled = 0;
  ring.send_count = 1;
  ring.goes_on();
}

/// One rank has wrong arguments: the others hear nothing of it.
void check_planned(MPI_Comm comm) {
  Ring ring(comm);
  bool const is_wrong = rank_of(comm) == 0;
  ring.send_count = is_wrong ? -1 : 1;
  int code = ring.plan_exchange();
  if (is_wrong) {
    ring.refuses(code, MPI_ERR_COUNT, "alltoall_init: negative count");
  } else {
    ring.is_made(code, "alltoall_init");
  }
  ring.send_count = 1;
  ring.types[0] = is_wrong ? MPI_DATATYPE_NULL : MPI_INT;
  code = ring.plan_exchangew();
  if (is_wrong) {
    ring.refuses(code, MPI_ERR_TYPE, "alltoallw_init: null type");
  } else {
    ring.is_made(code, "alltoallw_init");
  }
  ring.types[0] = MPI_INT;
  ring.goes_on();
}

/// A graph whose edges only their targets name is made, as natively; nobody waits for their
/// sources.
void check_edges_with_one_end(MPI_Comm comm) {
  int const p = size_of(comm);
  int const source = (rank_of(comm) + p - 1) % p;
  int const weight = 1;
  MPI_Comm made = MPI_COMM_NULL;
  int const code = MPI_Dist_graph_create_adjacent(
      comm, 1, &source, &weight, 0, &source, &weight, MPI_INFO_NULL, 0, &made
  );
  require(code == MPI_SUCCESS && made != MPI_COMM_NULL, "edges with one end");
  MPI_Comm_free(&made);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  check_edges_with_one_end(MPI_COMM_WORLD);
  check_edges_with_one_end(MPI_COMM_SELF);
  MPI_Comm ring = make_ring();
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(ring, handler);
  check_counts(ring);
  check_names(ring);
  check_types(ring);
  check_planned(ring);
  MPI_Comm_free(&ring);
  // Of a request that is not complete, only MPI_COMM_WORLD is known.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (size_of(MPI_COMM_WORLD) == 2) {
    MPI_Comm other = make_ring();
    Ring(other).is_truncated();
    Ring(other).goes_on();
    MPI_Comm_free(&other);
  }
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  return 0;
}
