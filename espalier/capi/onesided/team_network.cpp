// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_network.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/base/error.hpp"
#include "espalier/capi/onesided/choices/member_nodes.hpp"
#include "espalier/capi/onesided/team_planner.hpp"
#include "espalier/plan/clock.hpp"

namespace espalier::capi {
namespace {

using onesided::TeamCollective;
using plan::Clock;

constexpr int few_bytes = 8;
constexpr int many_bytes = 4096;
/// The first one warms up.
constexpr int num_runs = 4;

using Planned = std::shared_ptr<TeamCollective const>;

/// Nobody waits for anybody but for data, and buffers lie anywhere.
Planned broadcast(espalier_team const& team, int num_bytes, std::string algorithm) {
  TeamCall const call{
      .collective = schedule::Collective::bcast, .count = num_bytes, .datatype = MPI_BYTE
  };
  TeamOptions const options{
      .mode = {.in = schedule::Sync::nosync, .out = schedule::Sync::nosync},
      .addresses = schedule::AddressMode::local,
      .algorithm = std::move(algorithm),
      .mechanism = schedule::Mechanism::eager,
  };
  TeamElements const elements = check(call, team.team.num_ranks());
  return TeamPlanner(team, call, elements, options).plan(TeamMemory()).collective;
}

class Stopwatch {
public:
  Stopwatch(espalier_team& team, TeamExchange& exchange) : team_(&team), exchange_(&exchange) {}

  /// Seconds of the fastest run, on the member where it takes longest. All begin it together, as
  /// they leave an exchange.
  [[nodiscard]] double time(Planned const& planned) {
    std::int64_t fastest = std::numeric_limits<std::int64_t>::max();
    for (int run = 0; run < num_runs; ++run) {
      Clock::time_point const begin = Clock::now();
      run_once(planned);
      auto const own = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin);
      std::array<std::int64_t, TeamExchange::num_words> words{own.count()};
      exchange_->take_largest(words);
      fastest = run == 0 ? fastest : std::min(fastest, words[0]);
    }
    return static_cast<double>(fastest) * 1e-9;
  }

private:
  void run_once(Planned const& planned) {
    onesided::UserBuffers buffers;
    buffers.output = buffer_.data();
    onesided::Ticket ticket = team_->team.start(planned, buffers, {});
    team_->conduit->wait([&] { return team_->team.test(ticket); });
  }

  espalier_team* team_;
  TeamExchange* exchange_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(many_bytes);
};

/// What is told of messages of one kind; none of it is negative, whatever disturbed it.
/// @param flat       messages of a root to `num_hops` others, one after another; the last one too
cost::LogGP parameters(int num_hops, double hop, double long_hop, double flat) {
  double const per_byte = (long_hop - hop) / (many_bytes - few_bytes);
  double const gap = num_hops > 1 ? (flat - hop) / (num_hops - 1) : hop / 2;
  constexpr double least_share = 0.05;
  double const likely_gap = std::clamp(gap, least_share * hop, hop);
  return {
      .latency = hop - likely_gap,
      .overhead = 0,
      .gap = likely_gap,
      .per_byte = std::max(per_byte, 0.0),
  };
}

/// The broadcasts of one order of members.
struct Chain {
  Hops hops;
  Planned planned;
  Planned planned_long;

  Chain(espalier_team const& team, std::string const& algorithm)
      : planned(broadcast(team, few_bytes, algorithm)),
        planned_long(broadcast(team, many_bytes, algorithm)) {
    if (!team.node_of_rank.empty()) {
      hops = hops_of(algorithms::Choice::parse(algorithm), team.node_of_rank);
    }
  }
};

TeamNetwork network_of_one_kind(Stopwatch& watch, Chain const& chain, double flat, int num_hops) {
  double const hop = watch.time(chain.planned) / num_hops;
  double const long_hop = watch.time(chain.planned_long) / num_hops;
  return {.between = parameters(num_hops, hop, long_hop, flat)};
}

TeamNetwork network_of_nodes(
    Stopwatch& watch, std::array<Chain, 2> const& chains, double flat, espalier_team const& team
) {
  auto const times = [&](Planned Chain::*const planned) {
    return hop_times(
        {.hops = chains[0].hops, .time = watch.time(chains[0].*planned)},
        {.hops = chains[1].hops, .time = watch.time(chains[1].*planned)}
    );
  };
  HopTimes const hop = times(&Chain::planned);
  HopTimes const long_hop = times(&Chain::planned_long);
  Hops const of_flat = hops_of(algorithms::Choice::parse("bcast/flat"), team.node_of_rank);
  cost::LogGP const within = parameters(1, hop.within, long_hop.within, hop.within);
  double const flat_between = flat - of_flat.within * within.gap;
  return {
      .between = parameters(of_flat.between, hop.between, long_hop.between, flat_between),
      .within = within,
      .node_of_rank = team.node_of_rank,
  };
}

/// In another order than that of ranks: nodes in turn.
std::string other_chain(espalier_team const& team) {
  int const num_nodes = std::ranges::max(team.node_of_rank) + 1;
  return "bcast/chain[dealt=" + std::to_string(num_nodes) + "]";
}

TeamNetwork measured(espalier_team& team, TeamExchange& exchange) {
  Planned const flat = broadcast(team, few_bytes, "bcast/flat");
  Chain const chain(team, "bcast/chain");
  Stopwatch watch(team, exchange);
  if (!team.node_of_rank.empty()) {
    std::array<Chain, 2> const chains{chain, Chain(team, other_chain(team))};
    if (chains[0].hops != chains[1].hops) {
      return network_of_nodes(watch, chains, watch.time(flat), team);
    }
  }
  return network_of_one_kind(watch, chain, watch.time(flat), team.team.num_ranks() - 1);
}

}  // namespace

std::optional<TeamNetwork> measured_network(espalier_team& team, TeamExchange& exchange) {
  if (team.team.num_ranks() == 1) {
    return std::nullopt;
  }
  try {
    return measured(team, exchange);
  } catch (Error const& error) {
    if (error.code() != ErrorCode::no_memory) {
      throw;
    }
    return std::nullopt;
  }
}

}  // namespace espalier::capi
