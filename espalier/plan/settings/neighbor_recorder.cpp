// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings/neighbor_recorder.hpp"

namespace espalier::plan {

void NeighborRecorder::record(
    NeighborCall call, neighborhood::Algorithm const* algorithm, std::int64_t bytes, double seconds
) {
  Counter const one{.count = 1, .bytes = bytes, .seconds = seconds};
  for (Row& row : rows_) {
    if (row.call == call && row.algorithm == algorithm) {
      row.counter.add(one);
      return;
    }
  }
  rows_.push_back({.call = call, .algorithm = algorithm, .counter = one});
}

}  // namespace espalier::plan
