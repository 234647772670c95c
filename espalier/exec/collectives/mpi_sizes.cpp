// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/collectives/mpi_sizes.hpp"

#include <cstddef>

#include "espalier/exec/collectives/mpi_blocks.hpp"
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

std::vector<std::int64_t> scratch_sizes(
    RankProgram const& program, MpiContext const& context, std::span<std::int64_t const> input_bytes
) {
  RankProgram const open = with_scratch_in_output(program);
  auto const num_blocks = static_cast<std::size_t>(open.frame.num_output_blocks);
  MpiExecutor executor(
      open,
      {
          .context = context,
          .output = numbers(num_blocks),
          .input = numbers(input_bytes.size()),
          .scratch_bytes = std::vector<std::int64_t>(),
      }
  );
  std::vector<std::int64_t> sizes(num_blocks, 0);
  mpi::require_success(executor.run(input_bytes.data(), sizes.data()), "an exchange of sizes");
  sizes.erase(sizes.begin(), sizes.begin() + program.frame.num_output_blocks);
  return sizes;
}

}  // namespace espalier::exec
