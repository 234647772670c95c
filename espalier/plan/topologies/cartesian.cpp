// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/cartesian.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/topologies/mapping_report.hpp"
#include "espalier/plan/topologies/rank_0.hpp"

namespace espalier::plan {
namespace {

using mapping::CartesianGrid;
using mapping::Mapping;
using mapping::Places;
using mpi::OwnCommunicator;
using mpi::require_success;

/// The places of the ranks below a number.
Places first_ranks(Places const& places, int num_ranks) {
  std::vector<Places::LevelGroups> levels;
  for (int level = 0; level < places.num_levels(); ++level) {
    Places::LevelGroups& part = levels.emplace_back(places.groups(level));
    part.group_of_rank.resize(static_cast<std::size_t>(num_ranks));
  }
  return Places(std::move(levels));
}

void check_fit(CartesianGrid const& grid, int num_ranks, char const* whose) {
  if (grid.num_positions() > num_ranks) {
    throw Error(
        ErrorCode::argument,
        "expected a grid of at most " + std::to_string(num_ranks) + " positions, as many as " +
            whose + ", got " + extents_text(grid)
    );
  }
}

/// What rank 0 does: the mapping of the ranks that get a position, and what is said of it.
void map_at_root(CartesianRequest const& request, Places const& all, MappedCommunicator& result) {
  check_fit(request.grid, all.num_ranks(), "there are places");
  auto const stencil =
      request.stencil.value_or(mapping::Stencil::nearest(request.grid.num_dimensions()));
  result.places = first_ranks(all, request.grid.num_positions());
  result.mapping = map_grid(
      {.grid = request.grid, .stencil = stencil, .places = *result.places}, request.options
  );
  result.mapping.rank_at = keep_rank_0(std::move(result.mapping.rank_at), *result.places);
  result.report = mapping_report(extents_text(request.grid), result.mapping, *result.places);
}

/// This process's position in an order; MPI_UNDEFINED if it has none.
int position_of(int rank, std::span<int const> rank_at) {
  auto const found = std::ranges::find(rank_at, rank);
  return found == rank_at.end() ? MPI_UNDEFINED : static_cast<int>(found - rank_at.begin());
}

void check_order(std::span<int const> rank_at, CartesianGrid const& grid, int num_ranks) {
  std::vector<bool> is_taken(static_cast<std::size_t>(num_ranks));
  bool is_right = rank_at.size() == static_cast<std::size_t>(grid.num_positions());
  for (int const rank : rank_at) {
    bool const is_rank = rank >= 0 && rank < num_ranks;
    is_right = is_right && is_rank && !is_taken[static_cast<std::size_t>(rank)];
    if (is_rank) {
      is_taken[static_cast<std::size_t>(rank)] = true;
    }
  }
  if (!is_right) {
    throw Error(
        ErrorCode::argument,
        "expected " + std::to_string(grid.num_positions()) + " different ranks of 0 .. " +
            std::to_string(num_ranks - 1) + ", one for each position of " + extents_text(grid) +
            ", got " + std::to_string(rank_at.size()) + " others"
    );
  }
}

OwnCommunicator with_topology(OwnCommunicator const& ordered, CartesianGrid const& grid) {
  std::vector<int> periods;
  for (int dimension = 0; dimension < grid.num_dimensions(); ++dimension) {
    periods.push_back(grid.is_periodic(dimension) ? 1 : 0);
  }
  MPI_Comm made = MPI_COMM_NULL;
  require_success(
      PMPI_Cart_create(
          ordered.get(), grid.num_dimensions(), grid.extents().data(), periods.data(), 0, &made
      ),
      "MPI_Cart_create"
  );
  return OwnCommunicator(made);
}

/// @param own a duplicate of comm.
MPI_Comm create(
    OwnCommunicator const& own,
    MPI_Comm comm,
    CartesianGrid const& grid,
    std::span<int const> rank_at
) {
  OwnCommunicator const ordered = own.split(position_of(own.rank(), rank_at));
  if (ordered.get() == MPI_COMM_NULL) {
    return MPI_COMM_NULL;
  }
  return with_topology(ordered, grid).release(comm);
}

}  // namespace

MappedCommunicator create_cartesian(MPI_Comm comm, CartesianRequest const& request) {
  OwnCommunicator const own = OwnCommunicator::duplicate(comm);
  check_fit(request.grid, own.size(), "the communicator has ranks");
  std::optional<FoundPlaces> found;
  if (!request.places) {
    found = find_places_at_root(comm, request.machine);
  }
  MappedCommunicator result;
  own.run_at_root([&] {
    map_at_root(request, request.places ? *request.places : found->places, result);
  });
  result.warnings = found ? std::move(found->warnings) : std::vector<std::string>();
  result.mapping.rank_at = own.from_root(std::move(result.mapping.rank_at));
  result.mapping.algorithm = own.from_root(std::move(result.mapping.algorithm));
  result.comm = create(own, comm, request.grid, result.mapping.rank_at);
  return result;
}

MPI_Comm create_cartesian(MPI_Comm comm, CartesianGrid const& grid, std::span<int const> rank_at) {
  OwnCommunicator const own = OwnCommunicator::duplicate(comm);
  check_order(rank_at, grid, own.size());
  return create(own, comm, grid, rank_at);
}

}  // namespace espalier::plan
