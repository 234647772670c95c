// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/native_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::schedule {
namespace {

int size_of(NativeCall const& call) {
  return static_cast<int>(call.members.size());
}

/// Blocks of a collective among the members.
Frame frame_of(NativeCall const& call, int place) {
  int const size = size_of(call);
  if (call.collective == Collective::alltoall) {
    return alltoall_frame(size, place);
  }
  return {.num_ranks = size, .num_output_blocks = has_parts(call.collective) ? size : 1};
}

/// Writes the program of one place: two rounds of signals, then one of messages.
class Meeting {
public:
  Meeting(NativeCall const& call, int place)
      : call_(call), size_(size_of(call)), place_(place), builder_(frame_of(call, place), place) {}

  RankProgram run() {
    meet();
    exchange();
    if (reduces(call_.collective) && !receives_.empty()) {
      combine();
    }
    return std::move(builder_).finish();
  }

private:
  void meet() {
    for (int other = 1; other < size_; ++other) {
      if (place_ == 0) {
        builder_.recv_signal(other);
      } else if (place_ == other) {
        builder_.send_signal(0);
      }
    }
    builder_.next_round();
    for (int other = 1; other < size_; ++other) {
      if (place_ == 0) {
        builder_.send_signal(other);
      } else if (place_ == other) {
        builder_.recv_signal(0);
      }
    }
    builder_.next_round();
  }

  void exchange() {
    for (int other = 0; other < size_; ++other) {
      if (other != place_ && gives(place_, other)) {
        builder_.send(other, given_to(other));
      }
    }
    for (int other = 0; other < size_; ++other) {
      if (other != place_ && gives(other, place_)) {
        Slot const slot = taken_from(other);
        builder_.recv(other, slot);
        receives_.push_back(slot);
      }
    }
  }

  /// Whether data goes from one place to another.
  [[nodiscard]] bool gives(int from, int to) const {
    switch (call_.collective) {
    case Collective::bcast:
    case Collective::scatter:
      return from == call_.root;
    case Collective::gather:
    case Collective::reduce:
      return to == call_.root;
    default:
      return true;
    }
  }

  [[nodiscard]] Slot given_to(int other) const {
    switch (call_.collective) {
    case Collective::alltoall:
      return {.buffer = Buffer::input, .first = other};
    case Collective::scatter:
    case Collective::reduce_scatter:
      return blocks(other);
    case Collective::allgather:
    case Collective::gather:
      return blocks(place_);
    default:
      return blocks(0);
    }
  }

  [[nodiscard]] Slot taken_from(int other) {
    switch (call_.collective) {
    case Collective::alltoall:
      if (!has_own_) {
        has_own_ = true;
        builder_.copy(blocks(place_), Slot{.buffer = Buffer::input, .first = place_});
      }
      return blocks(other);
    case Collective::allgather:
    case Collective::gather:
      return blocks(other);
    case Collective::scatter:
      return blocks(place_);
    case Collective::bcast:
      return blocks(0);
    default:
      return builder_.scratch(own());
    }
  }

  /// Where the operand of this rank is, and the result will be.
  [[nodiscard]] Slot own() const {
    return blocks(call_.collective == Collective::reduce_scatter ? place_ : 0);
  }

  /// x_i, as one of what was received or the own one.
  [[nodiscard]] Slot operand(int i) const {
    if (i == place_) {
      return own();
    }
    return receives_[static_cast<std::size_t>(i < place_ ? i : i - 1)];
  }

  /// From the last operand to the first, each to the left of what is there.
  void combine() {
    int const round = builder_.round();
    builder_.wait_for_sends().next_round(round);
    Slot const sum = operand(size_ - 1);
    for (int i = size_ - 2; i >= 0; --i) {
      builder_.reduce(sum, operand(i)).next_round(round);
    }
    if (sum.buffer == Buffer::scratch) {
      builder_.copy(own(), sum);
    }
  }

  NativeCall const& call_;
  int size_;
  int place_;
  Builder builder_;
  std::vector<Slot> receives_;
  bool has_own_ = false;
};

using Places = std::vector<Slot>;

/// The blocks of slots in so many parts, as slots of one block each.
std::vector<Places> cut(Frame const& frame, std::span<Slot const> slots, int num_parts) {
  Places all;
  for_each_block(frame, slots, [&](Buffer buffer, int block) {
    all.push_back({.buffer = buffer, .first = block});
  });
  std::size_t const each = all.size() / static_cast<std::size_t>(num_parts);
  std::vector<Places> parts;
  for (std::size_t i = 0; i < all.size(); i += each) {
    auto const begin = all.begin() + static_cast<std::ptrdiff_t>(i);
    parts.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(each));
  }
  return parts;
}

