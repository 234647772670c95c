// SPDX-License-Identifier: Apache-2.0

/// @file
/// Reduce-scatter and allreduce: what their proofs do not say. Numbers of the papers, sizes of
/// programs, distances, and bits.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/reduce_scatter/parts/halvings.hpp"
#include "espalier/algorithms/reduce_scatter/parts/stepwise.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/exec/threads/thread_executor.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

using schedule::RankProgram;

/// All p from 1 to 69 and some beyond, with which the circulant schedules were first checked.
std::vector<int> circulant_numbers_of_ranks() {
  std::vector<int> numbers(69);
  std::iota(numbers.begin(), numbers.end(), 1);
  numbers.insert(numbers.end(), {97, 100, 127, 128, 129});
  return numbers;
}

TEST(Circulant, TakesTheRoundsOfATreeAndTheBlocksOfARing) {
  for (int const p : circulant_numbers_of_ranks()) {
    for (int rank = 0; rank < p; ++rank) {
      RankProgram const scatter = Choice::parse("reduce_scatter/circulant").generate(p, 0, rank);
      EXPECT_EQ(scatter.num_rounds(), ceil_log2(p));
      EXPECT_EQ(scatter.num_blocks_sent(), p - 1);
      RankProgram const all = Choice::parse("allreduce/circulant").generate(p, 0, rank);
      EXPECT_EQ(all.num_rounds(), 2 * ceil_log2(p));
      EXPECT_EQ(all.num_blocks_sent(), 2 * (p - 1));
    }
  }
}

/// How often each contribution is in the sum of each block of each rank: [rank][block][from].
using Sums = std::vector<std::vector<std::vector<int>>>;

/// Runs the steps of all ranks; true if each rank ends with each contribution to its own block
/// once.
bool collects_each_contribution_once(int p, Steps steps) {
  auto const size = static_cast<std::size_t>(p);
  Sums sums(size, {size, std::vector<int>(size, 0)});
  std::vector<std::vector<Handover>> handovers;
  for (std::size_t r = 0; r < size; ++r) {
    handovers.push_back(steps(p, static_cast<int>(r)));
    for (std::vector<int>& sum : sums[r]) {
      sum[r] = 1;
    }
  }
  for (std::size_t step = 0; step < handovers[0].size(); ++step) {
    Sums const before = sums;
    for (std::size_t r = 0; r < size; ++r) {
      Handover const& own = handovers[r][step];
      auto const from = static_cast<std::size_t>(own.from);
      EXPECT_EQ(handovers[from][step].to, static_cast<int>(r));
      EXPECT_EQ(handovers[from][step].sent, own.kept);
      for (int const block : own.kept) {
        auto const b = static_cast<std::size_t>(block);
        std::ranges::transform(sums[r][b], before[from][b], sums[r][b].begin(), std::plus<>());
      }
    }
  }
  for (std::size_t r = 0; r < size; ++r) {
    if (std::ranges::any_of(sums[r][r], [](int count) { return count != 1; })) {
      return false;
    }
  }
  return true;
}

TEST(Handovers, CollectEachContributionOnce) {
  for (int p = 1; p <= 32; p *= 2) {
    EXPECT_TRUE(collects_each_contribution_once(p, halve_distances)) << p;
    EXPECT_TRUE(collects_each_contribution_once(p, halve_negabinary_distances)) << p;
  }
  for (int p = 2; p <= 40; p += 2) {
    EXPECT_TRUE(collects_each_contribution_once(p, double_negabinary_distances)) << p;
  }
  for (int p = 1; p <= 35; ++p) {
    EXPECT_TRUE(collects_each_contribution_once(p, fall_along_skips)) << p;
    EXPECT_TRUE(collects_each_contribution_once(p, pass_to_neighbor)) << p;
  }
}

