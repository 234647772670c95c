// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/described_machine.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/machine/text/text.hpp"
#include "espalier/machine/tree/level_names.hpp"
#include "espalier/machine/tree/nesting.hpp"

namespace espalier::plan {
namespace {

using machine::Discovery;
using machine::Division;
using machine::Machine;
using machine::MachineFile;

/// Whether objects of this name are parts of a node, whatever else there is: packages, cores.
bool is_part_of_node(std::string_view name) noexcept {
  return machine::may_lie_inside(name, "node") && !machine::may_lie_inside("node", name);
}

bool holds_nodes(std::string_view name) noexcept {
  return machine::may_lie_inside("node", name) && !machine::may_lie_inside(name, "node");
}

/// The same machine inside one node.
Machine inside_one_node(Machine const& parts) {
  std::vector<machine::Level> levels{
      {.name = "node", .of_core = std::vector<int>(static_cast<std::size_t>(parts.num_cores()))}
  };
  for (int level = 0; level < parts.num_levels(); ++level) {
    machine::Level& copy = levels.emplace_back();
    copy.name = parts.name(level);
    copy.link = parts.link(level);
    for (int core = 0; core < parts.num_cores(); ++core) {
      copy.of_core.push_back(parts.object_of(level, core));
    }
  }
  return Machine(std::move(levels));
}

/// The description with a level of nodes: "2s x 4c" is one node. Levels that the user named stay
/// as they are, then the first one is that of nodes.
/// @throws Error argument if it has switches or groups and does not say where their nodes are.
MachineFile with_nodes(MachineFile described) {
  Machine const& parts = described.machine;
  std::string const& outermost = parts.name(0);
  if (parts.name(parts.node_level()) == "node") {
    return described;
  }
  if (holds_nodes(outermost)) {
    throw Error(
        ErrorCode::argument,
        "expected a level of nodes (n) in " + machine::to_text(parts) + ", got none: a " +
            outermost + " may hold one node or several"
    );
  }
  if (is_part_of_node(outermost)) {
    described.machine = inside_one_node(parts);
  }
  return described;
}

std::vector<std::string> node_names(MachineFile const& file) {
  auto const found = file.object_names.find("node");
  return found == file.object_names.end() ? std::vector<std::string>() : found->second;
}

std::vector<std::vector<int>> cores_of_nodes(Machine const& machine) {
  int const level = machine.node_level();
  std::vector<std::vector<int>> cores(static_cast<std::size_t>(machine.num_objects(level)));
  for (int core = 0; core < machine.num_cores(); ++core) {
    cores[static_cast<std::size_t>(machine.object_of(level, core))].push_back(core);
  }
  return cores;
}

/// Whether it is known which cores ranks are on.
bool is_bound(Discovery const& found) {
  return std::ranges::none_of(found.findings, [](machine::Finding const& finding) {
    return finding.kind == "unbound" || finding.kind == "loosely_bound";
  });
}

/// Ranks of each node, in the order of their cores if these are known.
std::vector<std::vector<int>> ranks_of_nodes(Discovery const& found) {
  std::vector<int> ranks(found.core_of_rank.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  auto const core_of = [&](int rank) { return found.core_of_rank[static_cast<std::size_t>(rank)]; };
  if (is_bound(found)) {
    std::ranges::sort(ranks, {}, core_of);
  }
  int const level = found.machine.node_level();
  std::vector<std::vector<int>> of_node(found.node_names.size());
  for (int const rank : ranks) {
    of_node[static_cast<std::size_t>(found.machine.object_of(level, core_of(rank)))].push_back(rank
    );
  }
  return of_node;
}

/// The described node of each node of the job.
std::vector<std::size_t> described_nodes(Discovery const& found, MachineFile const& described) {
  std::vector<std::string> const names = node_names(described);
  std::vector<std::size_t> nodes(found.node_names.size());
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    auto const place = std::ranges::find(names, found.node_names[node]);
    nodes[node] =
        names.empty() ? node : static_cast<std::size_t>(std::distance(names.begin(), place));
  }
  std::set<std::size_t> const different(nodes.begin(), nodes.end());
  if (different.size() < nodes.size()) {
    throw Error(
        ErrorCode::argument,
        "expected a name of its own of each node of the job, got " +
            std::to_string(different.size()) + " names of " + std::to_string(nodes.size()) +
            " nodes that share no memory"
    );
  }
  return nodes;
}

/// Cores for ranks of one node: the very ones they are on where both sources see equally many.
std::vector<int> taken_cores(
    std::vector<int> const& described, std::vector<int> const& found, std::vector<int> const& own
) {
  std::vector<int> result;
  for (std::size_t i = 0; i < own.size(); ++i) {
    bool const is_same = described.size() == found.size() && std::ranges::is_sorted(own);
    result.push_back(described[is_same ? static_cast<std::size_t>(own[i] - found.front()) : i]);
  }
  return result;
}

void check_room(std::size_t num_ranks, std::size_t num_cores, std::string const& name) {
  if (num_ranks > num_cores) {
    throw Error(
        ErrorCode::argument,
        "expected at least " + std::to_string(num_ranks) + " cores on node " + name +
            ", the machine has " + std::to_string(num_cores) +
            " there: write a machine file with the names of the nodes"
    );
  }
}

/// The described core of each rank.
std::vector<int> described_cores(Discovery const& found, MachineFile const& described) {
  auto const nodes = described_nodes(found, described);
  auto const cores = cores_of_nodes(described.machine);
  auto const found_cores = cores_of_nodes(found.machine);
  auto const ranks = ranks_of_nodes(found);
  std::vector<int> result(found.core_of_rank.size());
  for (std::size_t node = 0; node < ranks.size(); ++node) {
    check_room(ranks[node].size(), cores[nodes[node]].size(), found.node_names[node]);
    std::vector<int> own;
    for (int const rank : ranks[node]) {
      own.push_back(found.core_of_rank[static_cast<std::size_t>(rank)]);
    }
    auto const taken = taken_cores(cores[nodes[node]], found_cores[node], own);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      result[static_cast<std::size_t>(ranks[node][i])] = taken[i];
    }
  }
  return result;
}

/// The objects of a level that ranks lie in.
Division division_of(Machine const& machine, int level, std::span<int const> core_of_rank) {
  Division division{machine.name(level), {}};
  for (int const core : core_of_rank) {
    division.label_of_unit.push_back(machine.object_of(level, core));
  }
  return division;
}

bool separates_all(Division const& division) {
  auto const& labels = division.label_of_unit;
  return std::unordered_set<int>(labels.begin(), labels.end()).size() == labels.size();
}

/// Adds the levels that are not there yet and hold several ranks somewhere.
void add_levels(
    Machine const& machine, std::span<int const> core_of_rank, std::vector<Division>& divisions
) {
  for (int level = 0; level < machine.num_levels(); ++level) {
    Division division = division_of(machine, level, core_of_rank);
    bool const is_known =
        std::ranges::find(divisions, division.name, &Division::name) != divisions.end();
    if (!is_known && (!separates_all(division) || level == machine.node_level())) {
      divisions.push_back(std::move(division));
    }
  }
}

Division single_ranks(std::vector<Division> const& others, std::size_t num_ranks) {
  bool const has_core = std::ranges::find(others, "core", &Division::name) != others.end();
  Division division{has_core ? "thread" : "core", std::vector<int>(num_ranks)};
  std::iota(division.label_of_unit.begin(), division.label_of_unit.end(), 0);
  return division;
}

/// Links by name; of a level that the description lacks, nothing is known, so none has one then.
void set_links(Machine const& described, Machine& machine) {
  for (int level = 0; level < machine.num_levels(); ++level) {
    for (int other = 0; other < described.num_levels(); ++other) {
      if (described.name(other) == machine.name(level)) {
        machine.set_link(level, described.link(other));
      }
    }
  }
}

std::string joined(std::vector<std::string> const& lines) {
  std::string text;
  for (std::string const& line : lines) {
    text += (text.empty() ? "" : "; ") + line;
  }
  return text;
}

}  // namespace

SeatedRanks complete(Discovery const& found, MachineFile const& text) {
  MachineFile const described = with_nodes(text);
  auto const contradictions = machine::compare(described.machine, node_names(described), found);
  if (!contradictions.empty()) {
    throw Error(ErrorCode::argument, joined(contradictions));
  }
  std::vector<Division> divisions;
  add_levels(described.machine, described_cores(found, described), divisions);
  add_levels(found.machine, found.core_of_rank, divisions);
  divisions.push_back(single_ranks(divisions, found.core_of_rank.size()));
  machine::Nesting nesting = machine::nest(std::move(divisions));
  SeatedRanks seated{
      Machine(std::move(nesting.levels)), std::vector<int>(found.core_of_rank.size())
  };
  for (std::size_t core = 0; core < nesting.unit_of_core.size(); ++core) {
    seated.core_of_rank[static_cast<std::size_t>(nesting.unit_of_core[core])] =
        static_cast<int>(core);
  }
  set_links(described.machine, seated.machine);
  return seated;
}

}  // namespace espalier::plan
