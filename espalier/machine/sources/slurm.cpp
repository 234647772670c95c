// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/slurm.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <numeric>
#include <sstream>
#include <string_view>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/machine/sources/host_list.hpp"
#include "espalier/machine/tree/nesting.hpp"
#include "espalier/machine/tree/numbers.hpp"

namespace espalier::machine {
namespace {

/// A variable and its value.
using Variable = Environment::value_type;

/// The first of these variables that is set and not empty.
Variable const* first_of(Environment const& environment, std::initializer_list<char const*> names) {
  for (char const* const name : names) {
    auto const found = environment.find(name);
    if (found != environment.end() && !found->second.empty()) {
      return &*found;
    }
  }
  return nullptr;
}

[[noreturn]] void refuse_variable(Variable const& variable, std::string const& text) {
  throw Error(ErrorCode::format, variable.first + ": " + text);
}

std::vector<std::string> hosts_of(Variable const& variable) {
  try {
    return expand_hosts(variable.second);
  } catch (Error const& error) {
    refuse_variable(variable, error.what());
  }
}

/// A number for each node; empty without a variable.
std::vector<int> counts_of(Variable const* variable, std::size_t num_nodes) {
  if (variable == nullptr) {
    return {};
  }
  std::vector<int> counts;
  try {
    counts = expand_counts(variable->second);
  } catch (Error const& error) {
    refuse_variable(*variable, error.what());
  }
  if (counts.size() != num_nodes) {
    refuse_variable(
        *variable,
        "expected a number for each of " + std::to_string(num_nodes) + " nodes, got " +
            std::to_string(counts.size()) + " ('" + variable->second + "')"
    );
  }
  return counts;
}

/// Processors of the nodes of a step, which are some of the job's.
std::vector<int> cpus_of(Environment const& environment, std::vector<std::string> const& nodes) {
  Variable const* const list = first_of(environment, {"SLURM_JOB_NODELIST", "SLURM_NODELIST"});
  if (list == nullptr) {
    return {};
  }
  std::vector<std::string> const all = hosts_of(*list);
  std::vector<int> const cpus =
      counts_of(first_of(environment, {"SLURM_JOB_CPUS_PER_NODE"}), all.size());
  std::vector<int> result;
  for (std::string const& node : nodes) {
    auto const found = static_cast<std::size_t>(std::ranges::find(all, node) - all.begin());
    if (found >= cpus.size()) {
      return {};
    }
    result.push_back(cpus[found]);
  }
  return result;
}

std::string distribution_of(Environment const& environment) {
  Variable const* const found = first_of(environment, {"SLURM_DISTRIBUTION"});
  if (found == nullptr) {
    return {};
  }
  // What follows are distributions inside nodes, and options.
  std::string name = found->second.substr(0, found->second.find_first_of(":,"));
  Variable const* const size = first_of(environment, {"SLURM_DIST_PLANESIZE"});
  if (name == "plane" && size != nullptr) {
    name += "=" + size->second;
  }
  return name;
}

/// Tasks a node gets at a time; 0: as many as it takes; nullopt: not said. A job whose script names
/// no distribution has no variable for it, and SLURM fills one node after the other.
std::optional<int> tasks_at_a_time(std::string const& distribution) {
  if (distribution.empty() || distribution == "block") {
    return 0;
  }
  if (distribution == "cyclic") {
    return 1;
  }
  constexpr std::string_view plane = "plane=";
  if (distribution.starts_with(plane)) {
    int const size = natural(std::string_view(distribution).substr(plane.size())).value_or(0);
    return size > 0 ? std::optional(size) : std::nullopt;
  }
  return std::nullopt;
}

std::vector<std::string> parts_of(std::string const& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, '.');) {
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

std::optional<std::vector<int>> SlurmJob::node_of_task() const {
  bool const is_one_node = nodes.size() == 1;
  std::optional<int> const turn = is_one_node ? 0 : tasks_at_a_time(distribution);
  if (!turn || tasks_per_node.empty()) {
    return std::nullopt;
  }
  std::vector<int> left = tasks_per_node;
  std::vector<int> node_of;
  auto const num_tasks = static_cast<std::size_t>(std::accumulate(left.begin(), left.end(), 0));
  while (node_of.size() < num_tasks) {
    for (std::size_t node = 0; node < left.size(); ++node) {
      int const taken = *turn == 0 ? left[node] : std::min(*turn, left[node]);
      node_of.insert(node_of.end(), static_cast<std::size_t>(taken), static_cast<int>(node));
      left[node] -= taken;
    }
  }
  return node_of;
}

std::optional<SlurmJob> slurm_job(Environment const& environment) {
  Variable const* const list =
      first_of(environment, {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"});
  if (list == nullptr) {
    return std::nullopt;
  }
  bool const is_step = list->first == "SLURM_STEP_NODELIST";
  SlurmJob job{.nodes = hosts_of(*list), .distribution = distribution_of(environment)};
  Variable const* const tasks =
      is_step ? first_of(environment, {"SLURM_STEP_TASKS_PER_NODE"})
              : first_of(environment, {"SLURM_TASKS_PER_NODE", "SLURM_NTASKS_PER_NODE"});
  if (tasks != nullptr && tasks->first == "SLURM_NTASKS_PER_NODE") {
    auto const number = natural(tasks->second);
    if (!number) {
      refuse_variable(*tasks, "expected a number, got '" + tasks->second + "'");
    }
    job.tasks_per_node.assign(job.nodes.size(), *number);
  } else {
    job.tasks_per_node = counts_of(tasks, job.nodes.size());
  }
  job.cpus_per_node = cpus_of(environment, job.nodes);
  return job;
}

std::vector<std::string> switches_of_address(Environment const& environment) {
  Variable const* const address = first_of(environment, {"SLURM_TOPOLOGY_ADDR"});
  Variable const* const pattern = first_of(environment, {"SLURM_TOPOLOGY_ADDR_PATTERN"});
  if (address == nullptr || pattern == nullptr) {
    return {};
  }
  std::vector<std::string> const kinds = parts_of(pattern->second);
  std::vector<std::string> switches = parts_of(address->second);
  auto const last = std::ranges::find(kinds, "node");
  switches.resize(std::min(switches.size(), static_cast<std::size_t>(last - kinds.begin())));
  return switches;
}

NamedMachine machine_of(SlurmJob const& job, Network const& network) {
  std::vector<int> const& cores =
      job.cpus_per_node.empty() ? job.tasks_per_node : job.cpus_per_node;
  std::vector<std::string> node_of_unit;
  Division nodes{"node", {}};
  for (std::size_t node = 0; node < cores.size(); ++node) {
    auto const count = static_cast<std::size_t>(cores[node]);
    node_of_unit.insert(node_of_unit.end(), count, job.nodes[node]);
    nodes.label_of_unit.insert(nodes.label_of_unit.end(), count, static_cast<int>(node));
  }
  if (node_of_unit.empty()) {
    throw Error(
        ErrorCode::argument,
        "expected a job whose processors or tasks per node are known; set "
        "SLURM_JOB_CPUS_PER_NODE or SLURM_TASKS_PER_NODE"
    );
  }
  std::vector<Division> divisions = divisions_of(network, node_of_unit);
  divisions.push_back(std::move(nodes));
  Division units{"core", std::vector<int>(node_of_unit.size())};
  std::iota(units.label_of_unit.begin(), units.label_of_unit.end(), 0);
  divisions.push_back(std::move(units));
  Nesting nesting = nest(std::move(divisions));
  NamedMachine result{Machine(std::move(nesting.levels)), {}};
  int last = -1;
  for (int core = 0; core < result.machine.num_cores(); ++core) {
    int const node = result.machine.object_of(result.machine.node_level(), core);
    if (node != last) {
      int const unit = nesting.unit_of_core[static_cast<std::size_t>(core)];
      result.node_names.push_back(node_of_unit[static_cast<std::size_t>(unit)]);
    }
    last = node;
  }
  return result;
}

}  // namespace espalier::machine
