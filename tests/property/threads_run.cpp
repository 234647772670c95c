// SPDX-License-Identifier: Apache-2.0

#include "tests/property/threads_run.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "espalier/exec/memory/unwrap.hpp"
#include "espalier/schedule/private_memory.hpp"

namespace espalier::exec {
namespace {

/// Some of the messages are large enough to be cut where they wrap.
constexpr std::int64_t smallest_cut_bytes = 12;

}  // namespace

std::vector<Memory> run(Case const& the, MemoryOf const& memory_of, Combine const& combine) {
  std::vector<RankMemory> memories;
  std::vector<ThreadRank> ranks;
  for (int rank = 0; rank < the.num_ranks; ++rank) {
    schedule::RankProgram program = the.schedule.generate(the.root, rank);
    memories.push_back(memory_of(rank, program.frame.num_output_blocks));
    RankMemory const& memory = memories.back();
    bool const is_in_place = the.is_in_place_on(rank);
    program = schedule::as_called(std::move(program), the.collective, the.root, is_in_place);
    program = unwrap(std::move(program), memory.sizes, 1, smallest_cut_bytes);
    BindOptions options{.output_sizes = &memory.sizes};
    if (memory.input) {
      options.input = &memory.input->layout;
    }
    ranks.push_back({.program = bind(program, memory.output.layout, options)});
  }
  std::vector<Memory> inputs;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    RankMemory& memory = memories[r];
    ranks[r].output = address(memory.output.memory);
    ranks[r].input = memory.input_is_output ? ranks[r].output : nullptr;
    if (memory.input && !memory.input_is_output) {
      ranks[r].input = address(memory.input->memory);
    }
    inputs.push_back(memory.input ? memory.input->memory : Memory());
  }
  static exec::ThreadCrew crew;
  EXPECT_NO_THROW(run_threads(ranks, {.mode = the.mode, .combine = combine, .crew = &crew}));
  std::vector<Memory> outputs;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    RankMemory& memory = memories[r];
    if (!memory.expected.empty()) {
      EXPECT_TRUE(memory.output.memory == memory.expected) << "on rank " << r;
    }
    EXPECT_TRUE(!memory.input || memory.input->memory == inputs[r]) << "input of rank " << r;
    outputs.push_back(std::move(memory.output.memory));
  }
  return outputs;
}

}  // namespace espalier::exec
