// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/tree/placement.hpp"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <system_error>

#include "espalier/machine/tree/dealing.hpp"
#include "espalier/machine/tree/refuse.hpp"

namespace espalier::machine {
namespace {

constexpr std::string_view list_prefix = "list:";

int parse_core(std::string_view text, Machine const& machine) {
  int core = -1;
  char const* const last = text.data() + text.size();
  auto const [end, error] = std::from_chars(text.data(), last, core);
  if (error != std::errc() || end != last || core < 0 || core >= machine.num_cores()) {
    refuse("cores 0 .. " + std::to_string(machine.num_cores() - 1) + " in a placement", text);
  }
  return core;
}

std::vector<int> parse_list(Machine const& machine, std::string_view list) {
  std::vector<int> cores;
  std::vector<bool> is_taken(static_cast<std::size_t>(machine.num_cores()));
  bool is_last = false;
  while (!is_last) {
    std::size_t const comma = list.find(',');
    is_last = comma == std::string_view::npos;
    cores.push_back(parse_core(list.substr(0, comma), machine));
    auto const core = static_cast<std::size_t>(cores.back());
    if (is_taken[core]) {
      refuse("each core once in a placement", list.substr(0, comma));
    }
    is_taken[core] = true;
    list.remove_prefix(is_last ? list.size() : comma + 1);
  }
  return cores;
}

/// All cores in the order in which a rule deals them.
std::vector<int> deal(Machine const& machine, Dealing const& dealing) {
  int const level = machine.node_level();
  auto const num_nodes = static_cast<std::size_t>(machine.num_objects(level));
  std::vector<int> cores_of_node(num_nodes);
  std::vector<int> next(num_nodes);  // core of each node
  for (int core = machine.num_cores() - 1; core >= 0; --core) {
    auto const node = static_cast<std::size_t>(machine.object_of(level, core));
    ++cores_of_node[node];
    next[node] = core;
  }
  std::vector<int> cores = dealing.nodes(cores_of_node);
  for (int& entry : cores) {
    entry = next[static_cast<std::size_t>(entry)]++;
  }
  return cores;
}

std::vector<int> all_cores(Machine const& machine, std::string_view placement) {
  if (placement.starts_with(list_prefix)) {
    return parse_list(machine, placement.substr(list_prefix.size()));
  }
  std::optional<Dealing> const dealing = Dealing::parse(placement);
  if (!dealing) {
    refuse(
        "a placement (block, cyclic, cyclic:n with n >= 1, folded, or list:0,4,1 of cores)",
        placement
    );
  }
  return deal(machine, *dealing);
}

}  // namespace

std::vector<int> place(Machine const& machine, std::string_view placement, int num_ranks) {
  if (num_ranks > machine.num_cores()) {
    throw Error(
        ErrorCode::argument,
        "expected a machine with a core for each of " + std::to_string(num_ranks) +
            " ranks, got one with " + std::to_string(machine.num_cores())
    );
  }
  std::vector<int> cores = all_cores(machine, placement);
  auto const num = static_cast<std::size_t>(num_ranks);
  if (cores.size() < num) {
    refuse(
        "a placement with a core for each of " + std::to_string(num_ranks) + " ranks",
        std::to_string(cores.size()) + " cores"
    );
  }
  cores.resize(num);
  return cores;
}

}  // namespace espalier::machine
