// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/stand_in.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <map>
#include <string_view>

#include "espalier/algorithms/choices/choice_arguments.hpp"
#include "espalier/candidates/rank_groups.hpp"

namespace espalier::learn {
namespace {

using algorithms::Choice;

std::vector<int> renumbered(std::vector<int> const& nodes) {
  std::map<int, int> number_of;
  std::vector<int> result;
  for (int const node : nodes) {
    auto const next = static_cast<int>(number_of.size());
    result.push_back(number_of.emplace(node, next).first->second);
  }
  return result;
}

/// At most `most`, and a power of two only if the number is one.
int reduced(int number, int most) {
  if (number <= most) {
    return number;
  }
  auto const power = static_cast<int>(std::bit_floor(static_cast<unsigned>(most)));
  bool const is_power = std::has_single_bit(static_cast<unsigned>(number));
  return is_power || power < 4 ? power : power / 4 * 3;
}

/// Whether ranks are rather next to each other on nodes than dealt to them: at least half as many
/// are on the node of the rank before as if they lay in blocks.
bool are_in_blocks(std::vector<int> const& nodes, int num_nodes) {
  std::ptrdiff_t num_together = 0;
  for (std::size_t rank = 1; rank < nodes.size(); ++rank) {
    num_together += nodes[rank] == nodes[rank - 1] ? 1 : 0;
  }
  return 2 * num_together >= std::ssize(nodes) - num_nodes;
}

std::vector<int> small_copy(std::vector<int> const& nodes, int most_ranks) {
  constexpr int most_nodes = 4;
  std::vector<int> counts(static_cast<std::size_t>(std::ranges::max(nodes)) + 1);
  for (int const node : nodes) {
    ++counts[static_cast<std::size_t>(node)];
  }
  auto const num_nodes = static_cast<int>(counts.size());
  int const per_node =
      reduced(std::ranges::max(counts), most_ranks / reduced(num_nodes, most_nodes));
  int const small_nodes = reduced(num_nodes, most_ranks / per_node);
  bool const in_blocks = are_in_blocks(nodes, num_nodes);
  std::vector<int> result;
  for (int rank = 0; rank < small_nodes * per_node; ++rank) {
    result.push_back(in_blocks ? rank / per_node : rank % small_nodes);
  }
  return result;
}

std::string groups_of(candidates::RankGroups const& found) {
  return found.groups.empty() ? "" : found.groups.front();
}

/// Whether an algorithm that takes groups of ranks is left to its own, which are no nodes.
bool has_own_groups(Choice const& choice) {
  auto const& parameters = choice.algorithm().parameters;
  return std::ranges::find(parameters, "rows", &algorithms::Parameter::name) != parameters.end() &&
         !choice.arguments().has("rows") && !choice.arguments().has("sizes");
}

bool is_about_nodes(std::string_view key) {
  return key == "rows" || key == "sizes" || key == algorithms::common_keys::dealt;
}

}  // namespace

StandIn::StandIn(std::vector<int> const& node_of_rank, int most_ranks)
    : node_of_large_(renumbered(node_of_rank)), node_of_rank_(node_of_large_) {
  if (num_ranks() > most_ranks) {
    node_of_rank_ = small_copy(node_of_large_, most_ranks);
  }
  candidates::RankGroups const large = candidates::node_groups(node_of_large_);
  candidates::RankGroups const small = candidates::node_groups(node_of_rank_);
  arguments_ = {{{groups_of(large), groups_of(small)}, {large.order, small.order}}};
}

std::optional<Choice> StandIn::translated(Choice const& choice) const {
  bool const has_node_groups = !arguments_.front().large.empty();
  if (has_node_groups && has_own_groups(choice)) {
    return std::nullopt;
  }
  std::string arguments;
  for (auto const& [key, value] : choice.arguments().entries()) {
    std::string argument = key + "=" + value;
    if (is_about_nodes(key)) {
      auto const known = std::ranges::find(arguments_, argument, &Argument::large);
      if (known == arguments_.end() || known->small.empty()) {
        return std::nullopt;
      }
      argument = known->small;
    }
    arguments += (arguments.empty() ? "" : ",") + argument;
  }
  std::string const name(choice.algorithm().name);
  Choice small =
      Choice::parse(choice.collective(), arguments.empty() ? name : name + "[" + arguments + "]");
  return small.refuses(num_ranks(), 0).empty() ? std::optional(std::move(small)) : std::nullopt;
}

}  // namespace espalier::learn
