// SPDX-License-Identifier: Apache-2.0

/// @file
/// Programs of neighborhood collectives, broken: every change of a single operation, and what could
/// go wrong in neighborhoods only.

#include "tests/support/neighborhoods.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/verify/neighborhood.hpp"
#include "tests/mutation/mutants.hpp"
#include "tests/mutation/mutator.hpp"

namespace espalier::mutation {
namespace {

using neighborhood::Algorithm;
using neighborhood::BlockSizes;
using neighborhood::Collective;
using neighborhood::Neighborhood;
using neighborhood::Request;
using schedule::Buffer;
using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;
using schedule::Slot;
using verify::ProverRule;

int mutate_all(Neighborhood const& all, std::string const& name, std::vector<int> const& nodes) {
  int num_mutants = 0;
  for (Algorithm const* algorithm : neighborhood::catalog()) {
    Request const request{
        .collective = algorithm->collective,
        .neighborhood = all,
        .node_of_rank = nodes,
        .sizes = BlockSizes::by_edge,
    };
    if (neighborhood::refuses(*algorithm, request).empty()) {
      num_mutants += mutate({
          .name = full_name(*algorithm) + " on " + name,
          .programs = verify::generate_all(*algorithm, request),
          .judge = [=](Programs const& programs
                   ) { return verify::prove(*algorithm, request, programs); },
      });
    }
  }
  return num_mutants;
}

TEST(NeighborhoodOperation, ChangedIsRejectedOnGrids) {
  int num_mutants = 0;
  for (unsigned const periods : {0U, 1U, 3U}) {
    for (std::string const shape : {"full", "repeated"}) {
      Neighborhood const all =
          Neighborhood::of_stencil(test::grid_of({3, 2}, periods), test::offsets_of(shape, 2));
      num_mutants += mutate_all(all, test::to_text({3, 2}, periods), {0, 0, 1, 1, 1, 2});
    }
  }
  EXPECT_GT(num_mutants, 5000);
}

TEST(NeighborhoodOperation, ChangedIsRejectedOnGraphsInWhichAStencilIsRecognised) {
  int num_mutants = 0;
  for (unsigned const periods : {0U, 1U, 3U}) {
    for (test::NamedNeighborhood const& the : test::recognised_on_grid({3, 2}, periods)) {
      num_mutants += mutate_all(the.neighborhood, the.name, {0, 0, 1, 1, 1, 2});
    }
  }
  EXPECT_GT(num_mutants, 5000);
}

/// Blocks land at the numbers that their own rank gives them, not at those of another.
TEST(BrokenNeighborhood, WithTheOrderOfAnotherRank) {
  auto const stencil =
      Neighborhood::of_stencil(test::grid_of({3, 3}, 0), test::offsets_of("full", 2));
  Neighborhood const graph = Neighborhood::recognised(test::shuffled(stencil, 1));
  Request const request{.neighborhood = graph};
  Algorithm const& combining = neighborhood::find("neighbor_alltoall/combining");
  ASSERT_TRUE(verify::prove(combining, request).holds());
  Neighborhood const other = Neighborhood::recognised(test::shuffled(stencil, 2));
  Programs const programs = verify::generate_all(combining, {.neighborhood = other});
  EXPECT_TRUE(breaks(ProverRule::postcondition, verify::prove(combining, request, programs)));
}

TEST(NeighborhoodOperation, ChangedIsRejectedOnSmallRings) {
  int num_mutants = 0;
  for (int const p : {2, 3}) {
    Neighborhood const all = Neighborhood::of_cartesian(test::grid_of({p}, 1));
    num_mutants += mutate_all(all, "ring", std::vector<int>(static_cast<std::size_t>(p), 0));
  }
  EXPECT_GT(num_mutants, 100);
}

TEST(NeighborhoodOperation, ChangedIsRejectedOnGraphs) {
  Neighborhood const all = Neighborhood::of_lists(
      {{1, 1, 3}, {1, 0}, {4, 3, 0}, {2}, {}}, {{2, 1, -1}, {0, 0, 1}, {3}, {0, 2}, {2}}
  );
  EXPECT_GT(mutate_all(all, "graph", {0, 0, 1, 1, 2}), 300);
}

verify::Verdict judge(Request const& request, Programs const& programs) {
  verify::Exchange const exchange = verify::exchange_of(request);
  return verify::verify(
      programs,
      {.collective = schedule::Collective::alltoall,
       .num_ranks = request.neighborhood.num_ranks(),
       .exchange = &exchange}
  );
}

Programs direct(Request const& request) {
  return verify::generate_all(neighborhood::find(request.collective, "direct"), request);
}

Slot& slot_of(RankProgram& program, Operation const& operation) {
  return program.slot_pool[static_cast<std::size_t>(operation.slots.begin)];
}

TEST(BrokenNeighborhood, WithBothNeighboursOfARingOfTwoMixedUp) {
  Neighborhood const all = Neighborhood::of_cartesian(test::grid_of({2}, 1));
  Request const request{.neighborhood = all};
  Programs programs = direct(request);
  ASSERT_TRUE(judge(request, programs).holds());
  // Receives in the order of the edges, as for larger rings.
  for (RankProgram& program : programs) {
    int next = 0;
    for (Operation const& operation : program.operations) {
      if (operation.kind == Kind::recv) {
        slot_of(program, operation).first = next++;
      }
    }
  }
  EXPECT_TRUE(breaks(ProverRule::postcondition, judge(request, programs)));
}

TEST(BrokenNeighborhood, WithADifferentSizeAtTheOtherEnd) {
  Neighborhood const all = Neighborhood::of_cartesian(test::grid_of({2}, 1));
  Request const request{.neighborhood = all, .sizes = BlockSizes::by_edge};
  Programs programs = direct(request);
  std::swap(programs[0].frame.output_like[0], programs[0].frame.output_like[1]);
  EXPECT_TRUE(breaks(ProverRule::size, judge(request, programs)));
}

TEST(BrokenNeighborhood, WhereNothingMayBeTouched) {
  Neighborhood const all = Neighborhood::of_cartesian(test::grid_of({2}, 0));
  Request const request{.neighborhood = all};
  Programs const programs = direct(request);
  // Rank 0 has no neighbour at -1: output 0 stays as it is, input 0 means nothing.
  Programs writes = programs;
  append(writes[0], [](schedule::Builder& builder) {
    builder.copy(schedule::blocks(0), Slot{.buffer = Buffer::input, .first = 1});
  });
  EXPECT_TRUE(breaks(ProverRule::bounds, judge(request, writes)));
  Programs reads = programs;
  for (Operation const& operation : reads[0].operations) {
    if (operation.kind == Kind::send) {
      slot_of(reads[0], operation).first = 0;
    }
  }
  EXPECT_TRUE(breaks(ProverRule::not_held, judge(request, reads)));
}

TEST(BrokenNeighborhood, WithTooFewBlocks) {
  Neighborhood const all = Neighborhood::of_cartesian(test::grid_of({3}, 1));
  Request const request{.neighborhood = all};
  Programs programs = direct(request);
  programs[1].frame.input_like.push_back(0);
  EXPECT_TRUE(breaks(ProverRule::bounds, judge(request, programs)));
  programs = direct(request);
  programs[1].frame.output_like.pop_back();
  EXPECT_TRUE(breaks(ProverRule::bounds, judge(request, programs)));
}

TEST(BrokenNeighborhood, ThatPromisesOtherNumbers) {
  Neighborhood const all = Neighborhood::of_cartesian(test::grid_of({3}, 1));
  Request const request{.neighborhood = all};
  Algorithm algorithm = neighborhood::find("neighbor_alltoall/direct");
  EXPECT_TRUE(verify::prove(algorithm, request).holds());
  algorithm.facts = [](Request const&) {
    return neighborhood::Facts{.rounds = 1, .messages = 3, .blocks = 2, .volume = 2};
  };
  EXPECT_TRUE(breaks(ProverRule::facts, verify::prove(algorithm, request)));
}

TEST(BrokenNeighborhood, OfAnotherNumberOfRanks) {
  Neighborhood const all = Neighborhood::of_cartesian(test::grid_of({3}, 1));
  Request const request{.neighborhood = all};
  verify::Exchange const exchange = verify::exchange_of(request);
  EXPECT_THROW(
      static_cast<void>(verify::verify(
          direct(request),
          {.collective = schedule::Collective::alltoall, .num_ranks = 4, .exchange = &exchange}
      )),
      Error
  );
}

}  // namespace
}  // namespace espalier::mutation
