// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/preconditions.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::schedule {
namespace {

/// Blocks in one direction that do not wrap around the end of their buffer.
struct Progression {
  int first = 0;
  int num_blocks = 0;
  int step = 1;  // may be negative
};

/// Takes the longest progression from the front of a slot of a buffer of this size.
Progression take_front(Slot& slot, int size) {
  int const backward = slot.stride - size;
  bool const descends = backward < 0 && -backward < slot.stride;
  int const step = descends ? backward : slot.stride;
  int const room = descends ? slot.first / -step : (size - 1 - slot.first) / std::max(step, 1);
  int const taken = step == 0 ? slot.num_blocks : std::min(slot.num_blocks, room + 1);
  Progression const front{.first = slot.first, .num_blocks = taken, .step = step};
  slot.first = wrap(slot.first + std::int64_t{step} * taken, size);
  slot.num_blocks -= taken;
  return front;
}

/// A slot with its first block and stride in range.
Slot wrapped(Slot slot, int size) {
  slot.first = wrap(slot.first, size);
  slot.stride = slot.num_blocks == 1 ? 1 % size : wrap(slot.stride, size);
  return slot;
}

/// Adds a slot in range. Scratch may still grow: there it is only joined to what lies before it.
void append_in(std::vector<Slot>& slots, Slot slot, int size) {
  bool const grows = slot.buffer == Buffer::scratch;
  if (grows && !slots.empty() && slot.first <= slots.back().first) {
    slots.push_back(slot);
  } else {
    append_coalesced(slots, slot, grows ? std::numeric_limits<int>::max() : size);
  }
}

/// Appends one program to a builder.
class Nesting {
public:
  Nesting(Builder& builder, RankProgram const& inner, Embedding const& embedding)
      : builder_(builder), inner_(inner), embedding_(embedding) {}

  void run() {
    add_scratch();
    positions_.reserve(inner_.operations.size() + 1);
    for (Operation const& operation : inner_.operations) {
      positions_.push_back(builder_.num_operations());
      add(operation);
    }
    builder_.next_round(builder_.round());
  }

private:
  /// A scratch block of the inner program becomes as many as its label stands for.
  void add_scratch() {
    auto const& labels = inner_.frame.scratch_like;
    std::vector<Slot> places;
    places.reserve(labels.size());
    std::vector<Slot> like;
    for (int const label : labels) {
      like.clear();
      embedding_.blocks_of.append(like, block_with(label), builder_.frame());
      places.push_back(builder_.scratch(like));
    }
    if (places.empty()) {
      return;
    }
    int const each = places[0].num_blocks;
    if (std::ranges::all_of(places, [&](Slot const& slot) { return slot.num_blocks == each; })) {
      scratch_ = BlockMap(places[0], each);
    } else {
      scratch_ = [places = std::move(places)](int i) {
        return places[static_cast<std::size_t>(i)];
      };
    }
  }

  /// An output block of the inner program with this label.
  [[nodiscard]] int block_with(int label) const {
    auto const& labels = inner_.frame.output_like;
    if (labels.empty()) {
      return label;
    }
    // In an alltoall that is the block from the rank that the label begins with.
    auto const likely = static_cast<std::size_t>(label / inner_.frame.num_ranks);
    if (likely < labels.size() && labels[likely] == label) {
      return static_cast<int>(likely);
    }
    auto const found = std::ranges::find(labels, label);
    return found == labels.end() ? 0 : static_cast<int>(found - labels.begin());
  }

  [[nodiscard]] BlockMap const& map_of(Slot const& slot) const {
    switch (slot.buffer) {
    case Buffer::output:
      return embedding_.blocks_of;
    case Buffer::scratch:
      return scratch_;
    case Buffer::input:
      break;
    }
    if (!embedding_.inputs_of) {
      throw Error(
          ErrorCode::unsupported,
          "nest needs a program without input blocks, or a place for them; got one that reads "
          "input "
          "block " +
              std::to_string(slot.first)
      );
    }
    return embedding_.inputs_of;
  }

  /// The blocks of `slots` seen through the embedding, as few slots as possible.
  void embed(std::span<Slot const> slots, std::vector<Slot>& result) const {
    result.clear();
    for (Slot const& slot : slots) {
      BlockMap const& map = map_of(slot);
      if (map.is_regular()) {
        map.append_regular(result, slot, inner_.frame.num_blocks(slot.buffer), builder_.frame());
        continue;
      }
      for_each_block(inner_.frame, {&slot, 1}, [&](auto, int block) {
        map.append(result, block, builder_.frame());
      });
    }
  }

  /// An operation whose blocks stand for nothing is left out, but signals are not.
  void add(Operation operation) {
    bool const is_signal = operation.peer >= 0 && operation.slots.size() == 0;
    embed(inner_.slots(operation), slots_);
    embed(inner_.sources(operation), sources_);
    if (operation.kind == Kind::native) {
      add_native(operation);
      return;
    }
    if (!is_signal && slots_.empty()) {
      return;
    }
    operation.peer = operation.peer < 0 ? -1 : embedding_.rank_of(operation.peer);
    operation.round += first_round_;
    operation.after = positions_[static_cast<std::size_t>(operation.after)];
    operation.after_sends = operation.after_sends == 0
                                ? first_after_sends_
                                : positions_[static_cast<std::size_t>(operation.after_sends)];
    builder_.repeat(operation, slots_, sources_);
  }

