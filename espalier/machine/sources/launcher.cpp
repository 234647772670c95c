// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/launcher.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/machine/sources/host_list.hpp"
#include "espalier/machine/tree/numbers.hpp"

namespace espalier::machine {
namespace {

std::optional<int> number_of(Environment const& environment, std::string_view name) {
  auto const found = environment.find(name);
  if (found == environment.end() || found->second.empty()) {
    return std::nullopt;
  }
  auto const number = natural(found->second);
  if (!number) {
    throw Error(
        ErrorCode::format,
        std::string(name) + ": expected a number from 0, got '" + found->second + "'"
    );
  }
  return number;
}

bool has_prefix(Environment const& environment, std::string_view prefix) {
  auto const found = environment.lower_bound(prefix);
  return found != environment.end() && found->first.starts_with(prefix);
}

/// Open MPI of either version.
Launcher open_mpi(Environment const& environment) {
  return {
      .name = has_prefix(environment, "OMPI_MCA_orte_") ? "openmpi" : "prrte",
      .rank = number_of(environment, "OMPI_COMM_WORLD_RANK"),
      .num_ranks = number_of(environment, "OMPI_COMM_WORLD_SIZE"),
      .local_rank = number_of(environment, "OMPI_COMM_WORLD_LOCAL_RANK"),
      .num_local = number_of(environment, "OMPI_COMM_WORLD_LOCAL_SIZE"),
  };
}

Launcher hydra(Environment const& environment) {
  Launcher found{
      .name = "hydra",
      .rank = number_of(environment, "PMI_RANK"),
      .num_ranks = number_of(environment, "PMI_SIZE"),
      .local_rank = number_of(environment, "MPI_LOCALRANKID"),
      .num_local = number_of(environment, "MPI_LOCALNRANKS"),
  };
  auto const mapping = environment.find("PMI_process_mapping");
  if (mapping != environment.end() && found.num_ranks) {
    found.node_of_rank = expand_process_mapping(mapping->second, *found.num_ranks);
    if (found.rank && *found.rank < *found.num_ranks) {
      found.node = found.node_of_rank[static_cast<std::size_t>(*found.rank)];
    }
  }
  return found;
}

std::optional<int> slurm_tasks_of_node(Environment const& environment, int node) {
  auto const tasks = environment.find("SLURM_STEP_TASKS_PER_NODE");
  if (tasks == environment.end()) {
    return std::nullopt;
  }
  try {
    std::vector<int> const counts = expand_counts(tasks->second);
    auto const index = static_cast<std::size_t>(node);
    return index < counts.size() ? std::optional(counts[index]) : std::nullopt;
  } catch (Error const& error) {
    throw Error(ErrorCode::format, tasks->first + ": " + error.what());
  }
}

Launcher slurm(Environment const& environment) {
  Launcher found{
      .name = "slurm",
      .rank = number_of(environment, "SLURM_PROCID"),
      .num_ranks = number_of(environment, "SLURM_STEP_NUM_TASKS"),
      .local_rank = number_of(environment, "SLURM_LOCALID"),
      .node = number_of(environment, "SLURM_NODEID"),
  };
  if (!found.num_ranks) {
    found.num_ranks = number_of(environment, "SLURM_NTASKS");
  }
  if (found.node) {
    found.num_local = slurm_tasks_of_node(environment, *found.node);
  }
  return found;
}

Launcher bare_pmix(Environment const& environment) {
  return {.name = "prrte", .rank = number_of(environment, "PMIX_RANK")};
}

/// Three numbers of a mapping: first node, number of nodes, ranks on each.
struct Block {
  int first = 0;
  int num_nodes = 0;
  int num_ranks = 0;
};

[[noreturn]] void refuse_mapping(std::string_view mapping) {
  throw Error(
      ErrorCode::format,
      "PMI_process_mapping: expected blocks as in (vector,(0,2,4)), got '" + std::string(mapping) +
          "'"
  );
}

/// A block that begins at an opening bracket, and the place after it.
std::pair<Block, std::size_t> block_at(std::string_view mapping, std::size_t open) {
  std::size_t const close = mapping.find(')', open);
  std::size_t const first = mapping.find(',', open);
  std::size_t const second = mapping.find(',', first + 1);
  if (close == std::string_view::npos || first > close || second > close) {
    refuse_mapping(mapping);
  }
  auto const start = natural(mapping.substr(open + 1, first - open - 1));
  auto const num_nodes = natural(mapping.substr(first + 1, second - first - 1));
  auto const num_ranks = natural(mapping.substr(second + 1, close - second - 1));
  if (!start || num_nodes.value_or(0) < 1 || num_ranks.value_or(0) < 1) {
    refuse_mapping(mapping);
  }
  return {{*start, *num_nodes, *num_ranks}, close + 1};
}

std::vector<Block> blocks_of(std::string_view mapping) {
  constexpr std::string_view head = "(vector";
  if (!mapping.starts_with(head)) {
    refuse_mapping(mapping);
  }
  std::vector<Block> blocks;
  std::size_t place = head.size();
  while (mapping.substr(place, 2) == ",(") {
    auto const [block, end] = block_at(mapping, place + 1);
    blocks.push_back(block);
    place = end;
  }
  if (blocks.empty() || mapping.substr(place) != ")") {
    refuse_mapping(mapping);
  }
  return blocks;
}

}  // namespace

std::vector<int> expand_process_mapping(std::string_view mapping, int num_ranks) {
  std::vector<Block> const blocks = blocks_of(mapping);
  auto const size = static_cast<std::size_t>(num_ranks);
  std::vector<int> node_of;
  while (node_of.size() < size) {
    for (Block const& block : blocks) {
      for (int node = 0; node < block.num_nodes && node_of.size() < size; ++node) {
        auto const count =
            std::min(static_cast<std::size_t>(block.num_ranks), size - node_of.size());
        node_of.insert(node_of.end(), count, block.first + node);
      }
    }
  }
  return node_of;
}

Launcher launcher_of(Environment const& environment) {
  bool const is_in_step =
      environment.contains("SLURM_PROCID") && environment.contains("SLURM_STEP_ID");
  if (environment.contains("OMPI_COMM_WORLD_RANK")) {
    return open_mpi(environment);
  }
  if (environment.contains("MPI_LOCALRANKID") ||
      (environment.contains("PMI_RANK") && !is_in_step)) {
    return hydra(environment);
  }
  auto const space = environment.find("PMIX_NAMESPACE");
  bool const is_from_slurm = space != environment.end() && space->second.starts_with("slurm.");
  if (environment.contains("PMIX_RANK") && !is_from_slurm) {
    return bare_pmix(environment);
  }
  return is_in_step ? slurm(environment) : Launcher{};
}

}  // namespace espalier::machine
