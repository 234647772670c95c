// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/neighborhood/algorithm.hpp"
#include "espalier/plan/neighbors/neighbor_name.hpp"
#include "espalier/plan/settings/recorder.hpp"

namespace espalier::plan {

/// Neighborhood calls on one communicator. Used by one thread at a time; allocates only when a call
/// and an algorithm come together for the first time.
class NeighborRecorder {
public:
  struct Row {
    NeighborCall call;
    neighborhood::Algorithm const* algorithm;  ///< null: the native call
    Counter counter{};
  };

  /// @param bytes that this rank sent to all of its neighbours
  void record(
      NeighborCall call,
      neighborhood::Algorithm const* algorithm,
      std::int64_t bytes,
      double seconds
  );

  [[nodiscard]] std::vector<Row> const& rows() const noexcept { return rows_; }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return sizeof(*this) + rows_.capacity() * sizeof(Row);
  }

private:
  std::vector<Row> rows_;
};

}  // namespace espalier::plan
