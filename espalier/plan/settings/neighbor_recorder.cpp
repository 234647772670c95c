// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings/neighbor_recorder.hpp"

namespace espalier::plan {

NeighborRecorder::Row& NeighborRecorder::record(
    NeighborForm call,
    std::int64_t block_bytes,
    profile::Decision const& decision,
    Counter const& one
) {
  std::size_t const position = size_class(block_bytes);
  for (Row& row : rows_) {
    if (row.call == call && row.size_class == position && row.decision == &decision) {
      row.counter.add(one);
      return row;
    }
  }
  rows_.push_back({.call = call, .size_class = position, .decision = &decision, .counter = one});
  return rows_.back();
}

}  // namespace espalier::plan