TEST(Programs, OfLogarithmicAlgorithmsStaySmall) {
  for (std::string const name :
       {"reduce_scatter/recursive_halving",
        "reduce_scatter/ordered_halving",
        "reduce_scatter/bine",
        "reduce_scatter/swing",
        "reduce_scatter/circulant",
        "allreduce/recursive_doubling",
        "allreduce/rabenseifner",
        "allreduce/bine",
        "allreduce/swing",
        "allreduce/circulant",
        "allreduce/reduce_scatter_allgather"}) {
    for (int const p : {4096, 3001, 3000}) {
      Choice const choice = Choice::parse(name);
      bool const is_irregular = name.ends_with("swing") && p != 4096;
      if (!choice.refuses(p, 0).empty() || is_irregular) {
        continue;
      }
      RankProgram const program = choice.generate(p, 0, p / 3);
      int const rounds = choice.facts(p, 0).rounds;
      EXPECT_LE(std::ssize(program.operations), 4 * rounds + 2) << name << ", p = " << p;
      EXPECT_LE(std::ssize(program.slot_pool), 20 * rounds) << name << ", p = " << p;
    }
  }
}

std::int64_t blocks_copied(RankProgram const& program) {
  std::int64_t sum = 0;
  for (schedule::Operation const& operation : program.operations) {
    if (operation.kind == schedule::Kind::copy) {
      sum += schedule::num_blocks(program.slots(operation));
    }
  }
  return sum;
}

/// True if the messages that ranks send first go to all ranks, those they send next too, and so on.
bool everybody_is_sent_to_in_turn(std::string const& choice, int p) {
  std::vector<std::vector<int>> peers;
  for (int rank = 0; rank < p; ++rank) {
    std::size_t turn = 0;
    for (auto const& operation : Choice::parse(choice).generate(p, 0, rank).operations) {
      if (operation.kind == schedule::Kind::send) {
        peers.resize(std::max(peers.size(), turn + 1));
        peers[turn++].push_back(operation.peer);
      }
    }
  }
  std::vector<int> everybody(static_cast<std::size_t>(p));
  std::iota(everybody.begin(), everybody.end(), 0);
  return std::ranges::all_of(peers, [&](std::vector<int>& of_turn) {
    std::ranges::sort(of_turn);
    return of_turn == everybody;
  });
}

TEST(Groups, SendToEachMemberInTurn) {
  for (int const p : {4, 16, 64}) {
    EXPECT_TRUE(everybody_is_sent_to_in_turn("allreduce/recursive_multiplying[k=4]", p)) << p;
    EXPECT_TRUE(everybody_is_sent_to_in_turn("reduce_scatter/recursive_dividing[k=4]", p)) << p;
  }
}

TEST(SeparateBuffers, AreReadInsteadOfCopied) {
  for (std::string const name :
       {"reduce_scatter/recursive_halving",
        "reduce_scatter/bine",
        "reduce_scatter/swing",
        "reduce_scatter/circulant",
        "reduce_scatter/ring",
        "allreduce/rabenseifner",
        "allreduce/bine",
        "allreduce/swing",
        "allreduce/circulant",
        "allreduce/ring"}) {
    Choice const choice = Choice::parse(name);
    for (int const p : {13, 16}) {
      for (int rank = 0; rank < p && choice.refuses(p, 0).empty(); ++rank) {
        RankProgram const program =
            schedule::from_input(choice.generate(p, 0, rank), choice.collective(), 0);
        // The own sum moves to the output; a contribution may have to join sums in a message.
        EXPECT_LE(blocks_copied(program), 2) << name << ", p = " << p << ", rank " << rank;
      }
    }
  }
}

/// Blocks times hops on a ring, over all messages of all ranks.
std::int64_t block_hops(std::string const& name, int p) {
  Choice const choice = Choice::parse(name);
  std::int64_t sum = 0;
  for (int rank = 0; rank < p; ++rank) {
    RankProgram const program = choice.generate(p, 0, rank);
    for (schedule::Operation const& operation : program.operations) {
      if (operation.kind == schedule::Kind::send) {
        int const distance = std::abs(operation.peer - rank);
        sum += std::min(distance, p - distance) * schedule::num_blocks(program.slots(operation));
      }
    }
  }
  return sum;
}

