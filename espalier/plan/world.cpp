// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/world.hpp"

#include <algorithm>
#include <cstddef>

#include "espalier/mpi/success.hpp"
#include "espalier/mpi/world_ranks.hpp"
#include "espalier/plan/settings/rank_ranges.hpp"

namespace espalier::plan {
namespace {

using mpi::require_success;

/// What statistics say of the ranks of a communicator; more would not be read.
constexpr std::size_t most_characters_of_ranks = 256;

}  // namespace

profile::Shape World::shape_of(std::vector<int> ranks) const {
  if (node_of_rank.empty()) {
    return {.num_ranks = static_cast<int>(ranks.size())};
  }
  for (int& one : ranks) {
    one = node_of_rank[static_cast<std::size_t>(one)];
  }
  return profile::shape_of(ranks);
}

CommunicatorClass
World::class_of(CommunicatorFacts const& facts, std::vector<int> const& ranks) const {
  CommunicatorClass alike{.num_ranks = facts.num_ranks};
  if (!ranks.empty() && std::ranges::find(ranks, MPI_UNDEFINED) == ranks.end()) {
    alike.num_nodes = node_of_rank.empty() ? 0 : shape_of(ranks).num_nodes;
    alike.ranks = rank_ranges(ranks, most_characters_of_ranks);
  }
  return alike;
}

std::vector<int>
nodes_of(std::span<int const> node_of_rank, std::span<int const> world_ranks, int num_ranks) {
  std::vector<int> nodes;
  for (int rank = 0; rank < num_ranks; ++rank) {
    auto const index = static_cast<std::size_t>(rank);
    auto const place = world_ranks.empty() ? index : static_cast<std::size_t>(world_ranks[index]);
    nodes.push_back(node_of_rank.empty() ? 0 : node_of_rank[place]);
  }
  return nodes;
}

CommunicatorFacts facts_of_communicator(MPI_Comm comm) {
  CommunicatorFacts facts;
  int is_inter = 0;
  require_success(PMPI_Comm_test_inter(comm, &is_inter), "MPI_Comm_test_inter");
  require_success(PMPI_Comm_size(comm, &facts.num_ranks), "MPI_Comm_size");
  require_success(PMPI_Comm_rank(comm, &facts.rank), "MPI_Comm_rank");
  facts.is_intercommunicator = is_inter != 0;
  facts.num_sources = facts.num_ranks;
  if (facts.is_intercommunicator) {
    require_success(PMPI_Comm_remote_size(comm, &facts.num_sources), "MPI_Comm_remote_size");
  }
  return facts;
}

bool is_within_world(MPI_Comm comm) {
  std::vector<int> const ranks = mpi::world_ranks(comm);
  return std::ranges::find(ranks, MPI_UNDEFINED) == ranks.end();
}

}  // namespace espalier::plan
