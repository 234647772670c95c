// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "espalier/plan/neighbors/neighbor_name.hpp"
#include "espalier/plan/settings/recorder.hpp"
#include "espalier/profile/decision.hpp"

namespace espalier::plan {

/// Neighborhood calls on one communicator. Used by one thread at a time; allocates only when a
/// call, a size class and a decision come together for the first time.
class NeighborRecorder {
public:
  struct Row {
    NeighborForm call;
    std::size_t size_class;             ///< of a block, where all ranks know it; else 0
    profile::Decision const* decision;  ///< not owned
    Counter counter{};
    std::shared_ptr<Completions> completions{};  ///< null: none are counted
  };

  /// @param block_bytes  as rules have it; 0 where not all ranks know it
  /// @param one  call, with the bytes that this rank sent to all of its neighbours
  /// @return the row that counts it, until the next one is recorded
  Row& record(
      NeighborForm call,
      std::int64_t block_bytes,
      profile::Decision const& decision,
      Counter const& one
  );

  [[nodiscard]] std::vector<Row> const& rows() const noexcept { return rows_; }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return sizeof(*this) + rows_.capacity() * sizeof(Row);
  }

private:
  std::vector<Row> rows_;
};

}  // namespace espalier::plan
