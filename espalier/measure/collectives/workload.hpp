// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/measure/collectives/collective_facts.hpp"
#include "espalier/measure/collectives/measurement_plan.hpp"
#include "espalier/measure/collectives/reduction.hpp"
#include "espalier/measure/collectives/work.hpp"
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
/// Data that only move are bytes of MPI_BYTE; for contributions to reductions see Reduction. Parts
/// that may differ in size are those of the point or differ by at most one element, one after the
/// other; those of alltoallv and alltoallw go round the ranks.
class Workload {
public:
  /// Local. The size is rounded up to what the call can have: whole elements, and equal parts where
  /// the call has them; 0 for a barrier.
  /// @throws Error mpi; argument if the point has parts for another number of ranks, a root that is
  ///     none of them, or work that is not there, and for nonblocking calls in simulation.
  Workload(Job const& job, PointRequest const& point);

  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

  /// Roots worth trying: that of the point, or several for rooted calls, otherwise one that means
  /// nothing. In simulation one, the one that is timed.
  [[nodiscard]] std::vector<int> roots() const;

  /// Collective; MPI_SUCCESS or the code of an error. A nonblocking call is started, the work of
  /// the point is done, and the call is completed.
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

  /// The result, with the guard bytes on both sides of it. What MPI leaves open in between is what
  /// fill() put where there is no contribution.
  [[nodiscard]] std::vector<std::byte> guarded_result() const;

  /// Where two guarded results differ first, in words; empty if they do not.
  [[nodiscard]] static std::string
  difference(std::span<std::byte const> expected, std::span<std::byte const> found);

private:
  [[nodiscard]] CollectiveFacts const& facts() const noexcept {
    return facts_of(profile::collective_of(call_));
  }

  [[nodiscard]] plan::AnyCall call_with(int root) noexcept;
  template <typename Call> int start_and_complete_native(Call const& call);
  template <typename Call> Ran start_and_complete(Call const& call, plan::Session& session);
  void check(PointRequest const& point) const;
  void cut_into_parts(std::vector<int> const& part_bytes);
  void cut_into_pairs(std::vector<std::vector<int>> const& pair_bytes);
  void place_parts();
  /// Whether this rank makes the call with MPI_IN_PLACE.
  [[nodiscard]] bool is_in_place(int root) const noexcept;
  void expect(std::span<std::byte> content, int root, std::uint32_t stamp) const;
  void expect_parts(std::span<std::byte> content, std::uint32_t stamp) const;
  [[nodiscard]] std::int64_t own_bytes() const noexcept;

  MPI_Comm comm_;
  int rank_;
  int num_ranks_;
  profile::Call call_;
  std::int64_t element_bytes_;
  std::int64_t bytes_;
  std::optional<int> root_;  ///< none: several are worth trying
  bool is_in_place_;
  std::optional<Work> work_;  ///< of a nonblocking call
  std::optional<Reduction> reduction_;
  std::vector<int> counts_;  ///< in elements, as are the displacements; of an alltoall, received
  std::vector<int> displacements_;
  std::vector<int> sent_counts_;
  std::vector<int> sent_displacements_;
  std::vector<std::int64_t> begins_;  ///< of the parts for this rank, in the bytes of each rank
  std::vector<MPI_Datatype> types_;   ///< of alltoallw
  std::vector<std::byte> input_;
  std::vector<std::byte> output_;
};

}  // namespace espalier::measure
