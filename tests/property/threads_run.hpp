// SPDX-License-Identifier: Apache-2.0

/// @file
/// One run of a schedule of the catalog by threads, on the memory that a case gives each rank.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "espalier/exec/threads/thread_executor.hpp"
#include "tests/property/guarded_memory.hpp"
#include "tests/support/schedules.hpp"

namespace espalier::exec {

/// One run of a schedule.
struct Case {
  test::Schedule const& schedule;
  schedule::Collective collective = schedule::Collective::barrier;
  int num_ranks = 1;
  int root = 0;
  bool is_in_place = false;
  SendMode mode = SendMode::rendezvous;

  /// Whether MPI lets this rank be in place.
  [[nodiscard]] bool is_in_place_on(int rank) const {
    return is_in_place && (!has_root(collective) || rank == root);
  }
};

/// What a rank has before and after.
struct RankMemory {
  std::optional<Place> input;
  Place output;
  Memory expected;
  Layout sizes;
  bool input_is_output = false;
};

/// What a rank has, by its number and the number of output blocks of its program.
using MemoryOf = std::function<RankMemory(int rank, int num_blocks)>;
using Combine = std::function<void(std::byte const*, std::byte*, std::int64_t)>;

/// Runs a case; expects what memory_of expects. Returns what the outputs hold.
std::vector<Memory> run(Case const& the, MemoryOf const& memory_of, Combine const& combine = {});

}  // namespace espalier::exec
