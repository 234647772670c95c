// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/level_communicators.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {
namespace {

using mapping::Places;
using mpi::OwnCommunicator;
using mpi::require_success;

/// A group, freed with the object.
class Group {
public:
  explicit Group(MPI_Comm comm) {
    require_success(PMPI_Comm_group(comm, &group_), "MPI_Comm_group");
  }

  Group(Group const&) = delete;
  Group& operator=(Group const&) = delete;
  Group(Group&&) = delete;
  Group& operator=(Group&&) = delete;

  ~Group() { PMPI_Group_free(&group_); }

  [[nodiscard]] MPI_Group get() const noexcept { return group_; }

  /// The lowest rank in another group of the members of this one; -1 if one is not in it.
  [[nodiscard]] int lowest_in(Group const& other) const {
    int size = 0;
    require_success(PMPI_Group_size(group_, &size), "MPI_Group_size");
    std::vector<int> ranks(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) {
      ranks[static_cast<std::size_t>(i)] = i;
    }
    std::vector<int> others(ranks.size());
    require_success(
        PMPI_Group_translate_ranks(group_, size, ranks.data(), other.get(), others.data()),
        "MPI_Group_translate_ranks"
    );
    bool const is_inside = std::ranges::find(others, MPI_UNDEFINED) == others.end();
    return is_inside ? std::ranges::min(others) : -1;
  }

private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

/// Levels of `num_levels` numbers for each rank; a level that holds all ranks is outside them.
Places places_of(std::vector<int> const& lowest, std::size_t num_levels, std::size_t num_ranks) {
  std::vector<Places::LevelGroups> levels{
      {.name = "all", .group_of_rank = std::vector<int>(num_ranks)}
  };
  for (std::size_t level = 0; level < num_levels; ++level) {
    Places::LevelGroups next{
        .name = "level " + std::to_string(level + 1),
        .group_of_rank = {},
        .cost = level == 0 ? 1 : levels.back().cost * Places::inner_cost,
    };
    for (std::size_t rank = 0; rank < num_ranks; ++rank) {
      next.group_of_rank.push_back(lowest[rank * num_levels + level]);
    }
    levels.push_back(std::move(next));
  }
  return Places(std::move(levels));
}

/// What is wrong with the parts; empty if nothing is.
std::string refusal(std::vector<int> const& lowest, std::size_t num_levels) {
  auto const absent = std::ranges::find(lowest, -1);
  if (absent == lowest.end()) {
    return {};
  }
  auto const idx = static_cast<std::size_t>(absent - lowest.begin());
  return "expected every rank in a part of each level, inside the first communicator, got rank " +
         std::to_string(idx / num_levels) + " in none of level " +
         std::to_string(idx % num_levels + 1);
}

}  // namespace

std::vector<OwnCommunicator>
split_by_types(OwnCommunicator const& own, std::span<int const> split_types) {
  std::vector<OwnCommunicator> parts;
  MPI_Comm outer = own.get();
  for (int const type : split_types) {
    MPI_Comm part = MPI_COMM_NULL;
    require_success(
        PMPI_Comm_split_type(outer, type, own.rank(), MPI_INFO_NULL, &part), "MPI_Comm_split_type"
    );
    if (part == MPI_COMM_NULL) {
      break;
    }
    parts.emplace_back(part);
    outer = part;
  }
  return parts;
}

std::vector<int>
lowest_ranks(OwnCommunicator const& own, std::span<MPI_Comm const> levels, int num_levels) {
  Group const all(own.get());
  std::vector<int> lowest;
  for (MPI_Comm const level : levels) {
    lowest.push_back(Group(level).lowest_in(all));
  }
  lowest.resize(static_cast<std::size_t>(num_levels), -1);
  return lowest;
}

std::optional<Places> gather_places(OwnCommunicator const& own, std::span<int const> lowest) {
  std::vector<int> const all = own.at_root(lowest);
  std::optional<Places> places;
  std::string complaint;
  if (own.rank() == 0) {
    complaint = refusal(all, lowest.size());
    try {
      if (complaint.empty()) {
        places = places_of(all, lowest.size(), static_cast<std::size_t>(own.size()));
      }
    } catch (Error const& error) {
      complaint = error.what();
    }
  }
  complaint = own.from_root(std::move(complaint));
  if (!complaint.empty()) {
    throw plan::ClassError(MPI_ERR_TOPOLOGY, complaint);
  }
  return places;
}

}  // namespace espalier::capi
