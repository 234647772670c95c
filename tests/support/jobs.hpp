// SPDX-License-Identifier: Apache-2.0

/// @file
/// Jobs on clusters that are not at hand, as their ranks would see them.

#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "espalier/machine/job/job_view.hpp"

namespace espalier::test {

/// Packages of cores with threads; processors are numbered as Linux does: the first threads of all
/// cores, then the second ones. An L3 cache for each two cores.
inline machine::NodeTree node_tree(int num_packages, int cores_per_package, int num_threads = 1) {
  machine::NodeTree tree{.source = "hwloc", .processors = {}};
  int const num_cores = num_packages * cores_per_package;
  for (int core = 0; core < num_cores; ++core) {
    for (int thread = 0; thread < num_threads; ++thread) {
      tree.processors.push_back(
          {.os_number = core + thread * num_cores,
           .package = core / cores_per_package,
           .numa = core / cores_per_package,
           .l3 = core / 2,
           .core = core}
      );
    }
  }
  return tree;
}

/// Ranks on nodes called n0, n1, ... that are all alike, each with these processors.
inline machine::JobView job_on(
    machine::NodeTree const& tree,
    std::vector<int> const& node_of_rank,
    std::vector<std::string> const& allowed_of_rank
) {
  machine::JobView job{.ranks = {}, .trees = {{"tree", tree}}};
  std::vector<int> first_rank;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    auto const node = static_cast<std::size_t>(node_of_rank[rank]);
    first_rank.resize(std::max(first_rank.size(), node + 1), -1);
    bool const is_leader = first_rank[node] < 0;
    if (is_leader) {
      first_rank[node] = static_cast<int>(rank);
    }
    job.ranks.push_back(
        {.processor_name = "n" + std::to_string(node),
         .shared_group = first_rank[node],
         .allowed = machine::CpuSet::parse(allowed_of_rank[rank]),
         .tree = is_leader ? "tree" : ""}
    );
  }
  return job;
}

}  // namespace espalier::test
