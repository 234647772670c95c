// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/one_sided_segments.hpp"

#include <span>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/schedule/segment_blocks.hpp"

namespace espalier::schedule {
namespace {

class Repetition {
public:
  Repetition(RankProgram const& whole, Segments const& segments, MovingPart const& part)
      : whole_(whole), segments_(segments), part_(part) {
    result_.rank = whole.rank;
    result_.frame = frame_in_segments(whole.frame, segments.number);
  }

  RankProgram run() {
    for (int i = 0; i < part_.begin; ++i) {
      add_once(i);
    }
    for (int segment = 0; segment < segments_.number; ++segment) {
      for (int i = part_.begin; i < part_.end; ++i) {
        add(i, segment);
      }
    }
    for (int i = part_.end; i < static_cast<int>(whole_.operations.size()); ++i) {
      add_once(i);
    }
    return std::move(result_);
  }

private:
  [[nodiscard]] Operation const& operation(int index) const {
    return whole_.operations[static_cast<std::size_t>(index)];
  }

  [[nodiscard]] int size() const noexcept { return part_.end - part_.begin; }

  [[nodiscard]] bool is_repeated(int index) const noexcept {
    return index >= part_.begin && index < part_.end;
  }

  /// Where an operation that is there once stands in the result, or what is before it ends.
  [[nodiscard]] int position(int index) const noexcept {
    return index < part_.end ? index : index + (segments_.number - 1) * size();
  }

  [[nodiscard]] int position(int index, int segment) const noexcept {
    return is_repeated(index) ? index + segment * size() : position(index);
  }

  void add_once(int index) {
    Operation once = operation(index);
    std::vector<int> waits;
    for (int const waited_for : whole_.waits(once)) {
      if (!is_repeated(waited_for)) {
        waits.push_back(position(waited_for));
        continue;
      }
      for (int segment = 0; segment < segments_.number; ++segment) {
        waits.push_back(position(waited_for, segment));
      }
    }
    if (index >= part_.end) {
      once.round += (segments_.number - 1) * segments_.period;
    }
    once.after = position(once.after);
    once.after_sends = position(once.after_sends);
    store(once, waits);
  }

  void add(int index, int segment) {
    Operation repeated = operation(index);
    std::vector<int> waits;
    for (int const waited_for : whole_.waits(repeated)) {
      waits.push_back(position(waited_for, segment));
    }
    if (repeated.tag >= part_.first_counter) {
      repeated.tag =
          part_.first_counter + (repeated.tag - part_.first_counter) * segments_.number + segment;
    }
    repeated.round += segment * segments_.period;
    repeated.slots = slots_of(whole_.slots(repeated), has_remote_slots(repeated.kind), segment);
    repeated.sources =
        slots_of(whole_.sources(repeated), has_remote_sources(repeated.kind), segment);
    store(repeated, waits);
  }

  Range slots_of(std::span<Slot const> slots, bool are_remote, int segment) {
    std::vector<Slot> result;
    for (Slot const& slot : slots) {
      int const buffer_size = whole_.frame.num_blocks(slot.buffer);
      result.push_back(
          are_remote ? remote_slot_of_segment(slot, segments_.number, segment)
                     : slot_of_segment(slot, buffer_size, segments_.number, segment)
      );
    }
    return add_slots(result_, result);
  }

  void store(Operation operation, std::vector<int> const& waits) {
    operation.waits.begin = static_cast<int>(result_.wait_pool.size());
    result_.wait_pool.insert(result_.wait_pool.end(), waits.begin(), waits.end());
    operation.waits.end = static_cast<int>(result_.wait_pool.size());
    result_.operations.push_back(operation);
  }

  RankProgram const& whole_;
  Segments const& segments_;
  MovingPart const& part_;
  RankProgram result_;
};

}  // namespace

RankProgram
in_segments(RankProgram const& whole, Segments const& segments, MovingPart const& part) {
  if (segments.number == 1) {
    return whole;
  }
  if (segments.number < 1 || segments.period < 1) {
    throw Error(ErrorCode::argument, "segments and their period must be at least 1");
  }
  if (!whole.frame.output_like.empty()) {
    throw Error(ErrorCode::unsupported, "an alltoall cannot be cut into segments");
  }
  require_countable(whole, segments.number);
  return Repetition(whole, segments, part).run();
}

}  // namespace espalier::schedule
