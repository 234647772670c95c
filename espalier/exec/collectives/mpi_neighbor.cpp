// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/collectives/mpi_neighbor.hpp"

#include <map>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/exec/messages/message_order.hpp"

namespace espalier::exec {
namespace {

using schedule::Operation;
using schedule::RankProgram;

/// Gives messages of a pair different tags, none of which another number has.
[[maybe_unused]] void separate_messages(RankProgram& program, int number) {
  constexpr int most_messages = 1024;
  std::map<std::pair<schedule::Kind, int>, int> num_messages;
  for (Operation& operation : program.operations) {
    bool const is_message =
        operation.kind == schedule::Kind::send || operation.kind == schedule::Kind::recv;
    if (!is_message) {
      continue;
    }
    int& position = num_messages[{operation.kind, operation.peer}];
    if (position == most_messages) {
      throw Error(
          ErrorCode::unsupported,
          "expected at most " + std::to_string(most_messages) +
              " messages between two ranks in a simulated neighborhood collective, got more"
      );
    }
    operation.tag = number * most_messages + position++;
  }
}

}  // namespace

RankProgram numbered(RankProgram program, int number) {
  if (program.is_dataflow()) {
    throw Error(
        ErrorCode::unsupported,
        "expected a program in rounds, got one whose messages have tags of their own"
    );
  }
  for (Operation& operation : program.operations) {
    operation.tag = number;
  }
  if constexpr (tags_keep_order) {
    separate_messages(program, number);
  }
  return program;
}

MpiExecutor neighbor_executor(
    RankProgram const& program,
    MpiContext const& context,
    MpiBlocks input,
    MpiBlocks output,
    std::vector<std::int64_t> scratch_bytes
) {
  return {
      program,
      {
          .context = context,
          .output = std::move(output),
          .input = std::move(input),
          .scratch_bytes = std::move(scratch_bytes),
      },
  };
}

}  // namespace espalier::exec
