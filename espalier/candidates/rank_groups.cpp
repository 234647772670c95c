// SPDX-License-Identifier: Apache-2.0

#include "espalier/candidates/rank_groups.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>

#include "espalier/algorithms/choices/rank_order.hpp"
#include "espalier/algorithms/composed/groups.hpp"

namespace espalier::candidates {
namespace {

using algorithms::list_text;
using algorithms::RankOrder;

/// The object of a level in which each rank lies.
std::vector<int>
objects_of(machine::Machine const& machine, std::vector<int> const& core_of, int level) {
  std::vector<int> result;
  for (int const core : core_of) {
    result.push_back(machine.object_of(level, core));
  }
  return result;
}

/// Numbers in the order in which they are met first.
std::vector<int> renumbered(std::vector<int> const& objects) {
  std::map<int, int> number_of;
  std::vector<int> result;
  for (int const object : objects) {
    auto const next = static_cast<int>(number_of.size());
    result.push_back(number_of.emplace(object, next).first->second);
  }
  return result;
}

std::vector<int> counts(std::vector<int> const& numbered) {
  std::vector<int> result(static_cast<std::size_t>(std::ranges::max(numbered)) + 1);
  for (int const number : numbered) {
    ++result[static_cast<std::size_t>(number)];
  }
  return result;
}

bool are_equal(std::vector<int> const& sizes) {
  return std::ranges::adjacent_find(sizes, std::ranges::not_equal_to()) == sizes.end();
}

/// Whether there is more than one group, and one with more than one rank.
bool are_groups(std::vector<int> const& sizes) {
  return sizes.size() > 1 && std::ranges::max(sizes) > 1;
}

std::string text_of(std::vector<int> const& sizes) {
  return are_equal(sizes) ? "rows=" + std::to_string(sizes.size()) : "sizes=" + list_text(sizes);
}

/// How ranks are dealt to nodes, empty if they are not.
std::vector<int> dealt_to(std::vector<int> const& nodes) {
  auto const num_ranks = static_cast<int>(nodes.size());
  std::vector<int> const sizes = counts(nodes);
  std::vector<int> const without_limit{static_cast<int>(sizes.size())};
  for (std::vector<int> const& capacities : {without_limit, sizes}) {
    if (algorithms::dealt_nodes(num_ranks, capacities) == nodes) {
      return capacities;
    }
  }
  return {};
}

std::vector<int> in_order(RankOrder const& order, std::vector<int> const& objects) {
  std::vector<int> result;
  for (int position = 0; position < order.num_ranks(); ++position) {
    result.push_back(objects[static_cast<std::size_t>(order.rank_at(position))]);
  }
  return renumbered(result);
}

/// The groups of both levels where each node has as many inner ones.
std::string both_levels(std::vector<int> const& nodes, std::vector<int> const& inner) {
  std::vector<std::set<int>> inner_of(static_cast<std::size_t>(nodes.back()) + 1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    inner_of[static_cast<std::size_t>(nodes[i])].insert(inner[i]);
  }
  std::size_t const number = inner_of.front().size();
  bool const fit =
      number > 1 && are_equal(counts(nodes)) && are_equal(counts(inner)) &&
      std::ranges::all_of(inner_of, [&](auto const& of_node) { return of_node.size() == number; });
  return fit ? "rows=" + list_text({static_cast<int>(inner_of.size()), static_cast<int>(number)})
             : "";
}

}  // namespace

RankGroups node_groups(std::vector<int> const& node_of_rank) {
  RankGroups result;
  if (node_of_rank.size() < 2) {
    return result;
  }
  std::vector<int> const nodes = renumbered(node_of_rank);
  if (!std::ranges::is_sorted(nodes)) {
    std::vector<int> const dealt = dealt_to(nodes);
    if (dealt.empty()) {
      return result;
    }
    result.order = "dealt=" + list_text(dealt);
  }
  if (std::vector<int> const sizes = counts(nodes); are_groups(sizes)) {
    result.groups.push_back(text_of(sizes));
  }
  return result;
}

RankGroups rank_groups(machine::Machine const& machine, std::vector<int> const& core_of) {
  int const level = machine.node_level();
  std::vector<int> const of_rank = renumbered(objects_of(machine, core_of, level));
  RankGroups result = node_groups(of_rank);
  bool const is_in_order = std::ranges::is_sorted(of_rank) || !result.order.empty();
  if (!is_in_order || of_rank.size() < 2 || level + 1 >= machine.num_levels()) {
    return result;
  }
  RankOrder const order = RankOrder::by_node(of_rank);
  std::vector<int> const nodes = in_order(order, of_rank);
  std::vector<int> const inner = in_order(order, objects_of(machine, core_of, level + 1));
  if (std::ranges::is_sorted(inner) && are_groups(counts(inner)) &&
      counts(inner) != counts(nodes)) {
    result.groups.push_back(text_of(counts(inner)));
    if (std::string const both = both_levels(nodes, inner); !both.empty()) {
      result.groups.push_back(both);
    }
  }
  return result;
}

}  // namespace espalier::candidates
