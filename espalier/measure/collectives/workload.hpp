// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/measure/collectives/collective_facts.hpp"
#include "espalier/measure/collectives/measurement_plan.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/plan/calls/native_calls.hpp"
#include "espalier/plan/session.hpp"

namespace espalier::measure {

/// How a call ended that a session decided.
struct Ran {
  int code = MPI_SUCCESS;
  profile::Decision const* decision = nullptr;  ///< null: the session left the call alone
};

/// Memory of one point, and its call made natively or by us.
///
/// Data that only move are bytes of MPI_BYTE, contributions to reductions are small whole numbers
/// in MPI_DOUBLE, whose sum is exact in any order; see contents.hpp. Parts that may differ in size
/// are those of the point or differ by at most one element, one after the other; those of alltoallv
/// and alltoallw go round the ranks.
class Workload {
public:
  /// Local. The size is rounded up to what the call can have: whole elements, and equal parts where
  /// the call has them; 0 for a barrier.
  /// @throws Error argument if the point has parts for another number of ranks.
  Workload(Job const& job, PointRequest const& point);

  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

  /// Roots worth trying: several for rooted calls, otherwise one that means nothing. In simulation
  /// one, the one that is timed.
  [[nodiscard]] std::vector<int> roots() const;

  /// Collective; MPI_SUCCESS or the code of an error.
  int run_native(int root);
  /// The same call as a preloaded program makes it: decide, find the cached executor, run it.
  Ran run_ours(plan::Session& session, int root);

  /// Contributions that depend on rank, position and stamp; garbage where the result goes.
  void fill(int root, std::uint32_t stamp);

  /// What guarded_result() has to be after a call on what fill() put there; of no use where MPI
  /// says nothing of the result. Local: no call of a library is taken for right.
  [[nodiscard]] std::vector<std::byte> expected(int root, std::uint32_t stamp) const;

  /// False if MPI says nothing of the result on this rank.
  [[nodiscard]] bool has_result(int root) const noexcept;

  /// The result, with the guard bytes on both sides of it.
  [[nodiscard]] std::span<std::byte const> guarded_result() const noexcept { return output_; }

  /// Where two guarded results differ first, in words; empty if they do not.
  [[nodiscard]] static std::string
  difference(std::span<std::byte const> expected, std::span<std::byte const> found);

private:
  [[nodiscard]] CollectiveFacts const& facts() const noexcept {
    return facts_of(profile::collective_of(call_));
  }

  [[nodiscard]] plan::AnyCall call_with(int root) noexcept;
  void cut_into_parts(std::vector<int> const& part_bytes);
  void expect(std::span<std::byte> content, int root, std::uint32_t stamp) const;
  void expect_parts(std::span<std::byte> content, std::uint32_t stamp) const;
  [[nodiscard]] std::int64_t own_bytes() const noexcept;

  MPI_Comm comm_;
  int rank_;
  int num_ranks_;
  profile::Call call_;
  std::int64_t element_bytes_;
  std::int64_t bytes_;
  std::vector<int> counts_;  ///< in elements, as are the displacements
  std::vector<int> displacements_;
  std::vector<MPI_Datatype> types_;  ///< of alltoallw
  std::vector<std::byte> input_;
  std::vector<std::byte> output_;
};

}  // namespace espalier::measure