/// Where the blocks of the collective are among those of the operation.
class Blocks {
public:
  Blocks(RankProgram const& program, Operation const& operation, int place)
      : call_(program.native_call(operation)), place_(place) {
    NativeParts const parts = parts_of(call_);
    sources_ = cut(program.frame, program.sources(operation), parts.sources);
    results_ = cut(program.frame, program.slots(operation), parts.results);
    Frame const frame = frame_of(call_, place);
    own_ = contributed(
        {call_.collective, frame.num_ranks, place, call_.root}, frame.num_output_blocks
    );
    for (int block = own_.begin; block < own_.begin + own_.size; ++block) {
      Places const result = results(block);
      is_separate_ = is_separate_ || (!result.empty() && result != sources(block - own_.begin));
    }
  }

  /// Whether contributions are not where results will be.
  [[nodiscard]] bool are_separate() const noexcept { return is_separate_; }

  [[nodiscard]] Places sources(int block) const {
    return sources_.empty() ? Places{} : sources_[static_cast<std::size_t>(block)];
  }

  /// Of an output block of the collective.
  [[nodiscard]] Places outputs(int block) const {
    Places result = results(block);
    return result.empty() && own_.contains(block) ? sources(block - own_.begin) : result;
  }

private:
  [[nodiscard]] Places results(int block) const {
    if (results_.empty()) {
      return {};
    }
    if (results_.size() > 1) {
      return results_[static_cast<std::size_t>(block)];
    }
    return !has_parts(call_.collective) || block == place_ ? results_.front() : Places{};
  }

  NativeCall const& call_;
  int place_;
  std::vector<Places> sources_;
  std::vector<Places> results_;
  BlockRun own_;
  bool is_separate_ = false;
};

void append_call(
    Builder& builder,
    RankProgram const& program,
    Operation const& operation,
    ProgramOfCall const& program_of
) {
  NativeCall const& call = program.native_call(operation);
  auto const found = std::ranges::find(call.members, program.rank);
  auto const place = static_cast<int>(found - call.members.begin());
  Blocks const blocks(program, operation, place);
  RankProgram inner = program_of(call, place);
  if (blocks.are_separate()) {
    inner = from_input(std::move(inner), call.collective, call.root);
  }
  Embedding const embedding{
      .rank_of = [&](int i) { return call.members[static_cast<std::size_t>(i)]; },
      .blocks_of = [&](int block) { return blocks.outputs(block); },
      .inputs_of = [&](int block) { return blocks.sources(block); },
  };
  builder.wait_for_sends().next_round(operation.round);
  nest(builder, inner, embedding);
}

}  // namespace

NativeParts parts_of(NativeCall const& call) noexcept {
  int const size = size_of(call);
  switch (call.collective) {
  case Collective::allgather:
  case Collective::gather:
    return {.sources = 1, .results = size};
  case Collective::scatter:
  case Collective::reduce_scatter:
    return {.sources = size, .results = 1};
  case Collective::alltoall:
    return {.sources = size, .results = size};
  default:
    return {};
  }
}

RankProgram meeting(NativeCall const& call, int place) {
  bool const is_known = call.collective != Collective::scan &&
                        call.collective != Collective::exscan &&
                        call.collective != Collective::barrier;
  if (!is_known) {
    throw Error(
        ErrorCode::unsupported,
        "expected a collective that can be a native phase, got " +
            std::string(to_string(call.collective))
    );
  }
  return Meeting(call, place).run();
}

RankProgram without_native_calls(RankProgram const& program, ProgramOfCall const& program_of) {
  if (!program.has_native_calls()) {
    return program;
  }
  Builder builder(program.frame, program.rank);
  std::vector<int> positions;
  for (Operation operation : program.operations) {
    positions.push_back(builder.num_operations());
    if (operation.kind == Kind::native) {
      append_call(builder, program, operation, program_of);
      continue;
    }
    operation.after = positions[static_cast<std::size_t>(operation.after)];
    operation.after_sends = positions[static_cast<std::size_t>(operation.after_sends)];
    builder.repeat(operation, program.slots(operation), program.sources(operation));
  }
  return std::move(builder).finish();
}

}  // namespace espalier::schedule