TEST(BlockHops, AreTwoThirdsAtNegabinaryDistances) {
  for (int const p : {64, 256, 1024}) {
    auto const ratio = [p](std::string const& negabinary, std::string const& binary) {
      return static_cast<double>(block_hops(negabinary, p)) /
             static_cast<double>(block_hops(binary, p));
    };
    EXPECT_NEAR(ratio("reduce_scatter/bine", "reduce_scatter/recursive_halving"), 2.0 / 3, 0.01);
    EXPECT_NEAR(ratio("allreduce/bine", "allreduce/rabenseifner"), 2.0 / 3, 0.01);
    EXPECT_NEAR(ratio("allreduce/bine[whole=1]", "allreduce/recursive_doubling"), 2.0 / 3, 0.01);
  }
}

TEST(BlockHops, AreFewerWhereNeighboursSwapTheLargestMessages) {
  for (int const p : {64, 256}) {
    EXPECT_LT(
        10 * block_hops("reduce_scatter/swing", p),
        4 * block_hops("reduce_scatter/recursive_halving", p)
    );
    EXPECT_LT(
        block_hops("reduce_scatter/swing", p), block_hops("reduce_scatter/ordered_halving", p)
    );
  }
}

/// Sums of very different sizes: every order of additions has other bits.
double contribution(int rank, int block) {
  double const sign = (rank + block) % 2 == 0 ? 1 : -1;
  return sign * (1.0 / (rank + 3) + (rank % 3 == 0 ? 1e9 : 1e-3) * (block + 1));
}

void add(std::byte const* source, std::byte* destination, std::int64_t num_elements) {
  for (std::int64_t i = 0; i < num_elements; ++i) {
    double left = 0;
    double right = 0;
    std::memcpy(&left, source + i * 8, sizeof left);
    std::memcpy(&right, destination + i * 8, sizeof right);
    double const sum = left + right;
    std::memcpy(destination + i * 8, &sum, sizeof sum);
  }
}

/// The output of every rank, in place, with one double a block.
std::vector<std::vector<double>> run(Choice const& choice, int p) {
  std::vector<std::vector<double>> outputs;
  std::vector<exec::ThreadRank> ranks;
  for (int rank = 0; rank < p; ++rank) {
    RankProgram const program = choice.generate(p, 0, rank);
    int const num_blocks = program.frame.num_output_blocks;
    std::vector<double>& output = outputs.emplace_back();
    for (int block = 0; block < num_blocks; ++block) {
      output.push_back(contribution(rank, block));
    }
    ranks.push_back({.program = exec::bind(program, exec::Layout::uniform(num_blocks, 1, 8))});
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    ranks[r].output = reinterpret_cast<std::byte*>(outputs[r].data());
  }
  exec::run_threads(ranks, {.combine = add});
  return outputs;
}

double sum_in_order(int p, int block) {
  double sum = contribution(0, block);
  for (int rank = 1; rank < p; ++rank) {
    sum += contribution(rank, block);
  }
  return sum;
}

TEST(Bits, InOrderAreThoseOfALoopOverTheRanks) {
  for (int p = 1; p <= 9; ++p) {
    auto const all = run(Choice::parse("allreduce/in_order"), p);
    auto const parts = run(Choice::parse("reduce_scatter/in_order"), p);
    for (int rank = 0; rank < p; ++rank) {
      auto const r = static_cast<std::size_t>(rank);
      EXPECT_EQ(parts[r][r], sum_in_order(p, rank));
      for (int block = 0; block < p; ++block) {
        EXPECT_EQ(all[r][static_cast<std::size_t>(block)], sum_in_order(p, block));
      }
    }
  }
}

TEST(Bits, OfAnAllreduceAreTheSameOnAllRanks) {
  for (int const p : {2, 3, 6, 8, 11}) {
    for (Choice const& choice : variants(Collective::allreduce, p)) {
      auto const outputs = run(choice, p);
      for (std::vector<double> const& output : outputs) {
        EXPECT_EQ(output, outputs.front()) << choice.text() << ", p = " << p;
      }
    }
  }
}

}  // namespace
}  // namespace espalier::algorithms
