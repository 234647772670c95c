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

#include "espalier/base/error.hpp"
#include "espalier/capi/onesided/team_planner.hpp"
#include "espalier/plan/clock.hpp"

namespace espalier::capi {
namespace {

using onesided::PlannedCollective;
using plan::Clock;

constexpr int few_bytes = 8;
constexpr int many_bytes = 4096;
/// The first one warms up.
constexpr int num_runs = 4;

using Planned = std::shared_ptr<PlannedCollective const>;

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
  return TeamPlanner(team.team, call, elements, options).plan(TeamMemory()).collective;
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

/// What follows from the times of the three; none of them is negative, whatever disturbed them.
cost::LogGP parameters(int num_hops, double chain, double long_chain, double flat) {
  double const hop = chain / num_hops;
  double const per_byte = (long_chain - chain) / num_hops / (many_bytes - few_bytes);
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

}  // namespace

std::optional<cost::LogGP> measured_network(espalier_team& team, TeamExchange& exchange) {
  int const num_hops = team.team.num_ranks() - 1;
  if (num_hops == 0) {
    return std::nullopt;
  }
  std::array<Planned, 3> planned;
  try {
    planned = {
        broadcast(team, few_bytes, "bcast/chain"),
        broadcast(team, many_bytes, "bcast/chain"),
        broadcast(team, few_bytes, "bcast/flat"),
    };
  } catch (Error const& error) {
    if (error.code() != ErrorCode::no_memory) {
      throw;
    }
    return std::nullopt;
  }
  Stopwatch watch(team, exchange);
  double const chain = watch.time(planned[0]);
  double const long_chain = watch.time(planned[1]);
  return parameters(num_hops, chain, long_chain, watch.time(planned[2]));
}

}  // namespace espalier::capi
