// SPDX-License-Identifier: Apache-2.0

/// @file
/// One-sided programs of the catalog in time: against the evaluator of trees with its reference
/// values for Ranger [nishtala2009], in microseconds, and what modes and mechanisms cost.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/cost/one_sided/calls.hpp"
#include "espalier/cost/one_sided/programs.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;
using schedule::AddressMode;
using schedule::Mechanism;
using schedule::OneSidedForm;
using schedule::RankProgram;
using schedule::Sync;

constexpr OneSidedMachine ranger{
    .network = {.latency = 2.0, .overhead = 0.5, .gap = 2.0, .per_byte = 1e-3},
    .overhead_receive = 0,
    .speed = {}
};
constexpr double rounding = 0.0501;

std::vector<RankProgram>
programs(std::string const& choice, int num_ranks, OneSidedForm const& form = {}) {
  return one_sided_programs(message_programs(Choice::parse(choice), num_ranks, 0), form);
}

double time(
    std::vector<RankProgram> const& programs,
    double num_bytes,
    OneSidedMachine const& machine = ranger
) {
  OneSidedCall const call{.programs = programs, .sizes = num_bytes};
  return replay_calls({&call, 1}, machine).end();
}

double time(std::string const& choice, int num_ranks, double num_bytes, OneSidedForm const& form) {
  return time(programs(choice, num_ranks, form), num_bytes);
}

OneSidedForm mode(Sync in, Sync out) {
  return {.mode = {.in = in, .out = out}};
}

void expect_row(std::string const& shape, double num_bytes, std::vector<double> const& expected) {
  std::vector<int> const radices{2, 4, 8, 16, 32, 64, 256};
  for (std::size_t i = 0; i < radices.size(); ++i) {
    std::string const choice = "bcast/" + shape + "[k=" + std::to_string(radices[i]) + "]";
    EXPECT_NEAR(time(choice, 256, num_bytes, {}), expected[i], rounding) << choice;
  }
}

TEST(OneSidedTimesOfTrees, AreThoseOfTheEvaluator) {
  expect_row("k_ary", 8, {45.6, 38.1, 43.6, 65.2, 81.3, 137.5, 514.5});
  expect_row("k_nomial", 8, {36.1, 34.1, 41.6, 65.2, 81.3, 137.5, 514.5});
  expect_row("k_nomial", 8192, {101.5, 132.3, 180.8, 310.8, 392.3, 677.7, 2601.5});
}

/// One after another, each when the one before is over at its rank.
double in_turn(std::vector<RankProgram> const& first, std::vector<RankProgram> const& second) {
  std::vector<OneSidedCall> const calls{
      {.programs = first, .sizes = 0.0}, {.programs = second, .sizes = 0.0}
  };
  return replay_calls(calls, ranger).end();
}

/// With messages of no bytes a pass up a tree takes as long as one down.
class PassesOfATree : public testing::TestWithParam<std::string> {
protected:
  static constexpr int p = 27;
  static constexpr double tiny = 1e-9;

  double pass = time("bcast/" + GetParam(), p, 0, {});
  std::vector<RankProgram> barrier = programs("barrier/" + GetParam(), p);
};

TEST_P(PassesOfATree, AreTwoForABarrier) {
  EXPECT_NEAR(time(barrier, 0), 2 * pass, tiny);
}

TEST_P(PassesOfATree, AreTwoIfABroadcastFindsOutThatAllHaveEntered) {
  double const fused = time("bcast/" + GetParam(), p, 0, mode(Sync::allsync, Sync::nosync));
  EXPECT_NEAR(fused, 2 * pass, tiny);
  EXPECT_GT(in_turn(barrier, programs("bcast/" + GetParam(), p)), fused + 1);
}

INSTANTIATE_TEST_SUITE_P(
    Trees,
    PassesOfATree,
    testing::Values("k_nomial[k=3]", "k_ary[k=3]"),
    [](auto const& shape) { return shape.param.substr(0, shape.param.find('[')); }
);

/// One pass up, which a barrier would do again, and one down.
TEST(PassesOfAReduction, AreTwoIfItReleasesAll) {
  double const pass = time("bcast/flat", 27, 0, {});
  EXPECT_NEAR(time("reduce/flat", 27, 0, {}), pass, 1e-9);
  EXPECT_NEAR(time("reduce/flat", 27, 0, mode(Sync::nosync, Sync::allsync)), 2 * pass, 1e-9);
  for (std::string const tree : {"k_ary[k=3]", "k_nomial[k=3]"}) {
    double const fused = time("reduce/" + tree, 27, 0, mode(Sync::nosync, Sync::allsync));
    EXPECT_GE(fused, 2 * time("bcast/" + tree, 27, 0, {}) - 1e-9);
    EXPECT_LT(fused, in_turn(programs("reduce/" + tree, 27), programs("barrier/" + tree, 27)) - 1);
  }
}

constexpr double message = 0.5 + 2.0 + 2.0;  ///< of no bytes, alone: o + g + L

