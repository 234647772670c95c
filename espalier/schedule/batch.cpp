// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/schedule/preconditions.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::schedule {
namespace {

/// Merges messages of one round; a message joins the last one of its pair that has room.
class Batcher {
public:
  Batcher(RankProgram const& program, int limit)
      : program_(program), limit_(limit), builder_(program.frame, program.rank) {}

  RankProgram run() {
    int after = -1;
    int after_sends = 0;
    for (Operation const& operation : program_.operations) {
      if (operation.after_sends > after_sends) {
        flush();
        builder_.wait_for_sends();
        after_sends = operation.after_sends;
      }
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
        builder_.copy(message.slots, program_.sources(operation));
        break;
      case Kind::reduce:
        builder_.reduce(message.slots, program_.sources(operation));
        break;
      case Kind::native:
        builder_.native(
            program_.native_call(operation), message.slots, program_.sources(operation)
        );
        break;
      case Kind::put:  // batch() refuses this and what follows
      case Kind::get:
      case Kind::signal:
      case Kind::await:
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

}  // namespace

RankProgram batch(RankProgram const& program, int limit) {
  require_rounds(program, "batch");
  if (limit < 1) {
    throw Error(ErrorCode::argument, "limit must be at least 1, got " + std::to_string(limit));
  }
  return Batcher(program, limit).run();
}

}  // namespace espalier::schedule
