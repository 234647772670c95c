// SPDX-License-Identifier: Apache-2.0

/// @file
/// A graph that has the edges of a stencil on a grid, which each rank lists in an order of its own:
/// MPI_Neighbor_alltoall and _allgather, blocking, started and planned, give the results of the MPI
/// library itself.
///
/// Usage: shim_neighbor_recognised [almost]. With `almost`, one edge is missing.

#include <cstddef>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/mpi/capi/neighbor_support.hpp"
#include "tests/mpi/exec/support.hpp"
#include "tests/shim/completing.hpp"
#include "tests/shim/persistent_names.h"
#include "tests/shim/support.hpp"

namespace {

using namespace espalier::test;

/// With corners; of all ranks.
Lists edges_of_grid(int num_ranks) {
  switch (num_ranks) {
  case 4:
    return stencil_lists({{2, 2}, {0, 0}}, full_stencil(2));
  case 6:
    return stencil_lists({{3, 2}, {0, 0}}, full_stencil(2));
  case 8:
    return stencil_lists({{2, 2, 2}, {0, 0, 0}}, full_stencil(3));
  default:
    return stencil_lists({{num_ranks}, {0}}, full_stencil(1, 2));
  }
}

/// That from rank 0 to rank 1.
void remove_an_edge(Lists& lists) {
  std::erase(lists.destinations[0], 1);
  std::erase(lists.sources[1], 0);
}

/// One call with its data, and what the MPI library makes of it.
class Call {
public:
  Call(Topology const& topology, bool is_allgather, int count)
      : comm_(topology.comm), is_allgather_(is_allgather), count_(count) {
    int const num_sent = is_allgather ? 1 : topology.num_out;
    for (int i = 0; i < num_sent * count + 1; ++i) {
      sent_.push_back(10000 * test_rank(comm_) + i);
    }
    received_.resize(topology.in.size() * static_cast<std::size_t>(count) + 1, -1);
    expected_ = received_;
    auto const native = is_allgather ? PMPI_Neighbor_allgather : PMPI_Neighbor_alltoall;
    native(sent_.data(), count, MPI_INT, expected_.data(), count, MPI_INT, comm_);
  }

  [[nodiscard]] bool is_right() const { return received_ == expected_; }

  int run() {
    auto const blocking = is_allgather_ ? MPI_Neighbor_allgather : MPI_Neighbor_alltoall;
    return blocking(sent_.data(), count_, MPI_INT, received_.data(), count_, MPI_INT, comm_);
  }

  int start_and_complete() {
    auto const start = is_allgather_ ? MPI_Ineighbor_allgather : MPI_Ineighbor_alltoall;
    MPI_Request request = MPI_REQUEST_NULL;
    start(sent_.data(), count_, MPI_INT, received_.data(), count_, MPI_INT, comm_, &request);
    return shim_test::complete(request);
  }

  /// Twice.
  int plan_and_complete() {
    auto const plan = is_allgather_ ? ESPALIER_PERSISTENT(Neighbor_allgather)
                                    : ESPALIER_PERSISTENT(Neighbor_alltoall);
    MPI_Request request = MPI_REQUEST_NULL;
    plan(
        sent_.data(),
        count_,
        MPI_INT,
        received_.data(),
        count_,
        MPI_INT,
        comm_,
        MPI_INFO_NULL,
        &request
    );
    int code = MPI_SUCCESS;
    for (int i = 0; i < 2 && code == MPI_SUCCESS; ++i) {
      MPI_Start(&request);
      code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    return code;
  }

private:
  MPI_Comm comm_;
  bool is_allgather_;
  int count_;
  std::vector<int> sent_;
  std::vector<int> received_;
  std::vector<int> expected_;
};

void check(Checks& checks, Topology const& topology) {
  for (bool const is_allgather : {false, true}) {
    for (int const count : {1, 900}) {
      for (auto const how : {&Call::run, &Call::start_and_complete, &Call::plan_and_complete}) {
        Call call(topology, is_allgather, count);
        std::string const what = topology.name + (is_allgather ? ": allgather x" : ": alltoall x") +
                                 std::to_string(count);
        checks.expect((call.*how)() == MPI_SUCCESS, what + ": code");
        checks.expect(call.is_right(), what + ": data");
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  Checks checks;
  Lists lists = edges_of_grid(test_size(MPI_COMM_WORLD));
  if (argc > 1 && std::string(argv[1]) == "almost") {
    remove_an_edge(lists);
  }
  Topology topology = distributed(lists, "graph");
  check(checks, topology);
  MPI_Comm_free(&topology.comm);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
