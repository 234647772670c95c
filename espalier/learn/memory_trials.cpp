// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/memory_trials.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "espalier/algorithms/choices/choice_arguments.hpp"
#include "espalier/candidates/memory_variants.hpp"

namespace espalier::learn {
namespace {

using algorithms::Choice;

/// Of the time of a call, that messages within nodes take.
constexpr double least_part = 0.1;

bool is_one_node(std::vector<int> const& node_of_rank) {
  return std::ranges::all_of(node_of_rank, [&](int node) { return node == node_of_rank.front(); });
}

/// The choice of a proposal with `shared_memory=1`, if that is worth a trial.
std::optional<Choice>
tried_with_memory(Proposal const& proposal, std::vector<int> const& node_of_rank) {
  if (!is_one_node(node_of_rank) && proposal.within_nodes < least_part) {
    return std::nullopt;
  }
  std::vector<Choice> found = candidates::memory_variants({proposal.choice}, node_of_rank);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

}  // namespace

std::vector<Proposal> with_shared_memory(
    std::vector<Proposal> const& proposals, std::vector<int> const& node_of_rank, bool only
) {
  std::size_t const most_doubled = proposals.size() > 1 ? 2 : 0;
  std::vector<Proposal> result;
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    std::optional<Choice> shared;
    if (only) {
      shared = algorithms::with_shared_memory(proposals[i].choice);
    } else if (i < most_doubled) {
      shared = tried_with_memory(proposals[i], node_of_rank);
    }
    bool const is_kept = !shared || !only;
    if (shared) {
      result.push_back(proposals[i]);
      result.back().choice = std::move(*shared);
    }
    if (is_kept) {
      result.push_back(proposals[i]);
    }
  }
  return result;
}

/// Ranks that share processors wait for these. Else by the rounds of an allreduce of a few bytes:
/// up to one rank of each node, among these, and down.
bool may_gain_by_memory(Place const& place) {
  std::map<int, int> per_node;
  for (int const node : place.node_of_rank) {
    ++per_node[node];
  }
  int most_per_node = 0;
  for (auto const& [node, num_ranks] : per_node) {
    most_per_node = std::max(most_per_node, num_ranks);
  }
  if (most_per_node < 2 || per_node.size() == 1) {
    return most_per_node > 1;
  }
  if (place.ranks_per_processor > 1) {
    return false;
  }
  auto const num_nodes = static_cast<double>(per_node.size());
  double const within = 2 * std::log2(most_per_node) * place.within_node.alpha();
  double const between = std::log2(num_nodes) * place.between_nodes.alpha();
  return within >= least_part * (within + between);
}

}  // namespace espalier::learn
