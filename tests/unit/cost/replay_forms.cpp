// SPDX-License-Identifier: Apache-2.0

/// @file
/// Where nothing is shared, the replay gives what closed forms say.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/cost/forms/count.hpp"
#include "espalier/cost/forms/grid.hpp"
#include "espalier/cost/replay/replay.hpp"
#include "espalier/machine/tree/placement.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;

constexpr Hockney hockney{.alpha = 3, .beta = 0.5, .gamma = 0.25};

void expect_close(double found, double expected, std::string const& what) {
  EXPECT_NEAR(found, expected, 1e-12 * expected) << what;
}

Setting hockney_setting(int p) {
  Setting setting = uniform(link(hockney), p);
  setting.machine.set_speed({.per_combined_byte = hockney.gamma});
  return setting;
}

/// Blocks of the result, which have block_bytes each.
double replayed(Choice const& choice, int p, double block_bytes) {
  int const num_parts = schedule::has_parts(choice.collective()) ? p : 1;
  return replay_time(choice, 0, hockney_setting(p), block_bytes * num_parts * choice.num_pieces(p));
}

void expect_hockney(std::string const& name, int p) {
  Choice const choice = Choice::parse(name);
  if (!choice.refuses(p, 0).empty()) {
    return;
  }
  for (double const block_bytes : {1.0, 64.0, 1e6}) {
    double const formula = time(count(choice, p, 0), hockney, block_bytes);
    expect_close(replayed(choice, p, block_bytes), formula, name + " p = " + std::to_string(p));
  }
}

TEST(ReplayForms, OfRoundsInLockstepAreHockneys) {
  for (std::string const name :
       {"allgather/ring",
        "allgather/bruck",
        "allgather/recursive_doubling",
        "allgather/circulant",
        "alltoall/pairwise",
        "alltoall/bruck",
        "barrier/dissemination",
        "bcast/binomial",
        "bcast/flat",
        "gather/flat",
        "reduce_scatter/ring",
        "scatter/flat"}) {
    for (int const p : {1, 2, 3, 4, 7, 8, 13, 16, 31, 32}) {
      expect_hockney(name, p);
    }
  }
}

TEST(ReplayForms, OfRoundsInLockstepOfPowersOfTwoAreHockneys) {
  for (std::string const name :
       {"allgather/neighbor_exchange",
        "allgather/swing",
        "allgather/bine",
        "allreduce/rabenseifner",
        "allreduce/recursive_doubling",
        "allreduce/ring",
        "bcast/scatter_allgather",
        "gather/binomial",
        "reduce/binomial",
        "reduce_scatter/recursive_halving",
        "reduce_scatter/swing",
        "scatter/binomial"}) {
    for (int const p : {2, 4, 8, 16, 32, 64}) {
      expect_hockney(name, p);
    }
  }
}

TEST(ReplayForms, OfSegmentsInAChainAreThePipeline) {
  for (int const p : {2, 3, 7, 12}) {
    for (int const segments : {2, 5, 20}) {
      Choice const chain = Choice::parse("bcast/chain[segments=" + std::to_string(segments) + "]");
      double const formula =
          chain_pipeline(hockney, p, {.bytes = 8.0 * segments, .segment_bytes = 8});
      // Nothing is combined.
      double const combining = (p - 2 + segments) * hockney.gamma * 8;
      expect_close(replayed(chain, p, 8), formula - combining, chain.text());
    }
  }
}

/// A pipeline along each row, from its first rank, and then along each column.
schedule::RankProgram grid_pipeline_program(std::vector<int> const& extents, int rank, int n) {
  int const p = extents[0] * extents[1];
  schedule::Builder builder(algorithms::output_frame(p, 2 * n), rank);
  int stride = 1;
  int first = 0;
  for (int const extent : extents) {
    int const position = rank / stride % extent;
    for (int segment = 0; segment <= n; ++segment) {
      if (position > 0 && segment < n) {
        builder.recv(rank - stride, schedule::blocks(first + segment));
      }
      if (position + 1 < extent && segment > 0) {
        builder.send(rank + stride, schedule::blocks(first + segment - 1));
      }
      builder.next_round();
    }
    stride *= extent;
    first += n;
  }
  return std::move(builder).finish();
}

TEST(ReplayForms, OfPipelinesAlongAGridAreTheirs) {
  for (std::vector<int> const& extents : {std::vector{4, 4}, {2, 7}, {6, 3}}) {
    for (int const segments : {1, 3, 10}) {
      int const p = extents[0] * extents[1];
      std::vector<schedule::RankProgram> programs;
      for (int rank = 0; rank < p; ++rank) {
        programs.push_back(grid_pipeline_program(extents, rank, segments));
      }
      double const bytes = 16.0 * segments;
      Cluster const cluster{.alpha = 3, .beta_internal = 0.5, .beta_external = 0.5};
      double const formula =
          grid_pipeline(cluster, extents, 0, {.bytes = bytes, .segment_bytes = 16});
      Setting const setting = uniform(link(hockney), p);
      expect_close(
          replay(programs, setting, 2 * bytes).seconds(),
          formula,
          std::to_string(extents[0]) + " x " + std::to_string(extents[1])
      );
    }
  }
}

