// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/watched.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "espalier/mpi/success.hpp"
#include "espalier/mpi/world_ranks.hpp"

namespace espalier::plan {
namespace {

using mpi::require_success;

std::string name_of(MPI_Comm comm) {
  std::array<char, MPI_MAX_OBJECT_NAME + 1> name{};
  int size = 0;
  require_success(PMPI_Comm_get_name(comm, name.data(), &size), "MPI_Comm_get_name");
  return {name.data(), static_cast<std::size_t>(size)};
}

void add_world_ranks(MPI_Comm comm, watch::Members& members) {
  members.world_ranks = mpi::world_ranks(comm);
  std::ranges::replace(members.world_ranks, MPI_UNDEFINED, -1);
  int rank = 0;
  members.has_world_ranks =
      std::ranges::all_of(members.world_ranks, [&](int world) { return world == rank++; });
  if (members.has_world_ranks) {
    members.world_ranks = {};
  }
}

}  // namespace

Watched::Watched(MPI_Comm comm) {
  int is_inter = 0;
  members_.name = name_of(comm);
  require_success(PMPI_Comm_size(comm, &members_.num_ranks), "MPI_Comm_size");
  require_success(PMPI_Comm_rank(comm, &members_.rank), "MPI_Comm_rank");
  require_success(PMPI_Comm_test_inter(comm, &is_inter), "MPI_Comm_test_inter");
  if (is_inter == 0) {
    add_world_ranks(comm, members_);
  }
}

std::string_view Watched::text_of(algorithms::Choice const& choice) {
  for (auto const& [address, text] : texts_) {
    if (address == &choice) {
      return text;
    }
  }
  return texts_.emplace_back(&choice, choice.text()).second;
}

}  // namespace espalier::plan
