// SPDX-License-Identifier: Apache-2.0

/// @file
/// The lower bound is below every schedule, and some schedules reach it.

#include "espalier/cost/forms/lower_bound.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/base/error.hpp"
#include "espalier/cost/forms/demand.hpp"
#include "espalier/cost/forms/occupancy.hpp"
#include "espalier/cost/replay/replay.hpp"
#include "espalier/machine/tree/placement.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;
using schedule::Collective;

Setting setting(std::string const& text, std::string const& placement, int num_ranks) {
  machine::Machine machine = machine::Machine::parse(text);
  std::vector<int> cores = machine::place(machine, placement, num_ranks);
  return {.machine = std::move(machine), .core_of = std::move(cores)};
}

std::string const costs = "latency=1us,overhead=200ns,bandwidth=10GB/s,eager=1KiB";

/// Shared and half-duplex links, a broken number of channels, a torus, uneven nodes, no costs.
std::vector<std::pair<std::string, int>> machines() {
  return {
      {"3n[" + costs + ",channels=1] x 4c[latency=300ns,bandwidth=8GB/s,shared_channels=2]", 12},
      {"2n[" + costs +
           ",channels=1.5,duplex=half] x 2s[latency=600ns,overhead=200ns,bandwidth=9GB/s,"
           "shared_channels=1] x 2c[latency=300ns,overhead=100ns,bandwidth=20GB/s,channels=1]",
       7},
      {"torus 3x2[" + costs +
           ",hop=100ns,link_bandwidth=5GB/s] x 2c[latency=300ns,bandwidth=8GB/s]",
       12},
      {"2n[" + costs + "] x 3c[latency=300ns,gap=50ns,bandwidth=8GB/s] + 1n x 2c", 8},
      {"5c[bandwidth=1GB/s]", 5},
      {"2n x 2c", 4},
  };
}

void expect_below_all(Collective collective, Setting const& setting, double num_bytes) {
  int const num_ranks = setting.num_ranks();
  for (int const root : {0, schedule::has_root(collective) ? num_ranks - 1 : 0}) {
    LowerBound const bound = lower_bound(collective, root, setting, num_bytes);
    for (Choice const& choice : algorithms::variants(collective, num_ranks)) {
      if (choice.refuses(num_ranks, root).empty()) {
        double const seconds = replay_time(choice, root, setting, num_bytes);
        EXPECT_GE(seconds * (1 + 1e-9), bound.seconds())
            << choice.text() << " root " << root << " bytes " << num_bytes << " rounds "
            << bound.rounds << " volume " << bound.bytes;
      }
    }
  }
}

class EveryCollective : public testing::TestWithParam<Collective> {};

