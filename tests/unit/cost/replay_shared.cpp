// SPDX-License-Identifier: Apache-2.0

/// @file
/// The replay where messages share links.

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/cost/forms/grid.hpp"
#include "espalier/cost/replay/channels.hpp"
#include "espalier/cost/replay/replay.hpp"
#include "espalier/cost/replay/torus_links.hpp"
#include "espalier/machine/tree/placement.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;
using schedule::RankProgram;
using Times = std::vector<double>;

TEST(Channels, ServeInTheOrderOfAsking) {
  Channels two(3, 2, 100);
  EXPECT_EQ(two.serve(1, 0, 10), 0);
  EXPECT_EQ(two.serve(1, 0, 4), 0);
  EXPECT_EQ(two.serve(1, 1, 4), 4);
  EXPECT_EQ(two.serve(1, 2, 4), 8);
  EXPECT_EQ(two.serve(2, 2, 4), 2) << "another object";
  EXPECT_EQ(two.busiest(), 11);
}

TEST(Channels, OfABrokenNumberServeThatManyOnAverage) {
  Channels channels(1, 1.5, 100);
  Times begins;
  for (int i = 0; i < 6; ++i) {
    begins.push_back(channels.serve(0, 0, 3));
  }
  EXPECT_EQ(begins, (Times{0, 0, 4, 4, 8, 8}));
  Channels half(1, 0.5, 100);
  EXPECT_EQ(half.serve(0, 0, 3), 0);
  EXPECT_EQ(half.serve(0, 0, 3), 6);
}

TEST(Channels, MustBePositive) {
  EXPECT_THROW(Channels(1, 0, 10), Error);
  EXPECT_FALSE(Channels(1, 10, 10).are_limited());
  EXPECT_TRUE(Channels(1, 9, 10).are_limited());
}

/// Rank `from[i]` sends a block to rank `to[i]`; all begin at once, and nobody is in two pairs.
std::vector<RankProgram>
pairs(int num_ranks, std::vector<int> const& from, std::vector<int> const& to) {
  std::vector<RankProgram> programs;
  for (int rank = 0; rank < num_ranks; ++rank) {
    schedule::Builder builder(algorithms::output_frame(num_ranks, 1), rank);
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i] == rank) {
        builder.send(to[i], schedule::blocks(0));
      }
      if (to[i] == rank) {
        builder.recv(from[i], schedule::blocks(0));
      }
    }
    programs.push_back(std::move(builder).finish());
  }
  return programs;
}

/// One second per byte at each level.
Setting setting(std::string const& text) {
  machine::Machine machine = machine::Machine::parse(text);
  for (int level = 0; level < machine.num_levels(); ++level) {
    machine.set_link(level, {.per_byte = 1});
  }
  std::vector<int> cores = machine::place(machine, "block", machine.num_cores());
  return {.machine = std::move(machine), .core_of = std::move(cores)};
}

/// With the link of one level changed.
template <typename Change> Setting with(Setting setting, int level, Change change) {
  machine::Link link = setting.machine.link(level);
  change(link);
  setting.machine.set_link(level, link);
  return setting;
}

constexpr double bytes = 8;

TEST(Sharing, OfANodesChannels) {
  std::vector<RankProgram> const four = pairs(8, {0, 1, 2, 3}, {4, 5, 6, 7});
  for (auto const& [channels, expected] :
       std::vector<std::pair<double, double>>{{1, 4}, {2, 2}, {3, 2}, {4, 1}, {8, 1}}) {
    auto const set = [channels = channels](machine::Link& link) { link.channels = channels; };
    Setting const nodes = with(setting("node:2 core:4"), 0, set);
    Replay const replayed = replay(four, nodes, bytes);
    EXPECT_EQ(replayed.seconds(), expected * bytes) << channels;
    EXPECT_EQ(replayed.levels[0].messages, 4);
    EXPECT_EQ(replayed.levels[0].bytes, 4 * bytes);
  }
}

TEST(Sharing, IsSaidInSeconds) {
  Setting const one =
      with(setting("node:2 core:4"), 0, [](machine::Link& link) { link.channels = 1; });
  Replay const replayed = replay(pairs(8, {0, 1, 2, 3}, {4, 5, 6, 7}), one, bytes);
  EXPECT_EQ(replayed.finished, (Times{8, 16, 24, 32, 8, 16, 24, 32}));
  EXPECT_EQ(replayed.levels[0].busiest, 32);
  EXPECT_EQ(replayed.levels[0].waiting, 8 + 16 + 24);
  EXPECT_EQ(replayed.levels[1].waiting, 0);
}

