// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/transforms.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::schedule {
namespace {

void require_rounds(RankProgram const& program, char const* transform) {
  if (program.is_dataflow()) {
    throw Error(
        ErrorCode::unsupported,
        std::string(transform) + " needs a program in rounds, got a dataflow program; apply it " +
            "before segment"
    );
  }
}

/// The blocks of a slot that belong to one segment.
Slot slot_of_segment(Slot slot, int buffer_size, int num_segments, int segment) {
  slot.first = slot.first * num_segments + segment;
  slot.stride = slot.num_blocks == 1 ? 1 : slot.stride * num_segments;
  slot.stride = wrap(slot.stride, buffer_size * num_segments);
  return slot;
}

std::vector<int> segmented_labels(std::vector<int> const& like, int num_segments) {
  std::vector<int> result;
  result.reserve(like.size() * static_cast<std::size_t>(num_segments));
  for (int const block : like) {
    for (int s = 0; s < num_segments; ++s) {
      result.push_back(block * num_segments + s);
    }
  }
  return result;
}

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
    result_.frame = {
        .num_ranks = base_.frame.num_ranks,
        .num_output_blocks = base_.frame.num_output_blocks * pipeline.num_segments,
        .input_like = segmented_labels(base_.frame.input_like, pipeline.num_segments),
        .scratch_like = segmented_labels(base_.frame.scratch_like, pipeline.num_segments),
    };
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
    operation.tag = segment * places_[i].total + places_[i].place;
    operation.round += segment * pipeline_.period;
    operation.slots = store(base_.slots(operation), segment);
    operation.sources = store(base_.sources(operation), segment);
    operation.waits = waits_for(index, operation.after, segment);
    operation.after = 0;
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

  Range waits_for(int index, int after, int segment) {
    auto const num_operations = static_cast<int>(base_.operations.size());
    auto const begin = static_cast<int>(result_.wait_pool.size());
    for (int i = 0; i < after; ++i) {
      if (base_.operations[static_cast<std::size_t>(i)].writes()) {
        result_.wait_pool.push_back(segment * num_operations + i);
      }
    }
    if (segment >= pipeline_.window) {
      result_.wait_pool.push_back((segment - pipeline_.window) * num_operations + index);
    }
    return {.begin = begin, .end = static_cast<int>(result_.wait_pool.size())};
  }

  RankProgram const& base_;
  Pipeline const& pipeline_;
  std::vector<PairPlace> places_;
  RankProgram result_;
};

/// The blocks of `slots` seen through an embedding, as few slots as possible.
std::vector<Slot> embedded(
    Frame const& inner,
    std::span<Slot const> slots,
    Embedding const& embedding,
    int outer_size
) {
  std::vector<Slot> result;
  for_each_block(inner, slots, [&](Buffer buffer, int block) {
    if (buffer != Buffer::output) {
      throw Error(ErrorCode::unsupported, "nest needs a program that works on output blocks only");
    }
    append_coalesced(result, embedding.blocks_of(block), outer_size);
  });
  return result;
}

/// Merges messages of one round; a message joins the last one of its pair that has room.
class Batcher {
public:
  Batcher(RankProgram const& program, int limit)
      : program_(program), limit_(limit), builder_(program.frame, program.rank) {}

  RankProgram run() {
    int after = -1;
    for (Operation const& operation : program_.operations) {
      if (operation.after != after) {
        flush();
        builder_.next_round(operation.round);
        after = operation.after;
      }
      add(operation);
    }
    flush();
    return std::move(builder_).finish();
  }

private:
  struct Message {
    Operation const* first;
    std::vector<Slot> slots;
    int num_merged = 1;
  };

