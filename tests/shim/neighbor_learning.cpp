// SPDX-License-Identifier: Apache-2.0

/// @file
/// Neighborhood collectives many times over, on grids and graphs and with late ranks: whatever is
/// tried meanwhile, each result is right. Some ranks have no neighbours, and ranks that no edges
/// join may have blocks of other sizes: they cannot know what others do. Neither do two ranks.
///
/// Usage: neighbor_learning [num_calls]

#include <cstdlib>
#include <numeric>
#include <string>
#include <unistd.h>
#include <vector>

#include <mpi.h>

#include "tests/mpi/capi/neighbor_blocks.hpp"
#include "tests/shim/neighbor.hpp"
#include "tests/shim/support.hpp"

namespace {

using namespace espalier::test;

/// All kinds of calls in turn, with small and large blocks.
void repeat(Checks& checks, Topology const& topology, int num_calls) {
  bool const has_multiple = has_multiple_edges(topology);
  std::vector<Job> jobs;
  std::vector<espalier::test::Buffer> untouched;
  for (Kind const kind : all_kinds) {
    for (int const scale : {1, 0, 500}) {
      if (!is_known_to_fail(kind, has_multiple)) {
        untouched.push_back(jobs.emplace_back(topology, kind, scale, 0).output);
      }
    }
  }
  int const rank = test_rank(topology.comm);
  for (int call = 0; call < num_calls; ++call) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (call % 16 == 5 && rank == call % test_size(topology.comm)) {
        usleep(300);
      }
      jobs[i].output = untouched[i];
      std::string const what =
          topology.name + " job " + std::to_string(i) + " call " + std::to_string(call);
      checks.expect(jobs[i].native(topology.comm) == MPI_SUCCESS, what + ": code");
      checks.expect(jobs[i].is_right(), what + ": data");
    }
  }
}

/// Rings of the ranks whose numbers have the same remainder; the last rank has no neighbours.
MPI_Comm rings(int num_rings, std::vector<int>& peers) {
  int const rank = test_rank(MPI_COMM_WORLD);
  int const last = test_size(MPI_COMM_WORLD) - 1;
  std::vector<int> members;
  for (int one = rank % num_rings; rank != last && one < last; one += num_rings) {
    members.push_back(one);
  }
  auto const num_members = static_cast<int>(members.size());
  if (num_members > 2) {
    int const place = rank / num_rings;
    peers = {
        members[static_cast<std::size_t>((place + num_members - 1) % num_members)],
        members[static_cast<std::size_t>((place + 1) % num_members)],
    };
  } else if (num_members == 2) {
    peers = {members[rank / num_rings == 0 ? 1 : 0]};
  }
  auto const degree = static_cast<int>(peers.size());
  peers.reserve(1);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(
      MPI_COMM_WORLD,
      degree,
      peers.data(),
      MPI_UNWEIGHTED,
      degree,
      peers.data(),
      MPI_UNWEIGHTED,
      MPI_INFO_NULL,
      0,
      &comm
  );
  return comm;
}

/// Each ring has blocks of another size, and who has no neighbours gives none.
void repeat_on_rings(Checks& checks, int num_rings, int num_calls) {
  std::vector<int> peers;
  MPI_Comm comm = rings(num_rings, peers);
  int const rank = test_rank(comm);
  int const count = peers.empty() ? 0 : 10 + 600 * (rank % num_rings);
  std::vector<int> const block(static_cast<std::size_t>(count) + 1, rank);
  std::vector<int> all(peers.size() * static_cast<std::size_t>(count) + 1);
  for (int call = 0; call < num_calls; ++call) {
    std::ranges::fill(all, -1);
    MPI_Neighbor_allgather(block.data(), count, MPI_INT, all.data(), count, MPI_INT, comm);
    for (std::size_t i = 0; i < peers.size(); ++i) {
      auto const first = all.begin() + static_cast<std::ptrdiff_t>(i) * count;
      bool const is_right =
          std::all_of(first, first + count, [&](int value) { return value == peers[i]; });
      checks.expect(is_right, "rings: call " + std::to_string(call));
    }
  }
  MPI_Comm_free(&comm);
}

/// Of two ranks each may send a block of another size, and still they decide alike. Open MPI 4.1.4
/// ends programs that do so in MPI_Neighbor_alltoall, also without Espalier.
void repeat_with_two_sizes(Checks& checks, int num_calls) {
  int const rank = test_rank(MPI_COMM_WORLD);
  int const other = 1 - rank;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(
      MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm
  );
  auto const count_of = [](int sender) { return sender == 0 ? 3 : 5000; };
  std::vector<int> const block(static_cast<std::size_t>(count_of(rank)), rank);
  std::vector<int> received(static_cast<std::size_t>(count_of(other)));
  for (int call = 0; call < num_calls; ++call) {
    std::ranges::fill(received, -1);
    MPI_Neighbor_allgather(
        block.data(), count_of(rank), MPI_INT, received.data(), count_of(other), MPI_INT, comm
    );
    bool const is_right = std::ranges::all_of(received, [&](int value) { return value == other; });
    checks.expect(is_right, "two sizes: call " + std::to_string(call));
  }
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  int const num_calls = argc > 1 ? std::atoi(argv[1]) : 40;
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  has_equal_types = true;
  Checks checks;
  for (Topology& topology : topologies()) {
    if (topology.comm != MPI_COMM_NULL && topology.offsets.empty()) {
      repeat(checks, topology, num_calls);
    }
    if (topology.comm != MPI_COMM_NULL) {
      MPI_Comm_free(&topology.comm);
    }
  }
  for (int num_rings = 1; num_rings <= 2; ++num_rings) {
    repeat_on_rings(checks, num_rings, 2 * num_calls);
  }
  if (test_size(MPI_COMM_WORLD) == 2) {
    repeat_with_two_sizes(checks, 2 * num_calls);
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
