// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_exchange.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "espalier/capi/onesided/team_planner.hpp"

namespace espalier::capi {
namespace {

TeamPlanner planner_of(espalier_team const& team) {
  TeamCall const call{
      .collective = schedule::Collective::allreduce,
      .count = TeamExchange::num_words,
      .datatype = MPI_INT64_T,
      .op = MPI_MAX,
  };
  TeamOptions const options{
      .mode = {.in = schedule::Sync::mysync, .out = schedule::Sync::mysync},
      .addresses = schedule::AddressMode::local,
  };
  return {team.team, call, check(call, team.team.num_ranks()), options};
}

}  // namespace

TeamExchange::TeamExchange(espalier_team& team)
    : team_(&team), largest_(planner_of(team).plan(TeamMemory()).collective) {}

void TeamExchange::take_largest(Words words) {
  std::array<std::int64_t, num_words> own{};
  std::ranges::copy(words, own.begin());
  onesided::UserBuffers buffers;
  buffers.input = reinterpret_cast<std::byte const*>(own.data());
  buffers.output = reinterpret_cast<std::byte*>(words.data());
  onesided::Ticket ticket = team_->team.start(largest_, buffers, {});
  team_->conduit->wait([&] { return team_->team.test(ticket); });
}

}  // namespace espalier::capi