  void add(Operation const& operation) {
    auto const slots = program_.slots(operation);
    auto const place = open_.find({operation.kind, operation.peer});
    if (operation.peer < 0 || place == open_.end() ||
        messages_[place->second].num_merged == limit_) {
      open_[{operation.kind, operation.peer}] = messages_.size();
      messages_.push_back({.first = &operation, .slots = {slots.begin(), slots.end()}});
      return;
    }
    Message& message = messages_[place->second];
    ++message.num_merged;
    for (Slot const& slot : slots) {
      append_coalesced(message.slots, slot, program_.frame.num_blocks(slot.buffer));
    }
  }

  void flush() {
    for (Message const& message : messages_) {
      Operation const& operation = *message.first;
      switch (operation.kind) {
      case Kind::send:
        builder_.send(operation.peer, message.slots);
        break;
      case Kind::recv:
        builder_.recv(operation.peer, message.slots);
        break;
      case Kind::copy:
        builder_.copy(message.slots.front(), program_.sources(operation).front());
        break;
      case Kind::reduce:
        builder_.reduce(message.slots.front(), program_.sources(operation).front());
        break;
      }
    }
    messages_.clear();
    open_.clear();
  }

  RankProgram const& program_;
  int limit_;
  Builder builder_;
  std::vector<Message> messages_;
  std::map<std::pair<Kind, int>, std::size_t> open_;
};

/// Slots for the blocks of one operation, in fresh scratch blocks of the same sizes.
Slot scratch_for(std::vector<int>& scratch_like, Frame const& frame, std::span<Slot const> slots) {
  auto const first = static_cast<int>(scratch_like.size());
  for_each_block(frame, slots, [&](Buffer buffer, int block) {
    scratch_like.push_back(frame.like(buffer, block));
  });
  auto const num_blocks = static_cast<int>(scratch_like.size()) - first;
  return {.buffer = Buffer::scratch, .first = first, .num_blocks = num_blocks, .stride = 1};
}

/// One round of a reversed program: receives and sends first, then the local combinations.
class Reverser {
public:
  Reverser(RankProgram const& program, int num_rounds)
      : program_(program), num_rounds_(num_rounds) {
    for (Operation const& operation : program.operations) {
      if (operation.kind != Kind::send && operation.kind != Kind::recv) {
        throw Error(ErrorCode::unsupported, "reverse needs a program of sends and receives only");
      }
      if (operation.kind == Kind::send) {
        received_into_.push_back(
            scratch_for(scratch_like_, program.frame, program.slots(operation))
        );
      }
    }
  }

  RankProgram run() {
    Frame frame = program_.frame;
    frame.scratch_like = scratch_like_;
    Builder builder(std::move(frame), program_.rank);
    auto next = received_into_.rbegin();
    auto const& operations = program_.operations;
    for (auto end = operations.rbegin(); end != operations.rend();) {
      auto const begin = end;
      while (end != operations.rend() && end->round == begin->round) {
        ++end;
      }
      builder.next_round(num_rounds_ - 1 - begin->round);
      auto const first_received = next;
      for (auto it = begin; it != end; ++it) {
        exchange(builder, *it, next);
      }
      combine(builder, begin, end, first_received);
    }
    return std::move(builder).finish();
  }

private:
  using Position = std::vector<Operation>::const_reverse_iterator;
  using Received = std::vector<Slot>::reverse_iterator;

  void exchange(Builder& builder, Operation const& operation, Received& next) {
    if (operation.kind == Kind::send) {
      builder.recv(operation.peer, *next++);
    } else {
      builder.send(operation.peer, program_.slots(operation));
    }
  }

  void combine(Builder& builder, Position begin, Position end, Received received) {
    for (auto it = begin; it != end; ++it) {
      if (it->kind != Kind::send) {
        continue;
      }
      Slot source = *received++;
      for (Slot const& slot : program_.slots(*it)) {
        source.num_blocks = slot.num_blocks;
        builder.next_round(builder.round()).reduce(slot, source);
        source.first += slot.num_blocks;
      }
    }
  }

  RankProgram const& program_;
  int num_rounds_;
  std::vector<int> scratch_like_;
  std::vector<Slot> received_into_;
};

}  // namespace

