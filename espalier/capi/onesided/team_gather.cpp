// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_gather.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "espalier/capi/onesided/team_planner.hpp"

namespace espalier::capi {
namespace {

/// Of each member at a time.
constexpr std::size_t num_numbers = 64;

std::shared_ptr<onesided::TeamCollective const> gather_of(espalier_team const& team) {
  TeamCall const call{
      .collective = schedule::Collective::allgather,
      .count = num_numbers,
      .datatype = MPI_INT,
  };
  TeamOptions const options{
      .mode = {.in = schedule::Sync::mysync, .out = schedule::Sync::mysync},
      .addresses = schedule::AddressMode::local,
  };
  TeamPlanner const planner(team, call, check(call, team.team.num_ranks()), options);
  return planner.plan(TeamMemory()).collective;
}

}  // namespace

std::vector<int> numbers_of_all(espalier_team& team, std::span<int const> own) {
  auto const gather = gather_of(team);
  auto const num_ranks = static_cast<std::size_t>(team.team.num_ranks());
  std::vector<int> result(num_ranks * own.size());
  std::vector<int> part(num_numbers);
  std::vector<int> parts(num_ranks * num_numbers);
  for (std::size_t begin = 0; begin < own.size(); begin += num_numbers) {
    std::size_t const size = std::min(num_numbers, own.size() - begin);
    std::ranges::copy(own.subspan(begin, size), part.begin());
    onesided::UserBuffers buffers;
    buffers.input = reinterpret_cast<std::byte const*>(part.data());
    buffers.output = reinterpret_cast<std::byte*>(parts.data());
    onesided::Ticket ticket = team.team.start(gather, buffers, {});
    team.conduit->wait([&] { return team.team.test(ticket); });
    for (std::size_t rank = 0; rank < num_ranks; ++rank) {
      std::ranges::copy(
          std::span(parts).subspan(rank * num_numbers, size),
          result.begin() + static_cast<std::ptrdiff_t>(rank * own.size() + begin)
      );
    }
  }
  return result;
}

}  // namespace espalier::capi
