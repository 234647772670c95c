// SPDX-License-Identifier: Apache-2.0

/// @file
/// The published models against reference values, in microseconds, for the parameters that
/// [nishtala2009] measured on Ranger.

#include "espalier/cost/forms/loggp.hpp"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/replay/replay.hpp"

namespace espalier::cost {
namespace {

constexpr LogGP ranger{.latency = 2.0, .overhead = 0.5, .gap = 2.0, .per_byte = 1e-3};
/// References have one decimal.
constexpr double rounding = 0.0501;

NodeCall call(double bytes, int num_nodes = 256, int threads = 4) {
  return {.num_nodes = num_nodes, .threads = threads, .bytes = bytes};
}

using Model = std::function<double(int k)>;

void expect_row(
    Model const& model, std::vector<int> const& radices, std::initializer_list<double> expected
) {
  ASSERT_EQ(radices.size(), expected.size());
  std::size_t i = 0;
  for (double const value : expected) {
    EXPECT_NEAR(model(radices[i]), value, rounding) << "k = " << radices[i];
    ++i;
  }
}

std::vector<int> const tree_radices{2, 4, 8, 16, 32, 64, 128, 256};

TEST(LogGPModels, OfBroadcast) {
  auto const model = [](double bytes, Levels levels) {
    return [=](int k) { return k_ary_broadcast(ranger, call(bytes), k, levels); };
  };
  auto const row = [&](Model const& of_k, std::initializer_list<double> expected) {
    expect_row(of_k, tree_radices, expected);
  };
  row(model(8, Levels::rounded_up), {52.1, 42.1, 55.7, 69.3, 133.5, 262.0, 519.0, 516.5});
  row(model(128, Levels::rounded_up), {54.0, 44.0, 58.6, 73.1, 141.2, 277.4, 549.8, 547.3});
  row(model(8192, Levels::rounded_up), {183.1, 173.1, 252.1, 331.1, 657.3, 1309.6, 2614.2, 2611.7});
  row(model(8, Levels::real), {52.1, 42.1, 49.5, 69.3, 106.8, 174.7, 296.6, 516.5});
}

TEST(LogGPModels, SayThatRadix8IsCloseToRadix4OnlyWithRealLevels) {
  auto const penalty = [](Levels levels) {
    return k_ary_broadcast(ranger, call(8), 8, levels) /
           k_ary_broadcast(ranger, call(8), 4, levels);
  };
  EXPECT_NEAR(penalty(Levels::real), 1.175, 0.001);
  EXPECT_NEAR(penalty(Levels::rounded_up), 1.32, 0.005);
}

TEST(LogGPModels, OfScatter) {
  auto const row = [](double bytes, std::initializer_list<double> expected) {
    expect_row(
        [=](int k) { return k_ary_scatter(ranger, call(bytes), k, Levels::rounded_up); },
        tree_radices,
        expected
    );
  };
  row(8, {68.3, 52.9, 64.8, 77.7, 141.4, 269.3, 525.2, 522.7});
  row(128, {313.1, 216.1, 204.7, 208.3, 267.8, 393.6, 648.6, 645.6});
  row(8192, {16763.7, 11183.1, 9605.0, 8981.9, 8758.4, 8749.5, 8938.6, 8903.1});
}

void expect_exchange(NodeCall const& call, Counts counts, std::initializer_list<double> expected) {
  expect_row(
      [&](int k) { return exchange(ranger, call, k, counts); },
      {2, 4, 8, 16, 32, 64, call.num_nodes},
      expected
  );
}

TEST(LogGPModels, OfExchangeAsPublished) {
  auto const row = [](NodeCall const& of, std::initializer_list<double> expected) {
    expect_exchange(of, Counts::published, expected);
  };
  row(call(8), {167.1, 136.3, 118.1, 140.4, 137.9, 202.8, 672.1});
  row(call(64), {1084.6, 824.4, 605.6, 570.5, 410.3, 439.3, 900.6});
  row(call(1024), {16813.2, 12620.9, 8961.4, 7943.3, 5079.7, 4494.4, 4817.4});
  row(call(8, 64, 16), {420.2, 323.4, 268.4, 196.5, 215.1, 288.5, 288.5});
}

TEST(LogGPModels, OfExchangeWithExactCounts) {
  auto const row = [](NodeCall const& of, std::initializer_list<double> expected) {
    expect_exchange(of, Counts::exact, expected);
  };
  row(call(8), {167.1, 136.3, 130.4, 140.4, 159.4, 225.8, 672.1});
  row(call(64), {1084.6, 824.4, 703.9, 570.5, 582.3, 623.7, 900.6});
  row(call(1024), {16813.2, 12620.9, 10534.3, 7943.3, 7832.2, 7443.5, 4817.4});
  row(call(8, 64, 16), {420.2, 323.4, 268.4, 270.2, 276.5, 288.5, 288.5});
}

TEST(LogGPModels, CountDigitsAsTheyAre) {
  for (int const n : {1, 2, 5, 8, 27, 30, 64}) {
    for (int const k : {2, 3, 8}) {
      for (int place = 1; place < n; place *= k) {
        for (int z = 0; z < k; ++z) {
          int expected = 0;
          for (int j = 0; j < n; ++j) {
            expected += j / place % k == z ? 1 : 0;
          }
          EXPECT_EQ(blocks_with_digit(n, k, place, z), expected) << n << " " << k << " " << place;
        }
      }
    }
  }
}

TEST(LogGPModels, OfGatherToAll) {
  double const bytes[] = {8, 128, 1024, 8192};
  double const dissemination[] = {44.2, 166.6, 1080.5, 8391.8};
  double const flat[] = {647.7, 770.1, 1684.0, 8995.3};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(gather_to_all_dissemination(ranger, call(bytes[i])), dissemination[i], rounding);
    EXPECT_NEAR(gather_to_all_flat(ranger, call(bytes[i])), flat[i], rounding);
  }
}

std::vector<int> const evaluator_radices{2, 4, 8, 16, 32, 64, 256};

double k_nomial_time(int k, int p, double bytes) {
  return tree_time(
      ranger, [=](int x) { return pattern::k_nomial_node(k, p, x); }, [=](int) { return bytes; }
  );
}

TEST(TreeTime, OfKNomialTrees) {
  expect_row(
      [](int k) { return k_nomial_time(k, 256, 8); },
      evaluator_radices,
      {36.1, 34.1, 41.6, 65.2, 81.3, 137.5, 514.5}
  );
  expect_row(
      [](int k) { return k_nomial_time(k, 256, 8192); },
      evaluator_radices,
      {101.5, 132.3, 180.8, 310.8, 392.3, 677.7, 2601.5}
  );
}

double contiguous_k_ary_time(int k, int p, std::function<double(int)> const& bytes_to) {
  return tree_time(
      ranger, [=](int x) { return pattern::contiguous_k_ary_node(k, p, x); }, bytes_to
  );
}

TEST(TreeTime, OfKAryTreesOverRunsOfRanks) {
  expect_row(
      [](int k) { return contiguous_k_ary_time(k, 256, [](int) { return 8.0; }); },
      evaluator_radices,
      {45.6, 38.1, 43.6, 65.2, 81.3, 137.5, 514.5}
  );
}

/// Without sharing; block_bytes of a part, or of the message of a bcast.
double replayed(
    algorithms::Choice const& choice, int p, int root, machine::Link const& link, double block_bytes
) {
  int const num_blocks = schedule::has_parts(choice.collective()) ? p : 1;
  return replay_time(choice, root, uniform(link, p), block_bytes * num_blocks);
}

TEST(TreeTime, IsTheReplayOfTheSchedule) {
  machine::Link const machine = link(ranger, Overhead::receiver);
  for (int const p : {2, 7, 16, 30, 256}) {
    for (int const k : {2, 4, 8}) {
      auto const choice = algorithms::Choice::parse("bcast/k_nomial[k=" + std::to_string(k) + "]");
      EXPECT_NEAR(replayed(choice, p, 0, machine, 8), k_nomial_time(k, p, 8), 1e-9) << p;
      EXPECT_NEAR(replayed(choice, p, p / 2, machine, 8), k_nomial_time(k, p, 8), 1e-9) << p;
    }
  }
}

/// Where a rank sends what its parent sent it, scatter needs the bytes of whole subtrees.
TEST(TreeTime, OfAScatterIsTheReplayOfItsSchedule) {
  for (int const p : {2, 7, 16, 30, 64}) {
    for (int const k : {2, 4}) {
      auto const choice =
          algorithms::Choice::parse("scatter/k_nomial[k=" + std::to_string(k) + "]");
      auto const bytes_to = [=](int child) {
        return 100.0 * pattern::k_nomial_subtree_size(k, p, child);
      };
      double const model =
          tree_time(ranger, [=](int x) { return pattern::k_nomial_node(k, p, x); }, bytes_to);
      EXPECT_NEAR(replayed(choice, p, 0, link(ranger, Overhead::receiver), 100), model, 1e-9)
          << p << " " << k;
    }
  }
}

/// The thesis times gather like scatter. It is, where ranks take in one message at a time.
TEST(TreeTime, OfAGatherIsThatOfTheScatter) {
  machine::Link const machine = link(ranger, Overhead::receiver);
  for (std::string const tree : {"flat", "binomial", "k_nomial[k=4]"}) {
    for (int const p : {2, 7, 16, 30, 64}) {
      auto const gather = algorithms::Choice::parse("gather/" + tree);
      auto const scatter = algorithms::Choice::parse("scatter/" + tree);
      EXPECT_NEAR(replayed(gather, p, 0, machine, 100), replayed(scatter, p, 0, machine, 100), 1e-9)
          << tree << p;
    }
  }
}

/// The published forms take every level as full: they are never too low for a real tree.
TEST(LogGPModels, OfKAryTreesAreBoundsOfTheReplay) {
  machine::Link const machine = link(ranger, Overhead::receiver);
  for (int const p : {2, 7, 16, 27, 64, 100}) {
    for (int const k : {2, 3, 4, 8}) {
      NodeCall const of{.num_nodes = p, .threads = 1, .bytes = 100};
      std::string const tree = "k_ary[k=" + std::to_string(k) + "]";
      auto const broadcast = algorithms::Choice::parse("bcast/" + tree);
      auto const scatter = algorithms::Choice::parse("scatter/" + tree);
      EXPECT_LE(
          replayed(broadcast, p, 0, machine, 100),
          k_ary_broadcast(ranger, of, k, Levels::rounded_up) + 1e-9
      ) << p
        << " " << k;
      EXPECT_LE(
          replayed(scatter, p, 0, machine, 100),
          k_ary_scatter(ranger, of, k, Levels::rounded_up) + 1e-9
      ) << p
        << " " << k;
    }
  }
}

TEST(LogGPModels, OfDisseminationAreTheReplayOfBruck) {
  auto const bruck = algorithms::Choice::parse("allgather/bruck");
  for (int const p : {1, 2, 7, 16, 30}) {
    double const model = gather_to_all_dissemination(ranger, call(100, p, 1));
    EXPECT_NEAR(replayed(bruck, p, 0, link(ranger, Overhead::receiver), 100), model, 1e-9);
  }
}

TEST(LogGPModels, OfExchangeWithExactCountsAreTheReplayOfBruck) {
  machine::Link const machine = link(ranger, Overhead::sender);
  for (int const p : {2, 7, 16, 27, 30}) {
    for (int const k : {2, 3, 4, 8}) {
      auto const bruck = algorithms::Choice::parse("alltoall/bruck[k=" + std::to_string(k) + "]");
      double const model = exchange(ranger, call(100, p, 1), k, Counts::exact);
      EXPECT_NEAR(replayed(bruck, p, 0, machine, 100), model, 1e-9) << p << " " << k;
    }
    double const flat = exchange(ranger, call(100, p, 1), p, Counts::exact);
    auto const linear = algorithms::Choice::parse("alltoall/linear");
    EXPECT_NEAR(replayed(linear, p, 0, machine, 100), flat, 1e-9) << p;
  }
}

TEST(LogGPModels, OfFlatGatherToAllAreTheReplayOfItsSchedule) {
  auto const flat = algorithms::Choice::parse("allgather/flat");
  for (int const p : {2, 7, 16, 30}) {
    double const model = gather_to_all_flat(ranger, call(100, p, 1));
    EXPECT_NEAR(replayed(flat, p, 0, link(ranger, Overhead::sender), 100), model, 1e-9);
  }
}

}  // namespace
}  // namespace espalier::cost
