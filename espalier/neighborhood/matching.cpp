// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/matching.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"

namespace espalier::neighborhood {
namespace {

/// Positions of a list that are not absent, by peer, and in their order where peers are equal.
std::vector<int> by_peer(std::vector<int> const& peers) {
  std::vector<int> positions(peers.size());
  std::iota(positions.begin(), positions.end(), 0);
  std::erase_if(positions, [&](int i) { return peers[static_cast<std::size_t>(i)] < 0; });
  std::ranges::stable_sort(positions, {}, [&](int i) {
    return peers[static_cast<std::size_t>(i)];
  });
  return positions;
}

[[noreturn]] void throw_one_sided(int from, int to) {
  throw Error(
      ErrorCode::argument,
      formatted(
          "expected rank {} to list {} as often among its destinations as rank {} lists {} among "
          "its sources; got another number of edges",
          from,
          to,
          to,
          from
      )
  );
}

/// Which edges arrive at each rank: their senders, ascending, and their numbers there.
std::vector<std::vector<End>> arrivals(std::vector<std::vector<int>> const& destinations) {
  std::vector<std::vector<End>> result(destinations.size());
  for (std::size_t from = 0; from < destinations.size(); ++from) {
    for (std::size_t k = 0; k < destinations[from].size(); ++k) {
      if (int const to = destinations[from][k]; to >= 0) {
        result[static_cast<std::size_t>(to)].push_back(
            {.peer = static_cast<int>(from), .index = static_cast<int>(k)}
        );
      }
    }
  }
  return result;
}

/// Throws unless what arrives at a rank is what it lists.
void check_arrivals(
    int to,
    std::vector<int> const& sources,
    std::vector<int> const& positions,
    std::vector<End> const& arriving
) {
  std::size_t const both = std::min(positions.size(), arriving.size());
  for (std::size_t i = 0; i < both; ++i) {
    int const listed = sources[static_cast<std::size_t>(positions[i])];
    if (listed != arriving[i].peer) {
      throw_one_sided(std::min(listed, arriving[i].peer), to);
    }
  }
  if (positions.size() > both) {
    throw_one_sided(sources[static_cast<std::size_t>(positions[both])], to);
  }
  if (arriving.size() > both) {
    throw_one_sided(arriving[both].peer, to);
  }
}

}  // namespace

MatchedEdges match_edges(
    std::vector<std::vector<int>> const& sources, std::vector<std::vector<int>> const& destinations
) {
  std::vector<std::vector<End>> const arriving = arrivals(destinations);
  MatchedEdges result;
  for (std::size_t rank = 0; rank < sources.size(); ++rank) {
    result.in.emplace_back(sources[rank].size());
    result.out.emplace_back(destinations[rank].size());
  }
  for (std::size_t to = 0; to < sources.size(); ++to) {
    std::vector<int> const positions = by_peer(sources[to]);
    check_arrivals(static_cast<int>(to), sources[to], positions, arriving[to]);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      End const sender = arriving[to][i];
      result.in[to][static_cast<std::size_t>(positions[i])] = sender;
      result.out[static_cast<std::size_t>(sender.peer)][static_cast<std::size_t>(sender.index)] = {
          .peer = static_cast<int>(to), .index = positions[i]
      };
    }
  }
  return result;
}

}  // namespace espalier::neighborhood