/// Different nodes send to one: its own channels are what they share.
TEST(Sharing, OfTheChannelsOfTheReceiver) {
  Setting const one = with(setting("node:4 core:3"), 0, [](machine::Link& link) {
    link.channels = 1;
    link.latency = 100;
  });
  EXPECT_EQ(replay(pairs(12, {3, 6, 9}, {0, 1, 2}), one, bytes).seconds(), 100 + 3 * bytes);
}

TEST(Sharing, BothWaysUnlessFullDuplex) {
  std::vector<RankProgram> const there_and_back = pairs(8, {0, 5}, {4, 1});
  Setting full = with(setting("node:2 core:4"), 0, [](machine::Link& link) { link.channels = 1; });
  EXPECT_EQ(replay(there_and_back, full, bytes).seconds(), bytes);
  Setting const half = with(full, 0, [](machine::Link& link) { link.full_duplex = false; });
  EXPECT_EQ(replay(there_and_back, half, bytes).seconds(), 2 * bytes);
}

TEST(Sharing, OfWhatLiesInOneObject) {
  Setting const memory =
      with(setting("node:2 core:4"), 1, [](machine::Link& link) { link.shared_channels = 1; });
  EXPECT_EQ(replay(pairs(8, {0, 2}, {1, 3}), memory, bytes).seconds(), 2 * bytes);
  EXPECT_EQ(replay(pairs(8, {0, 4}, {1, 5}), memory, bytes).seconds(), bytes) << "other nodes";
  EXPECT_EQ(replay(pairs(8, {0, 2}, {4, 6}), memory, bytes).seconds(), bytes) << "between nodes";
  Setting const network =
      with(setting("node:6 core:1"), 0, [](machine::Link& link) { link.shared_channels = 2; });
  EXPECT_EQ(replay(pairs(6, {0, 1, 2}, {3, 4, 5}), network, bytes).seconds(), 2 * bytes);
}

/// Messages that leave a node leave its packages too, at no less than their own speed.
TEST(Sharing, OfInnerLevels) {
  Setting const packages =
      with(setting("node:2 package:2 core:2"), 1, [](machine::Link& link) { link.channels = 1; });
  EXPECT_EQ(replay(pairs(8, {0, 1}, {4, 6}), packages, bytes).seconds(), 2 * bytes);
  EXPECT_EQ(replay(pairs(8, {0, 2}, {4, 6}), packages, bytes).seconds(), bytes) << "one each";
  Setting const fast = with(packages, 1, [](machine::Link& link) { link.per_byte = 0.25; });
  EXPECT_EQ(replay(pairs(8, {0, 1}, {4, 6}), fast, bytes).seconds(), 1.25 * bytes);
  Setting const slow = with(packages, 1, [](machine::Link& link) { link.per_byte = 50; });
  EXPECT_EQ(replay(pairs(8, {0, 1}, {4, 6}), slow, bytes).seconds(), 2 * bytes);
}

/// A message that waits for its channel keeps those of its rank behind it, in their order.
TEST(Sharing, KeepsTheOrderOfARank) {
  std::vector<RankProgram> programs;
  programs.push_back(
      std::move(schedule::Builder(algorithms::output_frame(6, 1), 0).send(3, schedule::blocks(0)))
          .finish()
  );
  programs.push_back(std::move(schedule::Builder(algorithms::output_frame(6, 1), 1)
                                   .send(4, schedule::blocks(0))
                                   .send(2, schedule::blocks(0))
                                   .send(5, schedule::blocks(0)))
                         .finish());
  for (auto const& [rank, from] :
       std::vector<std::pair<int, int>>{{2, 1}, {3, 0}, {4, 1}, {5, 1}}) {
    programs.push_back(std::move(schedule::Builder(algorithms::output_frame(6, 1), rank)
                                     .recv(from, schedule::blocks(0)))
                           .finish());
  }
  Setting const one =
      with(setting("node:2 core:3"), 0, [](machine::Link& link) { link.channels = 1; });
  // Rank 1 waits until 8, sends to 4 until 16, inside until 24, then to 5.
  EXPECT_EQ(replay(programs, one, bytes).finished, (Times{8, 32, 24, 8, 16, 32}));
}

