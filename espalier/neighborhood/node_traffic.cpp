// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/node_traffic.hpp"

#include <algorithm>
#include <functional>
#include <span>

namespace espalier::neighborhood {
namespace {

void sort_targets(std::map<int, Parcels>& traffic) {
  for (auto& [node, parcels] : traffic) {
    for (auto& [source, targets] : parcels) {
      std::ranges::sort(targets);
    }
  }
}

Source source_of(Request const& request, int sender, int k) {
  bool const is_alltoall = request.collective == Collective::neighbor_alltoall;
  return {.sender = sender, .k = is_alltoall ? k : 0};
}

}  // namespace

NodeTraffic::NodeTraffic(Request const& request)
    : request_(request), nodes_(request.node_of_rank) {}

std::map<int, Parcels> NodeTraffic::leaving(int node) const {
  std::map<int, Parcels> traffic;
  for (int const rank : nodes_.ranks(node)) {
    int k = 0;
    for (End const& to : request_.neighborhood.out_edges(rank)) {
      if (!to.is_absent()) {
        traffic[nodes_.node_of(to.peer)][source_of(request_, rank, k)].push_back(
            {.rank = to.peer, .j = to.index}
        );
      }
      ++k;
    }
  }
  sort_targets(traffic);
  return traffic;
}

std::map<int, Parcels> NodeTraffic::entering(int node) const {
  std::map<int, Parcels> traffic;
  for (int const rank : nodes_.ranks(node)) {
    int j = 0;
    for (End const& from : request_.neighborhood.in_edges(rank)) {
      if (!from.is_absent()) {
        Source const source = source_of(request_, from.peer, from.index);
        traffic[nodes_.node_of(from.peer)][source].push_back({.rank = rank, .j = j});
      }
      ++j;
    }
  }
  sort_targets(traffic);
  return traffic;
}

std::vector<int> NodeTraffic::others(int node, Edges edges) const {
  std::map<int, int> num_edges;
  for (int const rank : nodes_.ranks(node)) {
    for (End const& end : (request_.neighborhood.*edges)(rank)) {
      if (!end.is_absent()) {
        ++num_edges[nodes_.node_of(end.peer)];
      }
    }
  }
  num_edges.erase(node);
  std::vector<int> result;
  result.reserve(num_edges.size());
  for (auto const& [other, num] : num_edges) {
    result.push_back(other);
  }
  std::ranges::stable_sort(result, std::ranges::greater{}, [&](int other) {
    return num_edges[other];
  });
  return result;
}

std::map<int, int> NodeTraffic::senders(int node) const {
  std::span<int const> const ranks = nodes_.ranks(node);
  std::map<int, int> result;
  for (int const other : others(node, &Neighborhood::out_edges)) {
    result[other] = ranks[ranks.size() - 1 - result.size() % ranks.size()];
  }
  return result;
}

std::map<int, int> NodeTraffic::receivers(int node) const {
  std::span<int const> const ranks = nodes_.ranks(node);
  std::map<int, int> result;
  for (int const other : others(node, &Neighborhood::in_edges)) {
    result[other] = ranks[result.size() % ranks.size()];
  }
  return result;
}

}  // namespace espalier::neighborhood
