// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/topology_conf.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/machine/sources/conf_lines.hpp"
#include "espalier/machine/sources/host_list.hpp"
#include "espalier/machine/tree/numbers.hpp"

namespace espalier::machine {
namespace {

/// A switch or a block.
struct Object {
  std::string name;
  int line = 0;
  std::vector<std::string> nodes;
  std::vector<std::string> below{};
  int above = -1;
};

class Reader {
public:
  explicit Reader(std::string_view origin) : origin_(origin) {}

  Network read(std::string_view text) {
    for (ConfLine const& line : conf_lines(text, origin_)) {
      take(line);
    }
    link_switches();
    std::vector<NodePath> const paths = block_sizes_.empty() ? tree_paths() : block_paths();
    Network network = network_of(paths);
    network.hint = hint_;
    return network;
  }

private:
  [[noreturn]] void fail(int line, std::string const& text) const { fail_at(origin_, line, text); }

  std::vector<std::string> hosts(ConfLine const& line, std::string const& key) const {
    auto const value = line.values.find(key);
    try {
      return value == line.values.end() ? std::vector<std::string>{} : expand_hosts(value->second);
    } catch (Error const& error) {
      fail(line.number, error.what());
    }
  }

  void take(ConfLine const& line) {
    bool const is_switch = line.values.contains("switchname");
    bool const is_block = line.values.contains("blockname");
    if (is_switch || is_block) {
      take_object(line, is_switch ? "switchname" : "blockname");
    } else if (line.values.contains("blocksizes")) {
      take_sizes(line);
    } else if (line.values.contains("topologyplugin") || line.values.contains("topologyparam")) {
      take_hint(line);
    } else {
      fail(
          line.number,
          "expected SwitchName=, BlockName= or BlockSizes=, got '" + line.values.begin()->first +
              "='"
      );
    }
  }

  void take_object(ConfLine const& line, std::string const& kind) {
    kind_ = kind_.empty() ? kind : kind_;
    if (kind != kind_) {
      fail(line.number, "expected switches or blocks, got both in one file");
    }
    Object object{line.values.at(kind), line.number, hosts(line, "nodes"), hosts(line, "switches")};
    auto const [known, is_new] = number_of_.try_emplace(object.name, objects_.size());
    if (!is_new) {
      fail(line.number, "'" + object.name + "' is already in line " + line_of(known->second));
    }
    if (object.nodes.empty() && object.below.empty()) {
      fail(line.number, "expected Nodes= or Switches= of '" + object.name + "', got neither");
    }
    for (std::string const& node : object.nodes) {
      take_node(node, line.number);
    }
    objects_.push_back(std::move(object));
  }

  /// To be called before the object of the node is added.
  void take_node(std::string const& node, int line) {
    auto const [known, is_new] = object_of_node_.try_emplace(node, objects_.size());
    if (is_new) {
      nodes_.push_back(node);
    } else if (known->second == objects_.size()) {
      fail(line, "expected each node once, got '" + node + "' twice");
    } else {
      fail(
          line,
          "node '" + node + "' is already in '" + objects_[known->second].name + "', line " +
              line_of(known->second)
      );
    }
  }

  void take_sizes(ConfLine const& line) {
    std::istringstream sizes(line.values.at("blocksizes"));
    for (std::string size; std::getline(sizes, size, ',');) {
      int const number = natural(size).value_or(0);
      int const first = block_sizes_.empty() ? number : block_sizes_.front();
      int const last = block_sizes_.empty() ? 0 : block_sizes_.back();
      if (number <= last || number % first != 0) {
        fail(
            line.number, "expected rising multiples of the first in BlockSizes=, got '" + size + "'"
        );
      }
      block_sizes_.push_back(number);
    }
  }

  void take_hint(ConfLine const& line) {
    for (auto const& [key, value] : line.values) {
      for (char const* const shape : {"dragonfly", "torus"}) {
        if (lower(value).find(shape) != std::string::npos) {
          hint_ = shape;
        }
      }
    }
  }