TEST(TorusLinks, LeadTheShorterWay) {
  TorusLinks ring({.extents = {5}, .hop_latency = 1, .link_per_byte = 1}, 5);
  EXPECT_EQ(ring.next_hop(0, 2).node, 1);
  EXPECT_EQ(ring.next_hop(0, 3).node, 4);
  EXPECT_EQ(ring.next_hop(4, 0).node, 0);
  EXPECT_EQ(ring.num_hops(0, 3), 2);
  TorusLinks const grid({.extents = {3, 4}}, 12);
  EXPECT_EQ(grid.next_hop(0, 11).node, 2);
  EXPECT_EQ(grid.next_hop(2, 11).node, 11);
  EXPECT_EQ(grid.next_hop(0, 6).node, 3) << "halfway round it goes upwards";
  EXPECT_EQ(grid.num_hops(0, 11), 2);
  EXPECT_EQ(grid.num_hops(0, 7), 3);
  EXPECT_THROW(TorusLinks({.extents = {3, 4}}, 13), Error);
}

TEST(TorusLinks, AreSharedOneWay) {
  TorusLinks ring({.extents = {5}, .hop_latency = 1, .link_per_byte = 1}, 5);
  int const up = ring.next_hop(1, 2).link;
  EXPECT_EQ(ring.pass(up, 8, 0), 0);
  EXPECT_EQ(ring.pass(up, 8, 1), 8) << "waits for the first message";
  EXPECT_EQ(ring.pass(ring.next_hop(2, 1).link, 8, 0), 0) << "the other way";
  EXPECT_EQ(ring.pass(ring.next_hop(2, 3).link, 8, 0), 0) << "another link";
}

TEST(Sharing, OfATorusInAReplay) {
  std::vector<int> nodes{0, 1, 2, 3, 4};
  machine::Machine const machine(
      {{.name = "node", .of_core = nodes, .link = {.latency = 10, .per_byte = 0.5}}},
      {.extents = {5}, .hop_latency = 1, .link_per_byte = 1}
  );
  Setting const torus{.machine = machine, .core_of = nodes};
  // Both take the link from 1 to 2, that of rank 1 first; the speed is that of the slowest link.
  Replay const replayed = replay(pairs(5, {0, 1}, {3, 2}), torus, bytes);
  EXPECT_EQ(replayed.finished[2], 11 + bytes);
  EXPECT_EQ(replayed.finished[3], 12 + bytes) << "the other way round";
  Replay const shared = replay(pairs(5, {0, 1}, {2, 3}), torus, bytes);
  EXPECT_EQ(shared.finished[3], 12 + bytes);
  EXPECT_EQ(shared.finished[2], bytes + 1 + 10 + bytes);
  EXPECT_EQ(shared.levels[0].waiting, bytes - 1);
  EXPECT_EQ(shared.levels[0].busiest, 2 * bytes);
}

/// Everybody sends two nodes on: each link has two messages, and no more than that is waited.
TEST(Sharing, OfARingOfLinksIsEven) {
  int const p = 12;
  std::vector<int> nodes(p);
  std::vector<int> next(p);
  for (int i = 0; i < p; ++i) {
    nodes[static_cast<std::size_t>(i)] = i;
    next[static_cast<std::size_t>(i)] = (i + 2) % p;
  }
  machine::Machine const machine(
      {{.name = "node", .of_core = nodes, .link = {.per_byte = 1}}},
      {.extents = {p}, .hop_latency = 0, .link_per_byte = 1}
  );
  Replay const replayed =
      replay(pairs(p, nodes, next), {.machine = machine, .core_of = nodes}, bytes);
  EXPECT_EQ(replayed.seconds(), 2 * bytes);
}

/// Waiting inside does not reserve what lies outside.
TEST(Sharing, LetsOthersPassMeanwhile) {
  Setting nodes =
      with(setting("node:2 package:2 core:2"), 1, [](machine::Link& link) { link.channels = 1; });
  nodes = with(nodes, 0, [](machine::Link& link) { link.channels = 2; });
  // Ranks 0 and 1 share a package; rank 2 is alone in its.
  Replay const replayed = replay(pairs(8, {0, 1, 2}, {4, 6, 7}), nodes, bytes);
  EXPECT_EQ(replayed.finished[0], bytes);
  EXPECT_EQ(replayed.finished[1], 2 * bytes);
  EXPECT_EQ(replayed.finished[2], bytes);
}

Setting one_group(int p, double channels) {
  return with(setting("core:" + std::to_string(p)), 0, [&](machine::Link& link) {
    link.shared_channels = channels;
  });
}

