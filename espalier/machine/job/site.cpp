// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/job/site.hpp"

#include <cstddef>
#include <map>

#include "espalier/base/error.hpp"

namespace espalier::machine {
namespace {

/// The first tree that a rank of the node knows.
NodeTree tree_of(JobView const& job, std::vector<int> const& ranks) {
  for (int const rank : ranks) {
    std::string const& key = job.ranks[static_cast<std::size_t>(rank)].tree;
    if (key.empty() || job.is_simulated) {
      continue;
    }
    auto const found = job.trees.find(key);
    if (found == job.trees.end()) {
      throw Error(
          ErrorCode::argument,
          "expected the tree '" + key + "' of rank " + std::to_string(rank) +
              " among those of the job, found none"
      );
    }
    check(found->second);
    return found->second;
  }
  NodeTree tree = NodeTree::of_cores(static_cast<int>(ranks.size()));
  tree.source = job.is_simulated ? "simulated" : "count";
  return tree;
}

}  // namespace

std::vector<Site> sites_of(JobView const& job) {
  if (job.ranks.empty()) {
    throw Error(ErrorCode::argument, "expected a job with at least one rank, got none");
  }
  std::map<int, std::vector<int>> ranks_of_group;
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    ranks_of_group[job.ranks[rank].shared_group].push_back(static_cast<int>(rank));
  }
  std::vector<Site> sites;
  for (auto const& [group, ranks] : ranks_of_group) {
    if (ranks.front() != group) {
      throw Error(
          ErrorCode::argument,
          "expected groups that share memory to be named after their lowest rank, got " +
              std::to_string(group) + " for rank " + std::to_string(ranks.front())
      );
    }
    std::string name = job.ranks[static_cast<std::size_t>(group)].processor_name;
    name = name.empty() ? "node" + std::to_string(sites.size()) : name;
    sites.push_back({std::move(name), ranks, tree_of(job, ranks)});
  }
  return sites;
}

}  // namespace espalier::machine
