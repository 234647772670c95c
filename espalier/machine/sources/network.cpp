// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/network.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

#include "espalier/base/error.hpp"
#include "espalier/machine/tree/level_names.hpp"

namespace espalier::machine {
namespace {

/// The switches down to a depth, or the node itself where it hangs higher up.
std::string object_at(NodePath const& node, std::size_t depth) {
  std::string path;
  for (std::size_t i = 0; i < std::min(depth + 1, node.second.size()); ++i) {
    path += node.second[i] + "/";
  }
  return depth < node.second.size() ? path : path + node.first;
}

std::size_t num_objects(NetworkLevel const& level) {
  std::set<std::string> objects;
  for (auto const& [node, object] : level.object_of_node) {
    objects.insert(object);
  }
  return objects.size();
}

}  // namespace

Network network_of(std::vector<NodePath> const& nodes) {
  Network network;
  std::size_t num_levels = 0;
  for (auto const& [name, switches] : nodes) {
    network.nodes.push_back(name);
    num_levels = std::max(num_levels, switches.size());
  }
  for (std::size_t depth = 0; depth < num_levels; ++depth) {
    NetworkLevel level{.name = "", .object_of_node = {}};
    for (NodePath const& node : nodes) {
      level.object_of_node.emplace(node.first, object_at(node, depth));
    }
    if (num_objects(level) > 1) {
      network.levels.push_back(std::move(level));
    }
  }
  auto const num_kept = static_cast<int>(network.levels.size());
  for (int number = 0; number < num_kept; ++number) {
    network.levels[static_cast<std::size_t>(number)].name = switch_name(number + 1, num_kept);
  }
  return network;
}

std::vector<Division>
divisions_of(Network const& network, std::vector<std::string> const& node_of_unit) {
  std::vector<Division> divisions;
  for (NetworkLevel const& level : network.levels) {
    std::map<std::string, int> number_of;
    Division division{.name = level.name, .label_of_unit = {}};
    for (std::string const& node : node_of_unit) {
      auto const object = level.object_of_node.find(node);
      if (object == level.object_of_node.end()) {
        throw Error(
            ErrorCode::argument,
            "expected a network that has node '" + node + "', got one of " +
                std::to_string(network.nodes.size()) + " others"
        );
      }
      auto const next = static_cast<int>(number_of.size());
      division.label_of_unit.push_back(number_of.try_emplace(object->second, next).first->second);
    }
    divisions.push_back(std::move(division));
  }
  return divisions;
}

}  // namespace espalier::machine