  std::string line_of(std::size_t object) const { return std::to_string(objects_[object].line); }

  void link_switches() {
    for (std::size_t upper = 0; upper < objects_.size(); ++upper) {
      for (std::string const& name : objects_[upper].below) {
        link(upper, name);
      }
    }
    for (std::size_t object = 0; object < objects_.size(); ++object) {
      check_not_above_itself(object);
    }
  }

  void link(std::size_t upper, std::string const& name) {
    int const line = objects_[upper].line;
    auto const lower_one = number_of_.find(name);
    if (lower_one == number_of_.end()) {
      fail(line, "switch '" + name + "' is not in the file");
    }
    int& above = objects_[lower_one->second].above;
    if (above >= 0) {
      auto const other = static_cast<std::size_t>(above);
      fail(
          line,
          "switch '" + name + "' is already below '" + objects_[other].name + "', line " +
              line_of(other)
      );
    }
    above = static_cast<int>(upper);
  }

  void check_not_above_itself(std::size_t object) const {
    int above = objects_[object].above;
    for (std::size_t steps = 0; above >= 0 && steps < objects_.size(); ++steps) {
      if (above == static_cast<int>(object)) {
        fail(objects_[object].line, "switch '" + objects_[object].name + "' is above itself");
      }
      above = objects_[static_cast<std::size_t>(above)].above;
    }
  }

  /// Levels between the nodes and a switch, itself included: 1 if only nodes are below it.
  std::vector<int> heights() const {
    std::vector<int> heights(objects_.size(), 1);
    for (std::size_t object = 0; object < objects_.size(); ++object) {
      int height = 1;
      for (int above = objects_[object].above; above >= 0;
           above = objects_[static_cast<std::size_t>(above)].above) {
        int& upper = heights[static_cast<std::size_t>(above)];
        upper = std::max(upper, ++height);
      }
    }
    return heights;
  }

  std::vector<NodePath> tree_paths() const {
    std::vector<int> const height_of = heights();
    int const highest = objects_.empty() ? 0 : *std::ranges::max_element(height_of);
    std::vector<NodePath> paths;
    for (std::string const& node : nodes_) {
      NodePath path{node, {}};
      auto object = static_cast<int>(object_of_node_.at(node));
      for (int height = 1; height <= highest; ++height) {
        object = highest_up_to(height, object, height_of);
        bool const is_above = height_of[static_cast<std::size_t>(object)] <= height;
        path.second.insert(
            path.second.begin(),
            is_above ? objects_[static_cast<std::size_t>(object)].name : "node " + node
        );
      }
      paths.push_back(std::move(path));
    }
    return paths;
  }

  int highest_up_to(int height, int object, std::vector<int> const& height_of) const {
    while (true) {
      int const above = objects_[static_cast<std::size_t>(object)].above;
      if (above < 0 || height_of[static_cast<std::size_t>(above)] > height) {
        return object;
      }
      object = above;
    }
  }

  std::vector<NodePath> block_paths() const {
    std::vector<NodePath> paths;
    for (std::string const& node : nodes_) {
      NodePath path{node, {}};
      std::size_t const block = object_of_node_.at(node);
      for (int const size : block_sizes_) {
        auto const ratio = static_cast<std::size_t>(size / block_sizes_.front());
        path.second.insert(path.second.begin(), objects_[block / ratio * ratio].name);
      }
      paths.push_back(std::move(path));
    }
    return paths;
  }

  std::string origin_;
  std::string kind_;  ///< key of the lines: switchname or blockname
  std::string hint_;
  std::vector<Object> objects_;
  std::map<std::string, std::size_t> number_of_;
  std::vector<std::string> nodes_;
  std::map<std::string, std::size_t> object_of_node_;
  std::vector<int> block_sizes_;
};

}  // namespace

Network read_topology_conf(std::string_view text, std::string_view origin) {
  return Reader(origin).read(text);
}

}  // namespace espalier::machine