  /// The call has other blocks, or none, and must be made: others wait in it.
  void add_native(Operation const& operation) {
    NativeCall call = inner_.native_call(operation);
    for (int& member : call.members) {
      member = embedding_.rank_of(member);
    }
    builder_.next_round(first_round_ + operation.round);
    builder_.native(std::move(call), slots_, sources_);
  }

  Builder& builder_;
  RankProgram const& inner_;
  Embedding const& embedding_;
  int first_round_ = builder_.round();
  int first_after_sends_ = builder_.after_sends();
  BlockMap scratch_;
  std::vector<Slot> slots_;  // of the operation being added
  std::vector<Slot> sources_;
  std::vector<int> positions_;  // where each inner operation was placed, or the next one that was
};

}  // namespace

BlockMap BlockMap::shifted(int distance) const {
  BlockMap result = *this;
  if (is_regular_) {
    result.first_.first += distance * step_;
  } else if (slot_of_ && distance != 0) {
    result.slot_of_ = [of = slot_of_, distance](int i) { return of(i + distance); };
  } else if (distance != 0) {
    result.slots_of_ = [of = slots_of_, distance](int i) { return of(i + distance); };
  }
  return result;
}

void BlockMap::append(std::vector<Slot>& slots, int block, Frame const& outer) const {
  auto const add = [&](Slot const& slot) {
    int const size = outer.num_blocks(slot.buffer);
    if (slot.num_blocks > 0) {
      append_in(slots, wrapped(slot, size), size);
    }
  };
  if (is_regular_) {
    append_regular(slots, blocks(block), block + 1, outer);
  } else if (slot_of_) {
    add(slot_of_(block));
  } else {
    std::ranges::for_each(slots_of_(block), add);
  }
}

void BlockMap::append_regular(
    std::vector<Slot>& slots, Slot const& slot, int inner_size, Frame const& outer
) const {
  int const size = outer.num_blocks(first_.buffer);
  int const each = first_.num_blocks;
  auto const add = [&](std::int64_t distance, int num_blocks, std::int64_t stride) {
    Slot const place{
        .buffer = first_.buffer,
        .first = wrap(first_.first + distance, size),
        .num_blocks = num_blocks,
        .stride = num_blocks == 1 ? 1 % size : wrap(stride, size),
    };
    append_in(slots, place, size);
  };
  for (Slot rest = slot; each > 0 && rest.num_blocks > 0;) {
    Progression const front = take_front(rest, inner_size);
    std::int64_t const distance = std::int64_t{front.first} * step_;
    std::int64_t const step = std::int64_t{front.step} * step_;
    bool const is_slot = step >= 0 || first_.buffer != Buffer::scratch;
    if (each == 1 && is_slot) {
      add(distance, front.num_blocks, step);
    } else if (step == std::int64_t{each} * first_.stride && is_slot) {
      add(distance, front.num_blocks * each, first_.stride);
    } else {
      for (int i = 0; i < front.num_blocks; ++i) {
        add(distance + i * step, each, first_.stride);
      }
    }
  }
}

void nest(Builder& builder, RankProgram const& inner, Embedding const& embedding) {
  require_rounds(inner, "nest");
  Nesting(builder, inner, embedding).run();
}

RankProgram
permute(RankProgram const& program, Collective collective, std::function<int(int)> const& rank_of) {
  if (collective == Collective::scan || collective == Collective::exscan) {
    throw Error(
        ErrorCode::unsupported,
        "permute needs a collective whose result does not depend on rank order, got " +
            std::string(to_string(collective))
    );
  }
  int const p = program.frame.num_ranks;
  int const part = has_parts(collective) ? program.frame.num_output_blocks / p : 0;
  auto const renamed = [&](int block) {
    return part == 0 ? block : rank_of(block / part) * part + block % part;
  };
  int const rank = rank_of(program.rank);
  Frame frame{.num_ranks = p, .num_output_blocks = program.frame.num_output_blocks};
  if (collective == Collective::alltoall) {
    frame = alltoall_frame(p, rank);
  }
  Builder builder(std::move(frame), rank);
  nest(
      builder,
      program,
      {.rank_of = rank_of,
       .blocks_of = [&](int block) { return blocks(renamed(block)); },
       .inputs_of = [&](int block
                    ) { return Slot{.buffer = Buffer::input, .first = rank_of(block)}; }}
  );
  return std::move(builder).finish();
}

Frame alltoall_frame(int num_ranks, int rank) {
  if (num_ranks > most_alltoall_ranks) {
    throw Error(
        ErrorCode::unsupported,
        "alltoall needs at most " + std::to_string(most_alltoall_ranks) + " ranks, got " +
            std::to_string(num_ranks)
    );
  }
  Frame frame{.num_ranks = num_ranks, .num_output_blocks = num_ranks};
  for (int peer = 0; peer < num_ranks; ++peer) {
    frame.input_like.push_back(rank * num_ranks + peer);
    frame.output_like.push_back(peer * num_ranks + rank);
  }
  return frame;
}

}  // namespace espalier::schedule
