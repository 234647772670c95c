// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a search in the order of a model loses: on machines that are simulated with one set of
/// parameters and thought to have another one.

#include "espalier/capi/onesided/choices/guided_choices.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/capi/onesided/choices/every_choice.hpp"
#include "espalier/cost/one_sided/calls.hpp"
#include "espalier/cost/one_sided/programs.hpp"

namespace espalier::capi {
namespace {

using cost::LogGP;
using cost::OneSidedMachine;
using schedule::Collective;
using schedule::Sync;

constexpr double us = 1e-6;

/// Of the thesis, table 5.1, and nodes whose processors share memory.
LogGP const ranger{.latency = 2 * us, .overhead = 0.5 * us, .gap = 2 * us, .per_byte = 1e-3 * us};
LogGP const node{.latency = 0.3 * us, .overhead = 0.1 * us, .gap = 0.1 * us, .per_byte = 1e-4 * us};

/// As a program finds it: the target takes part, copies are faster than messages.
OneSidedMachine real(LogGP const& network) {
  return {
      .network = network,
      .overhead_receive = network.overhead,
      .speed = {.per_combined_byte = 3e-4 * us, .per_copied_byte = 1e-4 * us},
  };
}

/// As somebody measured it who was wrong in each parameter.
LogGP wrong(LogGP const& network) {
  return {
      .latency = 1.5 * network.latency,
      .overhead = network.overhead / 2,
      .gap = network.gap / 1.5,
      .per_byte = 1.5 * network.per_byte,
  };
}

double
time_of(SafeChoice const& choice, SafeRequest const& request, OneSidedMachine const& machine) {
  int const num_parts = schedule::has_parts(request.collective) ? request.num_ranks : 1;
  auto const programs = cost::one_sided_programs(
      cost::message_programs(choice.choice, request.num_ranks, request.root),
      {request.mode, request.addresses, choice.mechanism}
  );
  cost::OneSidedCall const call{
      .programs = programs, .sizes = static_cast<double>(request.block_bytes) * num_parts
  };
  return cost::replay_calls({&call, 1}, machine).end();
}

double best_of(
    std::vector<SafeChoice> const& choices,
    SafeRequest const& request,
    OneSidedMachine const& machine
) {
  std::vector<double> times;
  for (SafeChoice const& one : choices) {
    times.push_back(time_of(one, request, machine));
  }
  return *std::ranges::min_element(times);
}

struct Sum {
  double largest_regret = 1;
  std::string where;
  std::size_t num_timed = 0;
  std::size_t num_all = 0;
};

constexpr std::array sizes{8, 1024, 65536};
constexpr std::array few_ranks{5, 8};
constexpr std::array numbers_of_nodes{4, 16};

std::vector<SafeRequest> requests(int num_ranks) {
  std::vector<SafeRequest> all;
  for (Collective const collective :
       {Collective::bcast,
        Collective::scatter,
        Collective::gather,
        Collective::reduce,
        Collective::allreduce,
        Collective::allgather,
        Collective::alltoall}) {
    for (std::int64_t const bytes : sizes) {
      for (Sync const sync : {Sync::nosync, Sync::allsync}) {
        all.push_back(
            {.collective = collective,
             .num_ranks = num_ranks,
             .block_bytes = bytes,
             .mode = {sync, sync}}
        );
      }
    }
  }
  return all;
}

void compare(SafeRequest const& request, LogGP const& network, int most, Sum& sum) {
  std::vector<SafeChoice> const all = every_choice(request, {});
  std::vector<SafeChoice> const first =
      Guide({.between = wrong(network)}, most).first_of(all, request);
  OneSidedMachine const machine = real(network);
  double const regret = best_of(first, request, machine) / best_of(all, request, machine);
  if (regret > sum.largest_regret) {
    sum.largest_regret = regret;
    sum.where = std::string(schedule::to_string(request.collective)) + " of " +
                std::to_string(request.block_bytes) + " bytes, " + to_string(request.mode);
  }
  sum.num_timed += first.size();
  sum.num_all += all.size();
}

Sum sum_of(int num_ranks, int most) {
  Sum sum;
  for (LogGP const& network : {ranger, node}) {
    for (SafeRequest const& request : requests(num_ranks)) {
      compare(request, network, most, sum);
    }
  }
  return sum;
}

TEST(GuidedChoices, LoseLittleForAShareOfTheTrials) {
  for (int const num_ranks : few_ranks) {
    Sum const sum = sum_of(num_ranks, Guide::usual_most);
    double const share = static_cast<double>(sum.num_timed) / static_cast<double>(sum.num_all);
    std::printf(
        "%d ranks: %.3f of the best (%s), %.0f %% of the trials\n",
        num_ranks,
        sum.largest_regret,
        sum.where.c_str(),
        100 * share
    );
    EXPECT_LE(sum.largest_regret, 1.05) << num_ranks << " ranks: " << sum.where;
    EXPECT_LE(share, 0.35) << num_ranks << " ranks";
  }
}

TEST(GuidedChoices, LoseLittleAmongManyRanks) {
  Sum sum;
  for (Collective const collective :
       {Collective::bcast, Collective::allreduce, Collective::allgather}) {
    SafeRequest const request{
        .collective = collective,
        .num_ranks = 128,
        .block_bytes = 64,
        .mode = {Sync::nosync, Sync::nosync}
    };
    compare(request, ranger, Guide::usual_most, sum);
  }
  EXPECT_LE(sum.largest_regret, 1.05) << sum.where;
  EXPECT_LE(3 * sum.num_timed, sum.num_all);
}

TEST(GuidedChoices, FindMoreTheMoreTheyTime) {
  double before = 10;
  for (int const most : {1, 4, 12}) {
    Sum const sum = sum_of(5, most);
    std::printf(
        "%d: %.3f of the best (%s), %zu of %zu\n",
        most,
        sum.largest_regret,
        sum.where.c_str(),
        sum.num_timed,
        sum.num_all
    );
    EXPECT_LE(sum.largest_regret, before) << most;
    before = sum.largest_regret;
  }
}

TEST(GuidedChoices, AreAmongTheCandidates) {
  for (SafeRequest request : requests(7)) {
    request.addresses = schedule::AddressMode::local;
    std::vector<SafeChoice> const all = every_choice(request, {});
    std::vector<SafeChoice> const first = Guide({.between = ranger}).first_of(all, request);
    EXPECT_FALSE(first.empty());
    for (SafeChoice const& one : first) {
      EXPECT_NE(std::ranges::find(all, one), all.end()) << one.choice.text();
      EXPECT_EQ(std::ranges::count(first, one), 1) << one.choice.text();
    }
  }
}

TEST(GuidedChoices, AreAllIfTheyAreFew) {
  SafeRequest const request{.collective = Collective::barrier, .num_ranks = 3};
  std::vector<SafeChoice> const all = every_choice(request, {});
  ASSERT_LE(all.size(), static_cast<std::size_t>(Guide::usual_most));
  EXPECT_EQ(Guide({.between = ranger}).first_of(all, request), all);
}

TEST(GuidedChoices, AreAllOfManyRanks) {
  SafeRequest const request{
      .collective = Collective::bcast, .num_ranks = Guide::most_ranks + 1, .block_bytes = 8
  };
  std::vector<SafeChoice> const all = every_choice(request, {});
  EXPECT_EQ(Guide({.between = ranger}).first_of(all, request), all);
}

/// Nodes of four members each; ranks of a node follow each other, or were dealt to nodes in turn.
std::vector<int> nodes_of(int num_nodes, bool is_dealt) {
  std::vector<int> nodes;
  for (int rank = 0; rank < 4 * num_nodes; ++rank) {
    nodes.push_back(is_dealt ? rank % num_nodes : rank / 4);
  }
  return nodes;
}

/// What is best among the first of those that know the nodes, and among those that do not.
struct Gain {
  double with_nodes = 0;
  double without = 0;
  std::string name;
};

Gain gain_of(SafeRequest const& request, std::vector<int> const& nodes) {
  OneSidedMachine machine = real(ranger);
  machine.within = node;
  machine.node_of_rank = nodes;
  std::vector<SafeChoice> const without =
      Guide({.between = wrong(ranger)}).first_of(every_choice(request, {}), request);
  TeamNetwork const network{.between = wrong(ranger), .within = wrong(node), .node_of_rank = nodes};
  std::vector<SafeChoice> const with_nodes =
      Guide(network).first_of(every_choice(request, {}, nodes), request);
  Gain gain{.without = best_of(without, request, machine)};
  for (SafeChoice const& one : with_nodes) {
    double const time = time_of(one, request, machine);
    if (gain.name.empty() || time < gain.with_nodes) {
      gain.with_nodes = time;
      gain.name = one.choice.text() + " " + std::string(to_string(one.mechanism));
    }
  }
  return gain;
}

/// Loose collectives of small blocks among members of nodes that follow each other or were dealt in
/// turn. Of large blocks what goes between nodes is the same in all good schedules.
TEST(GuidedChoices, TakeRepresentativesOfNodesWhereTheyPay) {
  for (int const num_nodes : numbers_of_nodes) {
    for (bool const is_dealt : {false, true}) {
      for (Collective const collective :
           {Collective::bcast, Collective::allreduce, Collective::allgather, Collective::alltoall
           }) {
        SafeRequest const request{
            .collective = collective,
            .num_ranks = 4 * num_nodes,
            .block_bytes = 8,
            .mode = {Sync::nosync, Sync::nosync}
        };
        Gain const gain = gain_of(request, nodes_of(num_nodes, is_dealt));
        std::printf(
            "%2d x 4%s: %4.1f us, without nodes %4.1f us: %s\n",
            num_nodes,
            is_dealt ? ", dealt" : "",
            gain.with_nodes / us,
            gain.without / us,
            gain.name.c_str()
        );
        EXPECT_LE(gain.with_nodes, gain.without * 1.001) << gain.name;
        if (collective != Collective::bcast) {
          EXPECT_LE(gain.with_nodes, gain.without / 1.1) << gain.name;
          EXPECT_NE(gain.name.find("hierarchical[rows="), std::string::npos) << gain.name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace espalier::capi
