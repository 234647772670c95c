// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/memory/unwrap.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::Operation;
using schedule::Range;
using schedule::RankProgram;
using schedule::Slot;

class Unwrapper {
public:
  Unwrapper(RankProgram const& program, Layout const& sizes, std::int64_t min_elements)
      : program_(program), sizes_(sizes), min_elements_(min_elements) {
    result_.frame = program.frame;
    result_.rank = program.rank;
    result_.native_calls = program.native_calls;
  }

  RankProgram run() {
    std::vector<int> new_index;
    new_index.reserve(program_.operations.size() + 1);
    for (Operation operation : program_.operations) {
      new_index.push_back(static_cast<int>(result_.operations.size()));
      operation.after = new_index[static_cast<std::size_t>(operation.after)];
      operation.after_sends = new_index[static_cast<std::size_t>(operation.after_sends)];
      auto const slots = program_.slots(operation);
      operation.sources = store(program_.sources(operation));
      if (operation.peer < 0 || !is_cut(slots)) {
        operation.slots = store(slots);
        result_.operations.push_back(operation);
      } else {
        add_halves(operation, slots);
      }
    }
    return std::move(result_);
  }

private:
  /// Looks at labels, not at slots: the peer may have the same data in other slots or in another
  /// buffer.
  [[nodiscard]] bool is_cut(std::span<Slot const> slots) const {
    std::int64_t num_elements = 0;
    bool wraps = false;
    int last = -1;
    schedule::for_each_block(program_.frame, slots, [&](Buffer buffer, int block) {
      int const label = program_.frame.like(buffer, block);
      num_elements += sizes_.has_place(label) ? sizes_.block(label).num_elements : 0;
      wraps = wraps || is_end(last, label);
      last = label;
    });
    return wraps && num_elements >= min_elements_;
  }

  [[nodiscard]] bool is_end(int label, int next) const {
    return label == program_.frame.num_output_blocks - 1 && next == 0;
  }

  void add_halves(Operation operation, std::span<Slot const> slots) {
    std::array<std::vector<Slot>, 2> halves;
    std::size_t half = 0;
    int last = -1;
    schedule::for_each_block(program_.frame, slots, [&](Buffer buffer, int block) {
      int const label = program_.frame.like(buffer, block);
      half = is_end(last, label) ? 1 : half;
      last = label;
      schedule::append_coalesced(
          halves[half], {.buffer = buffer, .first = block}, program_.frame.num_blocks(buffer)
      );
    });
    for (std::vector<Slot> const& part : halves) {
      operation.slots = store(part);
      result_.operations.push_back(operation);
    }
  }

  Range store(std::span<Slot const> slots) {
    auto const begin = static_cast<int>(result_.slot_pool.size());
    result_.slot_pool.insert(result_.slot_pool.end(), slots.begin(), slots.end());
    return {.begin = begin, .end = static_cast<int>(result_.slot_pool.size())};
  }

  RankProgram const& program_;
  Layout const& sizes_;
  std::int64_t min_elements_;
  RankProgram result_;
};

}  // namespace

RankProgram unwrap(
    RankProgram program, Layout const& sizes, std::int64_t element_bytes, std::int64_t min_bytes
) {
  bool const is_small = sizes.num_elements() * element_bytes < min_bytes;
  bool const is_alltoall = !program.frame.output_like.empty();
  if (is_small || is_alltoall || program.is_dataflow()) {
    return program;
  }
  std::int64_t const min_elements =
      (min_bytes + element_bytes - 1) / std::max<std::int64_t>(element_bytes, 1);
  return Unwrapper(program, sizes, min_elements).run();
}

}  // namespace espalier::exec
