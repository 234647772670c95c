// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/counted.hpp"
#include "espalier/machine/job/discovery.hpp"
#include "espalier/machine/text/phrases.hpp"

namespace espalier::machine {
namespace {

/// How many objects of a level each node has.
std::vector<int> per_node(Machine const& machine, int level) {
  int const nodes = machine.node_level();
  std::vector<std::set<int>> objects(static_cast<std::size_t>(machine.num_objects(nodes)));
  for (int core = 0; core < machine.num_cores(); ++core) {
    auto const node = static_cast<std::size_t>(machine.object_of(nodes, core));
    objects[node].insert(machine.object_of(level, core));
  }
  std::vector<int> counts;
  for (std::set<int> const& of_node : objects) {
    counts.push_back(static_cast<int>(of_node.size()));
  }
  return counts;
}

std::optional<int> level_called(Machine const& machine, std::string_view name) {
  for (int level = 0; level < machine.num_levels(); ++level) {
    if (machine.name(level) == name) {
      return level;
    }
  }
  return std::nullopt;
}

/// Two machines, and which node of the one is which of the other.
class Comparison {
public:
  Comparison(
      Machine const& described, std::span<std::string const> names, Discovery const& discovery
  )
      : described_(described), found_(discovery) {
    for (std::size_t node = 0; node < names.size(); ++node) {
      number_of_.try_emplace(names[node], node);
    }
  }

  std::vector<std::string> run() {
    compare_nodes();
    if (contradictions_.empty()) {
      compare_ranks();
      for (int level = found_.machine.node_level() + 1; level < found_.machine.num_levels();
           ++level) {
        compare_level(found_.machine.name(level), level);
      }
    }
    return contradictions_;
  }

private:
  void compare_nodes() {
    int const num_described = described_.num_objects(described_.node_level());
    auto const num_found = static_cast<int>(found_.node_names.size());
    if (num_found > num_described) {
      contradictions_.push_back(
          "the machine has " + counted(num_described, "node") + ", the job runs on " +
          std::to_string(num_found)
      );
    }
    std::vector<std::string> unknown;
    for (std::string const& name : found_.node_names) {
      if (!number_of_.empty() && !number_of_.contains(name)) {
        unknown.push_back(name);
      }
    }
    if (!unknown.empty()) {
      contradictions_.push_back(
          "the job runs on " + nodes_text(unknown) + ", which the machine does not have"
      );
    }
  }

  /// Counts of the described nodes that one of the job may be.
  std::set<int> candidates(std::vector<int> const& described, std::size_t node) const {
    auto const known = number_of_.find(found_.node_names[node]);
    if (known != number_of_.end() && known->second < described.size()) {
      return {described[known->second]};
    }
    return {described.begin(), described.end()};
  }

  void compare_ranks() {
    int const nodes = found_.machine.node_level();
    std::vector<int> const described = per_node(described_, described_.num_levels() - 1);
    std::vector<int> num_ranks(found_.node_names.size());
    for (int const core : found_.core_of_rank) {
      ++num_ranks[static_cast<std::size_t>(found_.machine.object_of(nodes, core))];
    }
    for (std::size_t node = 0; node < num_ranks.size(); ++node) {
      int const most = *candidates(described, node).rbegin();
      if (num_ranks[node] > most) {
        contradictions_.push_back(
            "node " + found_.node_names[node] + " has " + counted(most, "core") +
            " in the machine, " + counted(num_ranks[node], "rank") + " of the job run there"
        );
        return;
      }
    }
  }

  /// Of nodes that contradict in the same level, the first.
  void compare_level(std::string const& name, int level) {
    auto const other = level_called(described_, name);
    bool const is_known = other && name != "thread";
    if (!is_known || (name == "core" && !is_hardware())) {
      return;
    }
    std::vector<int> const described = per_node(described_, *other);
    std::vector<int> const found = per_node(found_.machine, level);
    for (std::size_t node = 0; node < found.size(); ++node) {
      std::set<int> const allowed = candidates(described, node);
      if (!allowed.contains(found[node])) {
        contradictions_.push_back(
            "level " + name + ": node " + found_.node_names[node] + " has " +
            std::to_string(*allowed.rbegin()) + " in the machine, " + std::to_string(found[node]) +
            " in the running job"
        );
        return;
      }
    }
  }

  /// Whether cores are what hardware says, and not made up for ranks.
  bool is_hardware() const {
    return std::ranges::none_of(found_.findings, [](Finding const& finding) {
      return finding.kind == "unknown_cores" || finding.kind == "simulated" ||
             finding.kind == "disallowed";
    });
  }

  Machine const& described_;
  Discovery const& found_;
  std::map<std::string, std::size_t, std::less<>> number_of_;
  std::vector<std::string> contradictions_;
};

}  // namespace

std::vector<std::string> compare(
    Machine const& described, std::span<std::string const> node_names, Discovery const& discovery
) {
  return Comparison(described, node_names, discovery).run();
}

}  // namespace espalier::machine
