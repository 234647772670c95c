// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a rank does for its program does not grow with the programs of other ranks. Allocations are
/// counted: times would not be the same twice.

#include <string>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "tests/mpi/counted_allocations.hpp"

namespace espalier::algorithms {
namespace {

long allocations(Choice const& choice, int num_ranks) {
  long const before = test::num_allocations;
  static_cast<void>(choice.generate(num_ranks, 0, num_ranks - 1));
  return test::num_allocations - before;
}

/// A phase of any of these has no closed form of its facts, but of its rounds.
TEST(Effort, IsThatOfOneProgram) {
  for (std::string const text : {
           "allreduce/reduce_scatter_allgather[reduce_scatter=orthogonal]",
           "allreduce/reduce_scatter_allgather[reduce_scatter=multi_lane,allgather=multi_lane]",
           "allreduce/reduce_bcast[reduce=multi_lane,bcast=multi_lane]",
           "allreduce/reduce_bcast[reduce=binomial,bcast=binomial,segments=2]",
           "allreduce/hierarchical[across=multi_lane]",
           "allreduce/hierarchical[across=orthogonal]",
           "allgather/orthogonal[across=multi_lane]",
           "allgather/orthogonal[inner=hierarchical]",
           "allgather/locality_bruck[n=32,inner=hierarchical]",
           "allgather/multi_lane[lane=hierarchical]",
           "bcast/multi_lane[lane=orthogonal]",
           "gather/multi_lane[lane=orthogonal]",
           "scatter/orthogonal[across=multi_lane]",
           "alltoall/multi_lane[lane=multi_lane]",
           "scan/hierarchical[across=hierarchical]",
       }) {
    Choice const choice = Choice::parse(text);
    // Of one rank: up to four times as much; of all ranks at least four times, of more operations.
    EXPECT_LE(allocations(choice, 1024), 4 * allocations(choice, 256)) << text;
  }
}

TEST(Effort, CountsRoundsAsFactsDo) {
  for (Algorithm const* algorithm : catalog()) {
    for (int const p : {1, 2, 5, 8, 12, 17, 33}) {
      for (Choice const& choice : variants(algorithm->collective, p)) {
        if (algorithm->rounds != nullptr && &choice.algorithm() == algorithm) {
          EXPECT_EQ(choice.num_rounds(p, 0), choice.facts(p, 0).rounds)
              << choice.text() << " " << p;
        }
      }
    }
  }
}

}  // namespace
}  // namespace espalier::algorithms
