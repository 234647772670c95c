// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/node_tree.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/base/field.hpp"
#include "espalier/machine/tree/nesting.hpp"

namespace espalier::machine {
namespace {

using nlohmann::json;

std::vector<int> column(NodeTree const& tree, int Processor::*member) {
  std::vector<int> labels;
  for (Processor const& processor : tree.processors) {
    labels.push_back(processor.*member);
  }
  return labels;
}

int natural_or_minus(Field const& field) {
  return static_cast<int>(field.integer(-1, std::numeric_limits<int>::max()));
}

Processor processor_from(Field const& field) {
  std::vector<Field> const numbers = field.elements();
  if (numbers.size() != 5) {
    field.fail("five numbers: processor, package, numa, l3, core");
  }
  return {
      .os_number = static_cast<int>(numbers[0].integer(0, std::numeric_limits<int>::max())),
      .package = natural_or_minus(numbers[1]),
      .numa = natural_or_minus(numbers[2]),
      .l3 = natural_or_minus(numbers[3]),
      .core = natural_or_minus(numbers[4]),
  };
}

}  // namespace

void check(NodeTree const& tree) {
  std::set<int> seen;
  for (Processor const& processor : tree.processors) {
    if (!seen.insert(processor.os_number).second) {
      throw Error(
          ErrorCode::argument,
          "expected each processor of a node once, got " + std::to_string(processor.os_number) +
              " twice"
      );
    }
  }
  if (seen.empty()) {
    throw Error(ErrorCode::argument, "expected a node with at least one processor, got none");
  }
}

NodeTree NodeTree::of_cores(int num_cores) {
  NodeTree tree{.source = "count", .processors = {}};
  for (int core = 0; core < num_cores; ++core) {
    tree.processors.push_back({.os_number = core, .core = core});
  }
  return tree;
}

json to_json(NodeTree const& tree) {
  json processors = json::array();
  for (Processor const& it : tree.processors) {
    processors.push_back({it.os_number, it.package, it.numa, it.l3, it.core});
  }
  return {
      {"source", tree.source},
      {"processors", std::move(processors)},
      {"num_disallowed", tree.num_disallowed},
      {"num_core_kinds", tree.num_core_kinds},
      {"milli_cpu_quota", std::llround(tree.cpu_quota * 1000)},
      {"is_container", tree.is_container},
  };
}

NodeTree node_tree_from_json(json const& json) {
  Field const field(json, "node tree");
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  NodeTree tree{.source = field.at("source").text(), .processors = {}};
  for (Field const& processor : field.at("processors").elements()) {
    tree.processors.push_back(processor_from(processor));
  }
  tree.num_disallowed = static_cast<int>(field.at("num_disallowed").integer(0, most));
  tree.num_core_kinds = static_cast<int>(field.at("num_core_kinds").integer(1, most));
  tree.cpu_quota = static_cast<double>(field.at("milli_cpu_quota").integer(0)) / 1000;
  tree.is_container = field.at("is_container").boolean();
  return tree;
}

NodeMachine machine_of(NodeTree const& tree) {
  check(tree);
  std::vector<int> const cores = column(tree, &Processor::core);
  bool const has_threads = std::set(cores.begin(), cores.end()).size() < cores.size();
  std::vector<Division> divisions{
      {"node", std::vector<int>(cores.size(), 0)},
      {"package", column(tree, &Processor::package)},
      {"numa", column(tree, &Processor::numa)},
      {"l3", column(tree, &Processor::l3)},
      {"core", cores},
  };
  if (has_threads) {
    std::vector<int> units(cores.size());
    std::iota(units.begin(), units.end(), 0);
    divisions.push_back({"thread", std::move(units)});
  }
  Nesting nesting = nest(std::move(divisions));
  std::vector<int> cpu_of_core;
  for (int const unit : nesting.unit_of_core) {
    cpu_of_core.push_back(tree.processors[static_cast<std::size_t>(unit)].os_number);
  }
  return {Machine(std::move(nesting.levels)), std::move(cpu_of_core)};
}

}  // namespace espalier::machine