constexpr Cluster cluster{
    .alpha = 3, .beta_internal = 0.5, .beta_external = 4, .gamma = 0, .channels = 1
};

/// Nodes of so many cores, Hockney's links between and inside them.
Setting nodes(int num_nodes, int num_cores) {
  machine::Machine machine = machine::Machine::parse(
      "node:" + std::to_string(num_nodes) + " core:" + std::to_string(num_cores)
  );
  machine.set_link(0, link(Hockney{.alpha = cluster.alpha, .beta = cluster.beta_external}));
  machine.set_link(1, link(Hockney{.alpha = cluster.alpha, .beta = cluster.beta_internal}));
  std::vector<int> cores = machine::place(machine, "block", num_nodes * num_cores);
  return {.machine = std::move(machine), .core_of = std::move(cores)};
}

TEST(ReplayForms, OfABinomialTreeOverNodesAreThoseOfItsStages) {
  Choice const binomial = Choice::parse("bcast/binomial");
  for (int const num_nodes : {1, 2, 4, 16}) {
    for (int const num_cores : {1, 2, 8}) {
      expect_close(
          replay_time(binomial, 0, nodes(num_nodes, num_cores), 100),
          multicore_binomial(cluster, num_nodes, num_cores, 100),
          std::to_string(num_nodes) + " x " + std::to_string(num_cores)
      );
    }
  }
}

/// Ranks of a node share its channels, and one message at a time leaves it at any stage.
TEST(ReplayForms, OfABinomialTreeOverNodesDoNotDependOnChannels) {
  Choice const binomial = Choice::parse("bcast/binomial");
  Setting setting = nodes(8, 4);
  double const alone = replay_time(binomial, 0, setting, 100);
  machine::Link shared = setting.machine.link(0);
  shared.channels = 1;
  setting.machine.set_link(0, shared);
  Replay const replayed = replay(binomial, 0, setting, 100);
  expect_close(replayed.seconds(), alone, "one channel");
  EXPECT_EQ(replayed.levels[0].waiting, 0);
  // The root's node sends to three others.
  EXPECT_EQ(replayed.levels[0].busiest, 3 * 100 * cluster.beta_external);
}

/// Binomial trees along each row, then along each column; the second sends other blocks.
schedule::RankProgram grid_binomial_program(std::vector<int> const& extents, int rank) {
  int const p = extents[0] * extents[1];
  schedule::Builder builder(algorithms::output_frame(p, 2), rank);
  int stride = 1;
  int block = 0;
  for (int const extent : extents) {
    pattern::TreeNode const node = pattern::k_nomial_node(2, extent, rank / stride % extent);
    int const begin = rank - rank / stride % extent * stride;
    if (node.parent >= 0) {
      builder.recv(begin + node.parent * stride, schedule::blocks(block)).next_round();
    }
    for (pattern::TreeEdge const& edge : node.children) {
      builder.send(begin + edge.child * stride, schedule::blocks(block));
    }
    builder.next_round();
    stride *= extent;
    ++block;
  }
  return std::move(builder).finish();
}

TEST(ReplayForms, OfBinomialTreesAlongAGridAreTheirs) {
  std::vector<int> const extents{8, 8};
  std::vector<schedule::RankProgram> programs;
  for (int rank = 0; rank < 64; ++rank) {
    programs.push_back(grid_binomial_program(extents, rank));
  }
  // Strips: a row of the grid is a node of 8 cores, so that the second phase has 8 lines a node.
  Setting const strips = nodes(8, 8);
  Cluster unshared = cluster;
  unshared.channels = 8;
  expect_close(
      replay(programs, strips, 200).seconds(),
      grid_binomial(unshared, extents, std::vector{8, 1}, 100),
      "strips"
  );
  // Tiles of 2 x 4: position (x, y) is core x % 2 + 2 (y % 4) of its node.
  Setting tiles = strips;
  for (int rank = 0; rank < 64; ++rank) {
    int const x = rank % 8;
    int const y = rank / 8;
    tiles.core_of[static_cast<std::size_t>(rank)] = (y / 4 * 4 + x / 2) * 8 + y % 4 * 2 + x % 2;
  }
  expect_close(
      replay(programs, tiles, 200).seconds(),
      grid_binomial(unshared, extents, std::vector{2, 4}, 100),
      "tiles"
  );
}

}  // namespace
}  // namespace espalier::cost
