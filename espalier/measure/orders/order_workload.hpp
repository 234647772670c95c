// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/choices/rank_order.hpp"
#include "espalier/exec/messages/mpi_executor.hpp"
#include "espalier/measure/collectives/measurement_plan.hpp"
#include "espalier/measure/common/job.hpp"

namespace espalier::measure {

/// A scatter, gather or bcast of bytes from or to one root: the memory of this rank, and the call
/// in any order of the ranks.
class OrderWorkload {
public:
  /// Local. The size is rounded up to equal parts where the call has parts.
  /// @param root in job.comm.
  OrderWorkload(Job const& job, PointRequest const& point, int root);

  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

  /// The native call on a communicator of the same ranks, where this root has this rank. The part
  /// of its rank i stands at place i of the root's memory. Collective; MPI_SUCCESS or an error.
  int run_native(MPI_Comm comm, int root);

  /// A schedule in an order; the part of rank i of comm stands at place i. Local.
  /// @throws Error as Choice::generate and MpiExecutor.
  [[nodiscard]] exec::MpiExecutor executor(
      MPI_Comm comm, algorithms::Choice const& choice, algorithms::RankOrder const& order
  ) const;

  /// Collective; MPI_SUCCESS or an error.
  int run(exec::MpiExecutor& executor) noexcept {
    return executor.run(input_.data(), output_.data());
  }

  /// What this rank contributes, different for every stamp, and garbage where the result goes.
  /// @param rank_at the rank in job.comm whose part stands at each place of the root's memory.
  void fill(std::span<int const> rank_at, std::uint32_t stamp);

  /// What is wrong with the result after fill() and a run with the same arguments; empty if
  /// nothing.
  [[nodiscard]] std::string problem(std::span<int const> rank_at, std::uint32_t stamp) const;

private:
  [[nodiscard]] bool is_root() const noexcept { return rank_ == root_; }

  void fill_part(std::span<std::byte> part, int owner, std::uint32_t stamp) const;
  [[nodiscard]] std::string
  problem_of(std::span<std::byte const> part, int owner, std::uint32_t stamp) const;
  [[nodiscard]] std::size_t part_bytes() const noexcept;

  int rank_;
  int num_ranks_;
  int root_;
  profile::Call call_;
  std::int64_t bytes_;
  std::vector<std::byte> input_;
  std::vector<std::byte> output_;
};

}  // namespace espalier::measure
