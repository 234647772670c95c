// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <mpi.h>

#include "espalier/measure/job.hpp"
#include "espalier/measure/measurement_plan.hpp"
#include "espalier/plan/calls.hpp"
#include "espalier/plan/session.hpp"

namespace espalier::measure {

/// Memory of one point, and its call made natively or by us, on bytes of MPI_BYTE.
///
/// allgather: equal blocks. allgatherv: blocks that differ by at most a byte, one after the other.
/// bcast: the message.
class Workload {
public:
  /// Local. The size is rounded up to what the call can have: a multiple of the ranks for
  /// allgather.
  Workload(Job const& job, PointRequest const& point);

  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

  /// Roots worth trying: several for bcast, otherwise one that means nothing.
  [[nodiscard]] std::vector<int> roots() const;

  /// Collective; MPI_SUCCESS or the code of an error.
  int run_native(int root);
  /// The same call as a preloaded program makes it: decide, find the cached executor, run it.
  int run_ours(plan::Session& session, int root);

  /// Contributions that depend on rank, position and stamp; garbage where the result goes.
  void fill(int root, std::uint32_t stamp);

  /// The result, with the guard bytes on both sides of it.
  [[nodiscard]] std::span<std::byte const> guarded_result() const noexcept { return output_; }

  /// Where two guarded results differ first, in words; empty if they do not.
  [[nodiscard]] static std::string
  difference(std::span<std::byte const> expected, std::span<std::byte const> found);

private:
  using Call = std::variant<plan::AllgatherCall, plan::AllgathervCall, plan::BcastCall>;

  [[nodiscard]] Call call_with(int root) noexcept;
  [[nodiscard]] std::int64_t own_bytes() const noexcept;

  MPI_Comm comm_;
  int rank_;
  int num_ranks_;
  tune::Call call_;
  std::int64_t bytes_;
  std::vector<int> counts_;
  std::vector<int> displacements_;
  std::vector<std::byte> input_;
  std::vector<std::byte> output_;
};

}  // namespace espalier::measure