/// Two ranks: one message of 1000 bytes, which take 1 us.
double time_of_one(OneSidedForm const& form, OneSidedMachine const& machine = ranger) {
  return time(programs("bcast/flat", 2, form), 1000, machine);
}

TEST(OneSidedMechanisms, TakeTheirMessages) {
  OneSidedForm form;
  EXPECT_NEAR(time_of_one(form), message + 1, 1e-9);
  form.mechanism = Mechanism::counting_put;
  EXPECT_NEAR(time_of_one(form), message + 1, 1e-9);
  form.mechanism = Mechanism::rendezvous;
  // The sender is ready; the receiver asks, and the answer takes no processor.
  EXPECT_NEAR(time_of_one(form), message + message + 2.0 + 2.0 + 1, 1e-9);
  form.mechanism = Mechanism::eager;
  OneSidedMachine copying = ranger;
  copying.speed.per_copied_byte = 0.25e-3;
  EXPECT_NEAR(time_of_one(form, copying), message + 1 + 0.25, 1e-9);
}

TEST(OneSidedMechanisms, PutsToUsersWaitUntilTheirTargetsHaveEntered) {
  OneSidedForm form = mode(Sync::mysync, Sync::nosync);
  EXPECT_NEAR(time_of_one(form), message + message + 1, 1e-9);
  form.mechanism = Mechanism::eager;
  EXPECT_NEAR(time_of_one(form), message + 1, 1e-9);
}

/// The root has not touched its result before the first message, which is put there, and says that
/// it has entered. A program in place would combine into its contribution, and ask for nothing.
TEST(OneSidedMechanisms, PutToUsersWhoseContributionStandsInTheInput) {
  std::string const choice = "reduce/binomial[in_order=1]";
  double const loose = time(choice, 3, 1000, mode(Sync::nosync, Sync::nosync));
  EXPECT_NEAR(loose, message + 1 + 2.0 + 1, 1e-9);
  double const own = time(choice, 3, 1000, mode(Sync::mysync, Sync::nosync));
  EXPECT_NEAR(own, message + message + 1, 1e-9);
}

TEST(OneSidedMechanisms, AreAsFastAsPutsIfEagerCopiesAreFree) {
  for (std::string const choice :
       {"bcast/k_nomial[k=4]", "scatter/k_ary[k=2]", "allgather/bruck"}) {
    OneSidedForm form = mode(Sync::allsync, Sync::allsync);
    double const put = time(choice, 30, 3e4, form);
    form.mechanism = Mechanism::eager;
    EXPECT_NEAR(time(choice, 30, 3e4, form), put, 1e-9) << choice;
    form.mechanism = Mechanism::rendezvous;
    EXPECT_GT(time(choice, 30, 3e4, form), put + 1) << choice;
  }
}

/// Messages between nodes share their ports, and most of those of a barrier are saved.
TEST(OneSidedBarriers, AreFasterWhereOneRankOfANodeActsForTheOthers) {
  constexpr int num_nodes = 16;
  constexpr int ranks_of_node = 4;
  std::vector<int> nodes;
  for (int rank = 0; rank < num_nodes * ranks_of_node; ++rank) {
    nodes.push_back(rank / ranks_of_node);
  }
  OneSidedMachine machine = ranger;
  machine.within = {.latency = 0.2, .overhead = 0.05, .gap = 0.1, .per_byte = 1e-4};
  machine.node_of_rank = nodes;
  OneSidedForm form = mode(Sync::allsync, Sync::allsync);
  for (std::string const choice : {"allreduce/hierarchical[rows=16]", "allgather/bruck"}) {
    double const apart = time(programs(choice, num_nodes * ranks_of_node, form), 8, machine);
    OneSidedForm on_nodes = form;
    on_nodes.node_of_rank = nodes;
    double const together = time(programs(choice, num_nodes * ranks_of_node, on_nodes), 8, machine);
    EXPECT_LT(together, 0.7 * apart) << choice;
  }
}

/// Who knows only own addresses copies or asks; who knows all puts where data belong.
TEST(OneSidedAddresses, AreWorthKnowingAtEverySize) {
  OneSidedMachine copying = ranger;
  copying.speed.per_copied_byte = 0.2e-3;
  auto const best = [&](AddressMode addresses, double num_bytes) {
    double least = 1e30;
    for (Mechanism const mechanism : schedule::all_mechanisms) {
      OneSidedForm form = mode(Sync::allsync, Sync::allsync);
      form.addresses = addresses;
      form.mechanism = mechanism;
      if (schedule::refusal(form).empty()) {
        least = std::min(least, time(programs("bcast/k_ary[k=4]", 64, form), num_bytes, copying));
      }
    }
    return least;
  };
  for (double const num_bytes : {8.0, 512.0, 8192.0, 131072.0}) {
    EXPECT_LT(best(AddressMode::single, num_bytes), best(AddressMode::local, num_bytes));
  }
}

}  // namespace
}  // namespace espalier::cost