TEST(Sharing, OfABinomialScatterIsThePublishedVolume) {
  Choice const scatter = Choice::parse("scatter/binomial");
  EXPECT_EQ(replay_time(scatter, 0, one_group(8, 2), 8), 8);
  EXPECT_EQ(replay_time(scatter, 0, one_group(32, 2), 32), 48);
  for (int const p : {2, 4, 8, 16, 32, 64, 128}) {
    for (double const channels : {1.0, 2.0, 4.0, 8.0, 16.0}) {
      EXPECT_DOUBLE_EQ(
          replay_time(scatter, 0, one_group(p, channels), p), binomial_scatter_volume(p, channels)
      ) << p
        << " " << channels;
    }
  }
}

TEST(Sharing, BetweenTwoGroupsMakesTheOrderOfRanksMatter) {
  Choice const scatter = Choice::parse("scatter/binomial");
  // The group of each position; cores 0 .. 3 are one group, 4 .. 7 the other.
  std::vector<int> const standard{0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<int> const fastest_edge_first{0, 4, 1, 5, 2, 6, 3, 7};
  std::vector<int> const channel_aware{0, 1, 4, 5, 2, 3, 6, 7};
  double const inside = 1;
  for (double const between : {1.0, 1.25, 2.0, 5.0}) {
    Setting groups = setting("package:2 core:4");
    groups.machine.set_link(0, {.per_byte = between, .channels = 2});
    groups.machine.set_link(1, {.per_byte = inside, .shared_channels = 2});
    auto const time = [&](std::vector<int> const& cores) {
      groups.core_of = cores;
      return replay_time(scatter, 0, groups, 8);
    };
    EXPECT_DOUBLE_EQ(time(standard), 3 * inside + 4 * between);
    EXPECT_DOUBLE_EQ(time(fastest_edge_first), 6 * inside + 2 * between);
    EXPECT_DOUBLE_EQ(time(channel_aware), 5 * inside + 2 * between);
  }
}

/// More channels never make a schedule slower here, and unlimited ones are as if nothing was
/// shared.
TEST(Sharing, GetsLessWithMoreChannels) {
  for (std::string const name : {"allgather/ring", "allgather/bruck", "alltoall/pairwise"}) {
    Choice const choice = Choice::parse(name);
    double last = replay_time(choice, 0, setting("node:4 core:4"), 1600);
    for (double const channels : {16.0, 4.0, 2.0, 1.0, 0.5}) {
      Setting const nodes =
          with(setting("node:4 core:4"), 0, [&](machine::Link& link) { link.channels = channels; });
      double const time = replay_time(choice, 0, nodes, 1600);
      EXPECT_GE(time, last) << name << channels;
      last = time;
    }
    EXPECT_GT(last, replay_time(choice, 0, setting("node:4 core:4"), 1600)) << name;
  }
}

/// Schedules are proved for sends that wait for their receives, so none of them locks up here.
TEST(Sharing, EndsForTheWholeCatalog) {
  Setting nodes = setting("node:3 core:3");
  for (int level = 0; level < 2; ++level) {
    nodes = with(nodes, level, [](machine::Link& link) {
      link.latency = 2;
      link.gap = 1;
      link.eager_bytes = 0;
      link.rendezvous_latency = 3;
      link.channels = 1;
      link.shared_channels = 1.5;
      link.full_duplex = false;
    });
  }
  for (schedule::Collective const collective : schedule::all_collectives()) {
    for (int const p : {2, 5, 8, 9}) {
      nodes.core_of = machine::place(nodes.machine, "cyclic", p);
      for (Choice const& choice : algorithms::variants(collective, p)) {
        Replay const replayed = replay(choice, 0, nodes, 64);
        double waiting = 0;
        for (LevelUse const& use : replayed.levels) {
          waiting += use.waiting;
          EXPECT_LE(use.busiest, replayed.seconds()) << choice.text() << " p = " << p;
        }
        EXPECT_GE(waiting, 0) << choice.text();
        EXPECT_GT(replayed.seconds(), 0) << choice.text() << " p = " << p;
      }
    }
  }
}

TEST(Sharing, GivesTheSameTwice) {
  Setting const nodes = with(setting("node:4 core:8"), 0, [](machine::Link& link) {
    link.channels = 1.5;
    link.latency = 0.1;
  });
  for (std::string const name : {"allgather/bruck", "alltoall/linear", "allreduce/rabenseifner"}) {
    Choice const choice = Choice::parse(name);
    EXPECT_EQ(replay(choice, 0, nodes, 999).finished, replay(choice, 0, nodes, 999).finished);
  }
}

}  // namespace
}  // namespace espalier::cost
