// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/collectives/mpi_reordering.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/mpi/broadcast.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::exec {
namespace {

/// Differs between orders, but for one in 2^62 pairs of them.
std::int64_t fingerprint(std::span<int const> ranks) {
  std::uint64_t hash = 14695981039346656037U;
  for (int const rank : ranks) {
    hash = (hash ^ static_cast<std::uint32_t>(rank)) * 1099511628211U;
    hash ^= hash >> 29U;
  }
  return static_cast<std::int64_t>(hash >> 2U);
}

/// One reduction tells whether all ranks have the same permutation; only if not, the lowest rank
/// that complains says why.
void agree(MPI_Comm comm, std::span<int const> ranks) {
  int rank = 0;
  int num_ranks = 0;
  mpi::require_success(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  mpi::require_success(PMPI_Comm_size(comm, &num_ranks), "MPI_Comm_size");
  std::string const complaint = mapping::refuses(ranks, num_ranks);
  std::int64_t const print = fingerprint(ranks);
  std::array<std::int64_t, 3> least{complaint.empty() ? num_ranks : rank, print, -print};
  mpi::require_success(
      PMPI_Allreduce(MPI_IN_PLACE, least.data(), 3, MPI_INT64_T, MPI_MIN, comm), "MPI_Allreduce"
  );
  if (auto const first = static_cast<int>(least[0]); first < num_ranks) {
    throw Error(
        ErrorCode::argument,
        "rank " + std::to_string(first) + ": " + mpi::broadcast(comm, complaint, first)
    );
  }
  if (least[1] != -least[2]) {
    throw Error(
        ErrorCode::argument,
        "expected the same order of ranks on all ranks, got different ones; make it on one rank "
        "and broadcast it"
    );
  }
}

MPI_Comm split(MPI_Comm comm, std::span<int const> positions) {
  int rank = 0;
  mpi::require_success(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  MPI_Comm made = MPI_COMM_NULL;
  int const key = positions[static_cast<std::size_t>(rank)];
  mpi::require_success(PMPI_Comm_split(comm, 0, key, &made), "MPI_Comm_split");
  return made;
}

MPI_Comm create(MPI_Comm comm, std::span<int const> ranks) {
  MPI_Group old_group = MPI_GROUP_NULL;
  mpi::require_success(PMPI_Comm_group(comm, &old_group), "MPI_Comm_group");
  MPI_Group new_group = MPI_GROUP_NULL;
  int code = PMPI_Group_incl(old_group, static_cast<int>(ranks.size()), ranks.data(), &new_group);
  PMPI_Group_free(&old_group);
  mpi::require_success(code, "MPI_Group_incl");
  MPI_Comm made = MPI_COMM_NULL;
  code = PMPI_Comm_create(comm, new_group, &made);
  PMPI_Group_free(&new_group);
  mpi::require_success(code, "MPI_Comm_create");
  return made;
}

}  // namespace

ReorderedCommunicator::ReorderedCommunicator(
    MPI_Comm comm, std::span<int const> ranks, Creation creation
) {
  agree(comm, ranks);
  ranks_.assign(ranks.begin(), ranks.end());
  positions_ = mapping::positions(ranks);
  comm_ = creation == Creation::split ? split(comm, positions_) : create(comm, ranks_);
}

ReorderedCommunicator::ReorderedCommunicator(ReorderedCommunicator&& other) noexcept
    : ranks_(std::move(other.ranks_)), positions_(std::move(other.positions_)),
      comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}

ReorderedCommunicator& ReorderedCommunicator::operator=(ReorderedCommunicator&& other) noexcept {
  std::swap(ranks_, other.ranks_);
  std::swap(positions_, other.positions_);
  std::swap(comm_, other.comm_);
  return *this;
}

ReorderedCommunicator::~ReorderedCommunicator() {
  if (comm_ != MPI_COMM_NULL) {
    PMPI_Comm_free(&comm_);
  }
}

}  // namespace espalier::exec
