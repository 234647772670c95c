// SPDX-License-Identifier: Apache-2.0

/// @file
/// Caches of a communicator with 4096 ranks. Binding is local, so one process can do it for any
/// number of ranks.

#include <cstddef>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/exec/collectives/mpi_collectives.hpp"
#include "espalier/plan/communicators/executor_cache.hpp"
#include "espalier/profile/call.hpp"
#include "tests/shim/support.hpp"

namespace {

using espalier::algorithms::Choice;
using espalier::algorithms::Collective;
using espalier::exec::MpiExecutor;
using espalier::plan::CountsKey;
using espalier::plan::ExecutorCache;
using espalier::plan::ExecutorKey;
using espalier::plan::ProgramCache;
using espalier::profile::Call;
using shim_test::require;

constexpr int num_ranks = 4096;
constexpr std::size_t mebibyte = 1 << 20;

Call call_of(Choice const& choice) {
  return choice.collective() == Collective::bcast ? Call::bcast : Call::allgather;
}

MpiExecutor bound(Choice const& choice, ProgramCache& programs, int root, std::int64_t bytes) {
  auto const* program = programs.get(choice, call_of(choice), num_ranks, root, 77);
  espalier::exec::TypedCount const block{.type = MPI_BYTE, .count = bytes};
  return choice.collective() == Collective::bcast
             ? espalier::exec::bcast_executor(*program, MPI_COMM_WORLD, block, root)
             : espalier::exec::allgather_executor(*program, MPI_COMM_WORLD, block, block);
}

/// Many sizes and roots of one logarithmic algorithm.
void check_limit(Choice const& choice) {
  ProgramCache programs;
  ExecutorCache executors;
  for (int i = 0; i < 200; ++i) {
    ExecutorKey const key{.choice = &choice, .root = i % 50, .bytes = 8 + i};
    executors.insert(key, {}, bound(choice, programs, i % 50, 8 + i));
    require(executors.find(key, {}) != nullptr, "what was inserted is found");
    std::size_t const used = programs.memory_bytes() + executors.memory_bytes();
    require(used <= mebibyte, choice.text() + " takes " + std::to_string(used) + " bytes");
  }
  std::printf(
      "%-40s %3zu executors, %7zu bytes, programs %6zu bytes\n",
      choice.text().c_str(),
      executors.size(),
      executors.memory_bytes(),
      programs.memory_bytes()
  );
}

void check_oldest_goes_first() {
  Choice const choice = Choice::parse("bcast/binomial");
  ProgramCache programs;
  ExecutorCache executors;
  auto const key = [&](std::size_t i) {
    return ExecutorKey{.choice = &choice, .bytes = static_cast<std::int64_t>(i)};
  };
  for (std::size_t i = 0; i < ExecutorCache::max_entries; ++i) {
    executors.insert(key(i), {}, bound(choice, programs, 0, 1));
  }
  require(executors.find(key(0), {}) != nullptr, "all fit");
  executors.insert(key(1000), {}, bound(choice, programs, 0, 1));
  require(executors.size() == ExecutorCache::max_entries, "the number is limited");
  require(executors.find(key(0), {}) != nullptr, "what was used lately stays");
  require(executors.find(key(1), {}) == nullptr, "what was used least lately goes");
}

void check_counts_are_compared() {
  Choice const choice = Choice::parse("allgather/ring");
  ProgramCache programs;
  ExecutorCache executors;
  std::vector<int> counts{1, 2, 3};
  std::vector<int> const places{0, 1, 3};
  ExecutorKey const key{.choice = &choice, .bytes = 4};
  executors.insert(key, {counts, places}, bound(choice, programs, 0, 1));
  require(executors.find(key, {counts, places}) != nullptr, "equal counts are found");
  counts[1] = 5;
  require(executors.find(key, {counts, places}) == nullptr, "other counts are not");
  require(executors.find(key, {}) == nullptr, "no counts are not");
}

void check_refusal() {
  Choice const choice = Choice::parse("allgather/neighbor_exchange");
  ProgramCache programs;
  require(
      programs.get(choice, Call::allgather, 5, 0, 0) == nullptr, "an odd number of ranks is refused"
  );
  require(programs.get(choice, Call::allgather, 5, 0, 0) == nullptr, "and again");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (char const* text : {
           "allgather/bruck",
           "allgather/sparbit[batch=0]",
           "allgather/recursive_doubling",
           "bcast/binomial",
           "bcast/k_nomial[k=4]",
           "bcast/binomial[segments=8]",
           "bcast/scatter_allgather[allgather=bruck]",
       }) {
    check_limit(Choice::parse(text));
  }
  check_oldest_goes_first();
  check_counts_are_compared();
  check_refusal();
  MPI_Finalize();
  return 0;
}
