// SPDX-License-Identifier: Apache-2.0

/// @file
/// MPI_Neighbor_*_init of a program that knows nothing of Espalier, against an oracle; with
/// Espalier switched off, of the MPI library itself. Requests in orders of each rank's own are in
/// persistent.cpp.
///
/// Usage: shim_neighbor_planned each | native | freed. With `native`, as with `each`, one request
/// at a time, some or all of which are left to the MPI library.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/mpi/capi/neighbor_blocks.hpp"
#include "tests/shim/completing.hpp"
#include "tests/shim/neighbor.hpp"
#include "tests/shim/persistent_names.h"
#include "tests/shim/support.hpp"

namespace {

using namespace espalier::test;

/// A job that can be started any number of times.
class Planned {
public:
  Planned(Checks& checks, Topology const& topology, Kind kind, int scale, std::size_t type_number)
      : checks_(&checks), what_(name_of(topology, kind, scale)),
        job_(topology, kind, scale, type_number), untouched_(job_.output) {
    int const code = job_.call(
        ESPALIER_PERSISTENT(Neighbor_allgather),
        ESPALIER_PERSISTENT(Neighbor_allgatherv),
        ESPALIER_PERSISTENT(Neighbor_alltoall),
        ESPALIER_PERSISTENT(Neighbor_alltoallv),
        ESPALIER_PERSISTENT(Neighbor_alltoallw),
        topology.comm,
        MPI_INFO_NULL,
        &request_
    );
    checks.expect(code == MPI_SUCCESS, what_ + ": initialisation");
  }

  Planned(Planned const&) = delete;
  Planned& operator=(Planned const&) = delete;
  Planned(Planned&&) = delete;
  Planned& operator=(Planned&&) = delete;

  ~Planned() {
    MPI_Request_free(&request_);
    checks_->expect(request_ == MPI_REQUEST_NULL, what_ + ": a null request for what was freed");
  }

  /// @param is_native  complete it as the MPI library can
  void run(bool is_native) {
    // As it has this size already, its address stays.
    job_.output = untouched_;
    checks_->expect(MPI_Start(&request_) == MPI_SUCCESS, what_ + ": start");
    int const code =
        is_native ? shim_test::complete_planned(request_) : shim_test::complete(request_);
    checks_->expect(code == MPI_SUCCESS, what_ + ": completion");
    checks_->expect(job_.is_right(), what_ + ": data");
  }

private:
  Checks* checks_;
  std::string what_;
  Job job_;
  espalier::test::Buffer untouched_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

void check_each(Checks& checks, Topology const& topology, std::size_t seed, bool is_native) {
  bool const has_multiple = has_multiple_edges(topology);
  for (Kind const kind : all_kinds) {
    if (is_native && is_known_to_fail_started(topology, kind, has_multiple)) {
      continue;
    }
    for (int const scale : {1, 0, 900}) {
      Planned planned(checks, topology, kind, scale, seed++);
      for (int i = 0; i < 3; ++i) {
        planned.run(is_native);
      }
    }
  }
}

/// A request whose datatype is freed before it is started, as is the communicator.
void check_type_that_is_gone(Checks& checks, Topology& topology) {
  constexpr int count = 3;
  constexpr std::size_t size = count;
  std::vector<int> own(2 * size * static_cast<std::size_t>(topology.num_out) + 1);
  std::vector<int> got(size * topology.in.size() + 1);
  MPI_Datatype gapped = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, 1, 2, MPI_INT, &gapped);
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(gapped, 0, 2 * count * static_cast<MPI_Aint>(sizeof(int)), &spread);
  MPI_Type_commit(&spread);
  MPI_Request request = MPI_REQUEST_NULL;
  ESPALIER_PERSISTENT(Neighbor_alltoall)
  (own.data(), 1, spread, got.data(), count, MPI_INT, topology.comm, MPI_INFO_NULL, &request);
  MPI_Type_free(&spread);
  MPI_Type_free(&gapped);
  MPI_Comm_free(&topology.comm);
  for (int value = 0; value < 3; ++value) {
    std::ranges::fill(own, value);
    std::ranges::fill(got, -1);
    MPI_Start(&request);
    shim_test::complete(request);
    for (std::size_t i = 0; i < size * topology.in.size(); ++i) {
      bool const is_there = topology.in[i / size].rank >= 0;
      checks.expect(got[i] == (is_there ? value : -1), topology.name + ": a datatype that is gone");
    }
  }
  MPI_Request_free(&request);
}

/// Communicators are freed before their requests are started, and others are made, whose messages
/// stay apart.
void check_freed(Checks& checks, std::vector<Topology> const& all) {
  std::vector<std::unique_ptr<Planned>> left;
  for (std::size_t step = 0; step < 5 * all.size(); ++step) {
    Topology copy = all[step % all.size()];
    if (copy.comm != MPI_COMM_NULL) {
      MPI_Comm_dup(copy.comm, &copy.comm);
      for (Kind const kind : all_kinds) {
        left.push_back(std::make_unique<Planned>(checks, copy, kind, step % 4 == 0 ? 5000 : 3, step)
        );
      }
      check_type_that_is_gone(checks, copy);
    }
    for (auto const& planned : left) {
      planned->run(false);
    }
    if (step % 3 == 2) {
      left.clear();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  auto const run = [](Checks& checks, std::vector<Topology>& all, std::string const& what) {
    if (what != "freed") {
      return false;
    }
    check_freed(checks, all);
    return true;
  };
  return run_neighbors(argc, argv, run, check_each);
}