TEST_P(EveryCollective, TakesNoLessOnAnyMachine) {
  for (auto const& [text, num_ranks] : machines()) {
    for (char const* placement : {"block", "cyclic"}) {
      SCOPED_TRACE(text + " " + placement);
      for (double const num_bytes : {8.0, 5000.0, 1e6}) {
        expect_below_all(GetParam(), setting(text, placement, num_ranks), num_bytes);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    LowerBound,
    EveryCollective,
    testing::ValuesIn(schedule::all_collectives().begin(), schedule::all_collectives().end()),
    [](auto const& tested) { return std::string(to_string(tested.param)); }
);

constexpr char const* flat = "8n[latency=1us,overhead=100ns,bandwidth=1GB/s]";

void expect_reached(Collective collective, char const* choice, Setting const& on, double bytes) {
  double const seconds = replay_time(Choice::parse(choice), 0, on, bytes);
  double const bound = lower_bound(collective, 0, on, bytes).seconds();
  EXPECT_GE(bound, 0.9 * seconds) << choice;
  EXPECT_LE(bound, (1 + 1e-9) * seconds) << choice;
}

TEST(LowerBound, IsReached) {
  Setting const network = setting(flat, "block", 8);
  expect_reached(Collective::bcast, "bcast/flat", network, 0.001);
  expect_reached(Collective::allgather, "allgather/ring", network, 1e8);
  expect_reached(Collective::reduce_scatter, "reduce_scatter/ring", network, 1e8);
  expect_reached(Collective::allreduce, "allreduce/ring", network, 1e8);
  expect_reached(Collective::gather, "gather/flat", network, 1e8);
  expect_reached(Collective::scatter, "scatter/flat", network, 1e8);
  // Doubling: a send an overhead after the other hides no round where the latency is 0.
  Setting const near = setting("4n[overhead=100ns]", "block", 4);
  expect_reached(Collective::barrier, "barrier/dissemination", near, 0);
}

TEST(LowerBound, KnowsWhatLimits) {
  // Eight ranks on two nodes with one interface each: half of all data must pass each of them.
  Setting const nodes = setting(
      "2n[latency=2us,bandwidth=1GB/s,channels=1] x 4c[latency=1us,bandwidth=4GB/s]", "block", 8
  );
  EXPECT_DOUBLE_EQ(lower_bound(Collective::allgather, 0, nodes, 8e6).bytes, 4e-3 + 2e-6);
  EXPECT_DOUBLE_EQ(lower_bound(Collective::bcast, 0, nodes, 8).rounds, 2e-6);
  // The memory of a node carries what its four cores need, one message at a time.
  Setting const memory = setting("4c[latency=1us,bandwidth=1GB/s,shared_channels=1]", "block", 4);
  EXPECT_DOUBLE_EQ(lower_bound(Collective::allgather, 0, memory, 4e6).bytes, 12e-3 + 1e-6);
  EXPECT_EQ(lower_bound(Collective::allgather, 0, memory, 0).seconds(), 0);
  EXPECT_EQ(lower_bound(Collective::barrier, 0, memory, 0).bytes, 0);
  // Half of a ring of eight nodes reaches the other half over two links.
  Setting const ring = setting("torus 8[bandwidth=8GB/s,link_bandwidth=1GB/s] x 1c", "block", 8);
  EXPECT_DOUBLE_EQ(lower_bound(Collective::alltoall, 0, ring, 8e6).bytes, 16e6 / 2e9);
}

TEST(LowerBound, RefusesWhatIsNotThere) {
  Setting const four = setting("4c", "block", 4);
  EXPECT_THROW(static_cast<void>(lower_bound(Collective::bcast, 4, four, 8)), Error);
  EXPECT_THROW(static_cast<void>(lower_bound(Collective::bcast, -1, four, 8)), Error);
  Setting const outside{.machine = machine::Machine::parse("4c"), .core_of = {0, 4}};
  EXPECT_THROW(static_cast<void>(lower_bound(Collective::bcast, 0, outside, 8)), Error);
}

TEST(Occupancy, SaysWhoIsWhere) {
  Setting const some = setting("torus 4[latency=3us] x 3c[latency=1us]", "cyclic", 6);
  Occupancy const ranks(some, 5);
  EXPECT_EQ(ranks.num_occupied(0), 4);
  EXPECT_EQ(ranks.num_occupied(1), 6);
  RankSet const& node = ranks.sets(0)[1];
  EXPECT_EQ(node.num_ranks, 2);
  EXPECT_EQ(node.first, 1);
  EXPECT_EQ(node.last, 5);
  EXPECT_TRUE(node.has_root);
  EXPECT_EQ(ranks.sets(0)[3].num_ranks, 1);
  EXPECT_EQ(ranks.around(1, 3), 1U) << "the first core of the second node";
  EXPECT_EQ(ranks.half_of_torus(4, 1).num_ranks, 4) << "nodes 0 and 1";
  EXPECT_EQ(ranks.whole().num_ranks, 6);
  auto const latency = [](machine::Link const& link) { return link.latency; };
  EXPECT_EQ(ranks.least(0, latency), 3e-6);
  EXPECT_EQ(ranks.least(1, latency), 1e-6);
}

TEST(Occupancy, LooksAtLinksThatMessagesCross) {
  Setting const alone = setting("4n[latency=3us] x 3c[latency=1us]", "cyclic", 4);
  Occupancy const ranks(alone, 0);
  EXPECT_TRUE(ranks.is_crossed(0));
  EXPECT_FALSE(ranks.is_crossed(1));
  auto const latency = [](machine::Link const& link) { return link.latency; };
  EXPECT_EQ(ranks.least(1, latency), 3e-6);
}

TEST(Demand, OfGroups) {
  RankSet const whole{.num_ranks = 8, .first = 0, .last = 7, .has_root = true};
  RankSet const below{.num_ranks = 2, .first = 0, .last = 1, .has_root = true};
  RankSet const comb{.num_ranks = 2, .first = 1, .last = 7, .has_root = false};
  EXPECT_EQ(demand(Collective::allreduce, whole, whole, 80).enter, 0);
  EXPECT_EQ(demand(Collective::gather, below, whole, 80).enter, 60);
  EXPECT_EQ(demand(Collective::gather, comb, whole, 80).leave, 20);
  EXPECT_EQ(demand(Collective::alltoall, comb, whole, 80).leave, 120);
  EXPECT_EQ(demand(Collective::scan, below, whole, 80).enter, 0);
  EXPECT_EQ(demand(Collective::scan, below, whole, 80).leave, 80);
  EXPECT_EQ(demand(Collective::exscan, comb, whole, 80).enter, 80);
  EXPECT_EQ(demand(Collective::exscan, comb, whole, 80).leave, 80);
  EXPECT_EQ(joint_demand(Collective::allreduce, 4, 80), 480);
  EXPECT_EQ(joint_demand(Collective::bcast, 4, 80), 0);
}

}  // namespace
}  // namespace espalier::cost
