// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/text.hpp"

#include <cstddef>
#include <vector>

#include "espalier/base/format.hpp"

namespace espalier::schedule {
namespace {

/// Blocks of slots that lie in one buffer: `output 0-3,7`.
std::string slots_to_text(Frame const& frame, std::span<Slot const> slots) {
  if (slots.empty()) {
    return "a signal";
  }
  std::vector<int> blocks;
  for_each_block(frame, slots, [&](Buffer /*buffer*/, int block) { blocks.push_back(block); });
  return to_string(slots.front().buffer) + " " + runs_to_text(blocks);
}

/// Blocks in the memory of the peer: `output 0-3,7 of 2`.
std::string remote_to_text(std::span<Slot const> slots, int peer) {
  std::vector<int> blocks;
  for_each_remote_block(slots, [&](Buffer /*buffer*/, int block) { blocks.push_back(block); });
  return formatted(
      "{} {} of {}",
      slots.empty() ? "nothing" : to_string(slots.front().buffer),
      runs_to_text(blocks),
      peer
  );
}

/// Nothing where a member of a native call contributes nothing.
std::string contribution_to_text(RankProgram const& program, Operation const& operation) {
  auto const sources = program.sources(operation);
  return sources.empty() ? "nothing" : slots_to_text(program.frame, sources);
}

/// What an operation does, up to the blocks that it writes or sends.
std::string verb(RankProgram const& program, Operation const& operation) {
  switch (operation.kind) {
  case Kind::send:
    return formatted("send to {}", operation.peer);
  case Kind::recv:
    return formatted("recv from {}", operation.peer);
  case Kind::native: {
    NativeCall const& call = program.native_call(operation);
    std::string const root = has_root(call.collective) ? formatted(" root {}", call.root) : "";
    return formatted(
        "native {}{} among {} of {} into",
        to_string(call.collective),
        root,
        runs_to_text(call.members),
        contribution_to_text(program, operation)
    );
  }
  case Kind::copy:
  case Kind::reduce:
    return formatted(
        "{} {} into",
        to_string(operation.kind),
        slots_to_text(program.frame, program.sources(operation))
    );
  case Kind::put:
    return formatted("put {} into", slots_to_text(program.frame, program.sources(operation)));
  case Kind::get:
    return formatted("get {} into", remote_to_text(program.sources(operation), operation.peer));
  case Kind::signal:
    return formatted("signal to {}", operation.peer);
  case Kind::await:
    return formatted("await counter {} at {}", operation.tag, operation.arrivals);
  }
  return {};
}

/// The blocks that an operation writes or sends.
std::string object(RankProgram const& program, Operation const& operation) {
  switch (operation.kind) {
  case Kind::put:
    return " " + remote_to_text(program.slots(operation), operation.peer);
  case Kind::signal:
  case Kind::await:
    return {};
  case Kind::native:
    if (operation.slots.size() == 0) {
      return " nothing";
    }
    [[fallthrough]];
  default:
    return " " + slots_to_text(program.frame, program.slots(operation));
  }
}

/// Which counter of the peer is raised, or the tag of a message that has one.
std::string tag_to_text(Operation const& operation) {
  switch (operation.kind) {
  case Kind::native:
  case Kind::await:
    return {};
  case Kind::put:
  case Kind::signal:
    return operation.tag == no_counter ? "" : formatted(" raises {}", operation.tag);
  default:
    return operation.tag == 0 ? "" : formatted(" tag {}", operation.tag);
  }
}

/// What the operation waits for, and its tag where it has one.
std::string conditions(RankProgram const& program, Operation const& operation) {
  std::string text = tag_to_text(operation);
  if (operation.after != 0) {
    text += formatted(" after {}", operation.after);
  }
  if (operation.after_sends != 0) {
    text += formatted(" after sends {}", operation.after_sends);
  }
  if (operation.waits.size() > 0) {
    text += " waits " + runs_to_text(program.waits(operation));
  }
  return text;
}

std::string counted(int number, std::string_view noun) {
  return formatted("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string head(RankProgram const& program) {
  Frame const& frame = program.frame;
  std::string text = formatted("rank {} of {}: ", program.rank, frame.num_ranks);
  if (int const input = frame.num_blocks(Buffer::input); input > 0) {
    text += counted(input, "input block") + ", ";
  }
  if (int const output = frame.num_output_blocks; output > 0) {
    text += counted(output, "output block") + ", ";
  }
  if (int const scratch = frame.num_blocks(Buffer::scratch); scratch > 0) {
    text += counted(scratch, "scratch block") + ", ";
  }
  return text + counted(program.num_rounds(), "round") + "\n";
}

}  // namespace

std::string to_string(Kind kind) {
  switch (kind) {
  case Kind::send:
    return "send";
  case Kind::recv:
    return "recv";
  case Kind::copy:
    return "copy";
  case Kind::reduce:
    return "reduce";
  case Kind::native:
    return "native";
  case Kind::put:
    return "put";
  case Kind::get:
    return "get";
  case Kind::signal:
    return "signal";
  case Kind::await:
    return "await";
  }
  return "unknown";
}

std::string to_string(Buffer buffer) {
  switch (buffer) {
  case Buffer::input:
    return "input";
  case Buffer::output:
    return "output";
  case Buffer::scratch:
    return "scratch";
  }
  return "unknown";
}

std::string runs_to_text(std::span<int const> numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) {
      ++last;
    }
    text += text.empty() ? "" : ",";
    text += formatted("{}", numbers[i]);
    if (last > i) {
      text += formatted("{}{}", last > i + 1 ? "-" : ",", numbers[last]);
    }
    i = last + 1;
  }
  return text;
}

std::string to_text(RankProgram const& program, Operation const& operation) {
  return formatted(
      "round {} {}{}{}",
      operation.round,
      verb(program, operation),
      object(program, operation),
      conditions(program, operation)
  );
}

std::string to_text(RankProgram const& program) {
  auto const digits = std::to_string(program.operations.size()).size();
  std::string text = head(program);
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    text += formatted("{:>{}}  {}\n", i, digits, to_text(program, program.operations[i]));
  }
  return text;
}

}  // namespace espalier::schedule