RankProgram from_input(RankProgram program, int own) {
  require_rounds(program, "from_input");
  program.frame.input_like = {own};
  auto const pool_size = static_cast<int>(program.slot_pool.size());
  program.slot_pool.push_back(blocks(own));
  program.slot_pool.push_back({.buffer = Buffer::input, .first = 0, .num_blocks = 1, .stride = 0});
  for (Operation& operation : program.operations) {
    ++operation.after;
  }
  Operation copy{.kind = Kind::copy};
  copy.slots = {.begin = pool_size, .end = pool_size + 1};
  copy.sources = {.begin = pool_size + 1, .end = pool_size + 2};
  program.operations.insert(program.operations.begin(), copy);
  return program;
}

RankProgram rotate(RankProgram program, int shift) {
  int const p = program.frame.num_ranks;
  program.rank = wrap(std::int64_t{program.rank} + shift, p);
  for (Operation& operation : program.operations) {
    if (operation.peer >= 0) {
      operation.peer = wrap(std::int64_t{operation.peer} + shift, p);
    }
  }
  return program;
}

void nest(Builder& builder, RankProgram const& inner, Embedding const& embedding) {
  require_rounds(inner, "nest");
  int const outer_size = builder.frame().num_output_blocks;
  int const first_round = builder.round();
  int after = -1;
  for (Operation const& operation : inner.operations) {
    if (operation.after != after) {
      builder.next_round(first_round + operation.round);
      after = operation.after;
    }
    auto const slots = embedded(inner.frame, inner.slots(operation), embedding, outer_size);
    if (operation.kind == Kind::send) {
      builder.send(embedding.rank_of(operation.peer), slots);
    } else if (operation.kind == Kind::recv) {
      builder.recv(embedding.rank_of(operation.peer), slots);
    } else {
      throw Error(ErrorCode::unsupported, "nest needs a program of sends and receives only");
    }
  }
}

RankProgram permute(RankProgram const& program, std::function<int(int)> const& rank_of) {
  Builder builder(program.frame, rank_of(program.rank));
  nest(builder, program, {.rank_of = rank_of, .blocks_of = [&](int block) {
                            return blocks(rank_of(block));
                          }});
  return std::move(builder).finish();
}

RankProgram segment(RankProgram const& program, Pipeline const& pipeline) {
  require_rounds(program, "segment");
  if (pipeline.num_segments < 1 || pipeline.window < 1) {
    throw Error(
        ErrorCode::argument,
        "num_segments and window must be at least 1, got " +
            std::to_string(pipeline.num_segments) + " and " + std::to_string(pipeline.window)
    );
  }
  if (pipeline.num_segments == 1) {
    return program;
  }
  return Segmenter(program, pipeline).run();
}

RankProgram batch(RankProgram const& program, int limit) {
  require_rounds(program, "batch");
  if (limit < 1) {
    throw Error(ErrorCode::argument, "limit must be at least 1, got " + std::to_string(limit));
  }
  return Batcher(program, limit).run();
}

RankProgram reverse(RankProgram const& program, int num_rounds) {
  require_rounds(program, "reverse");
  return Reverser(program, num_rounds).run();
}

void append_coalesced(std::vector<Slot>& slots, Slot slot, int buffer_size) {
  if (slots.empty() || slots.back().buffer != slot.buffer) {
    slots.push_back(slot);
    return;
  }
  Slot& last = slots.back();
  int const gap = wrap(std::int64_t{slot.first} - last.first, buffer_size);
  int const stride = last.num_blocks == 1 ? gap : last.stride;
  bool const slot_fits = slot.num_blocks == 1 || slot.stride == stride;
  std::int64_t const next = std::int64_t{last.first} + std::int64_t{stride} * last.num_blocks;
  if (slot_fits && wrap(next, buffer_size) == slot.first) {
    last.stride = stride;
    last.num_blocks += slot.num_blocks;
  } else {
    slots.push_back(slot);
  }
}

}  // namespace espalier::schedule
