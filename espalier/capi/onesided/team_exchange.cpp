// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_exchange.hpp"

#include <algorithm>
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
  return {team, call, check(call, team.team.num_ranks()), options};
}

}  // namespace

TeamExchange::TeamExchange(espalier_team& team)
    : team_(&team), largest_(planner_of(team).plan(TeamMemory()).collective) {}

void TeamExchange::take_largest(Words words) {
  Numbers own{};
  std::ranges::copy(words, own.begin());
  start(own);
  std::ranges::copy(finish(), words.begin());
}

void TeamExchange::start(Numbers const& own) {
  own_ = own;
  onesided::UserBuffers buffers;
  buffers.input = reinterpret_cast<std::byte const*>(own_.data());
  buffers.output = reinterpret_cast<std::byte*>(all_.data());
  ticket_ = team_->team.start(largest_, buffers, {});
}

TeamExchange::Numbers TeamExchange::finish() {
  team_->conduit->wait([this] { return team_->team.test(ticket_); });
  return all_;
}

}  // namespace espalier::capi
