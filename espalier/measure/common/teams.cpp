// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/teams.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure {
namespace {

/// A group and a position in it.
struct Membership {
  int group = MPI_UNDEFINED;
  int position = 0;
};

Membership membership_of(int rank, std::vector<std::vector<int>> const& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    auto const found = std::ranges::find(groups[i], rank);
    if (found != groups[i].end()) {
      return {
          .group = static_cast<int>(i),
          .position = static_cast<int>(found - groups[i].begin()),
      };
    }
  }
  return {};
}

void check_ranks(Job const& job, std::vector<std::vector<int>> const& groups) {
  for (std::vector<int> const& group : groups) {
    for (int const rank : group) {
      if (rank >= job.num_ranks) {
        throw Error(
            ErrorCode::argument,
            "expected groups of ranks below " + std::to_string(job.num_ranks) + ", got rank " +
                std::to_string(rank)
        );
      }
    }
  }
}

MPI_Comm split_comm(MPI_Comm comm, int color, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  mpi::require_success(PMPI_Comm_split(comm, color, key, &part), "MPI_Comm_split");
  return part;
}

}  // namespace

std::optional<Teams> Teams::split(Job const& job, std::vector<std::vector<int>> const& groups) {
  if (groups.empty()) {
    return Teams{.all = job, .own = job};
  }
  check_ranks(job, groups);
  Membership const mine = membership_of(job.rank, groups);
  bool const takes_part = mine.group != MPI_UNDEFINED;
  MPI_Comm const all = split_comm(job.comm, takes_part ? 0 : MPI_UNDEFINED, 0);
  MPI_Comm const own = split_comm(job.comm, mine.group, mine.position);
  if (!takes_part) {
    return std::nullopt;
  }
  return Teams{.all = Job::of(all), .own = Job::of(own)};
}

void Teams::finish(Job const& job) noexcept {
  if (all.comm != job.comm) {
    own.finish();
    all.finish();
  }
}

}  // namespace espalier::measure
