// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/schedule/preconditions.hpp"
#include "espalier/schedule/segment_blocks.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::schedule {
namespace {

/// For each operation: its place among the messages of its pair and direction, and their number.
struct PairPlace {
  int place = 0;
  int total = 0;
};

std::vector<PairPlace> places_in_pairs(RankProgram const& program) {
  std::map<std::pair<Kind, int>, int> totals;
  std::vector<PairPlace> places;
  places.reserve(program.operations.size());
  for (Operation const& operation : program.operations) {
    places.push_back({.place = totals[{operation.kind, operation.peer}]++});
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    Operation const& operation = program.operations[i];
    places[i].total = totals[{operation.kind, operation.peer}];
  }
  return places;
}

/// Builds the segmented program; one member function per decision.
class Segmenter {
public:
  Segmenter(RankProgram const& program, Pipeline const& pipeline)
      : base_(program), pipeline_(pipeline), places_(places_in_pairs(program)) {
    result_.rank = base_.rank;
    result_.frame = frame_in_segments(base_.frame, pipeline.num_segments);
  }

  RankProgram run() {
    for (int s = 0; s < pipeline_.num_segments; ++s) {
      for (std::size_t i = 0; i < base_.operations.size(); ++i) {
        add(static_cast<int>(i), s);
      }
    }
    return std::move(result_);
  }

private:
  void add(int index, int segment) {
    auto const i = static_cast<std::size_t>(index);
    Operation operation = base_.operations[i];
    if (operation.peer >= 0) {
      operation.tag = segment * places_[i].total + places_[i].place;
    }
    operation.round += segment * pipeline_.period;
    operation.slots = store(base_.slots(operation), segment);
    operation.sources = store(base_.sources(operation), segment);
    operation.waits = waits_for(index, operation, segment);
    operation.after = 0;
    operation.after_sends = 0;
    result_.operations.push_back(operation);
  }

  Range store(std::span<Slot const> slots, int segment) {
    auto const begin = static_cast<int>(result_.slot_pool.size());
    for (Slot const& slot : slots) {
      int const size = base_.frame.num_blocks(slot.buffer);
      result_.slot_pool.push_back(slot_of_segment(slot, size, pipeline_.num_segments, segment));
    }
    return {.begin = begin, .end = static_cast<int>(result_.slot_pool.size())};
  }

  Range waits_for(int index, Operation const& operation, int segment) {
    auto const num_operations = static_cast<int>(base_.operations.size());
    auto const begin = static_cast<int>(result_.wait_pool.size());
    // The last write waited for has itself waited for what comes before these.
    int const last_write = last_write_before(operation.after);
    Operation const covered =
        last_write < 0 ? Operation{} : base_.operations[static_cast<std::size_t>(last_write)];
    int const first = operation.after_sends > covered.after_sends
                          ? std::min(covered.after, covered.after_sends)
                          : covered.after;
    for (int i = first; i < std::max(operation.after, operation.after_sends); ++i) {
      bool const writes = base_.operations[static_cast<std::size_t>(i)].writes();
      int const from = writes ? covered.after : covered.after_sends;
      if (i >= from && i < (writes ? operation.after : operation.after_sends)) {
        result_.wait_pool.push_back(segment * num_operations + i);
      }
    }
    bool const is_send = operation.kind == Kind::send && pipeline_.send_window > 0;
    int const window = is_send ? pipeline_.send_window : pipeline_.window;
    if (segment >= window) {
      result_.wait_pool.push_back((segment - window) * num_operations + index);
    }
    return {.begin = begin, .end = static_cast<int>(result_.wait_pool.size())};
  }

  /// -1 if there is none.
  [[nodiscard]] int last_write_before(int end) const {
    int index = end - 1;
    while (index >= 0 && !base_.operations[static_cast<std::size_t>(index)].writes()) {
      --index;
    }
    return index;
  }

  RankProgram const& base_;
  Pipeline const& pipeline_;
  std::vector<PairPlace> places_;
  RankProgram result_;
};

}  // namespace

RankProgram segment(RankProgram const& program, Pipeline const& pipeline) {
  require_rounds(program, "segment");
  if (pipeline.num_segments < 1 || pipeline.window < 1 || pipeline.send_window < 0) {
    throw Error(
        ErrorCode::argument,
        "num_segments and window must be at least 1, got " + std::to_string(pipeline.num_segments) +
            " and " + std::to_string(pipeline.window)
    );
  }
  if (program.has_native_calls()) {
    throw Error(
        ErrorCode::unsupported, "segment needs a program of messages, got one with native calls"
    );
  }
  require_countable(program, pipeline.num_segments);
  return pipeline.num_segments == 1 ? program : Segmenter(program, pipeline).run();
}

}  // namespace espalier::schedule
