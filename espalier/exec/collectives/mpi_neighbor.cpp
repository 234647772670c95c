// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/collectives/mpi_neighbor.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/exec/collectives/mpi_blocks.hpp"
#include "espalier/exec/messages/message_order.hpp"
#include "espalier/exec/messages/mpi_datatype.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::Operation;
using schedule::Range;
using schedule::RankProgram;
using schedule::Slot;

/// The slots block by block, those of scratch memory as further blocks of the output.
Range uncovered(RankProgram const& from, std::span<Slot const> slots, RankProgram& to) {
  std::vector<Slot> result;
  schedule::for_each_block(from.frame, slots, [&](Buffer buffer, int block) {
    bool const is_scratch = buffer == Buffer::scratch;
    result.push_back({
        .buffer = is_scratch ? Buffer::output : buffer,
        .first = is_scratch ? from.frame.num_output_blocks + block : block,
    });
  });
  return schedule::add_slots(to, result);
}

/// The program with its scratch memory at the end of the output, where it can be seen.
RankProgram with_scratch_in_output(RankProgram const& program) {
  RankProgram result{.frame = program.frame, .rank = program.rank, .wait_pool = program.wait_pool};
  result.frame.num_output_blocks += static_cast<int>(program.frame.scratch_like.size());
  result.frame.scratch_like.clear();
  for (Operation operation : program.operations) {
    operation.slots = uncovered(program, program.slots(operation), result);
    operation.sources = uncovered(program, program.sources(operation), result);
    result.operations.push_back(operation);
  }
  return result;
}

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

MpiBlocks numbers(std::size_t num_blocks) {
  return equal_blocks(static_cast<int>(num_blocks), {.type = MPI_INT64_T, .count = 1});
}

}  // namespace

std::vector<std::int64_t> bytes_of_blocks(MpiBlocks const& blocks) {
  std::vector<std::int64_t> result;
  result.reserve(static_cast<std::size_t>(blocks.layout.num_blocks()));
  bool const is_one_type = blocks.types.empty();
  std::int64_t size_bytes = is_one_type ? describe(blocks.type).size_bytes : 0;
  for (int i = 0; i < blocks.layout.num_blocks(); ++i) {
    std::int64_t const count = blocks.layout.block(i).num_elements;
    if (!is_one_type && count > 0) {
      size_bytes = describe(blocks.types[static_cast<std::size_t>(i)]).size_bytes;
    }
    result.push_back(count * size_bytes);
  }
  return result;
}

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

std::vector<std::int64_t> scratch_sizes(
    RankProgram const& program, MpiContext const& context, std::span<std::int64_t const> input_bytes
) {
  RankProgram const open = with_scratch_in_output(program);
  auto const num_blocks = static_cast<std::size_t>(open.frame.num_output_blocks);
  MpiExecutor executor =
      neighbor_executor(open, context, numbers(input_bytes.size()), numbers(num_blocks), {});
  std::vector<std::int64_t> sizes(num_blocks, 0);
  mpi::require_success(executor.run(input_bytes.data(), sizes.data()), "a neighborhood collective");
  sizes.erase(sizes.begin(), sizes.begin() + program.frame.num_output_blocks);
  return sizes;
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
