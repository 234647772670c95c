// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/situation.hpp"

#include <cstddef>
#include <utility>

#include "espalier/algorithms/choices/rank_order.hpp"
#include "espalier/cost/replay/replay.hpp"
#include "espalier/machine/tree/machine.hpp"

namespace espalier::learn {
namespace {

constexpr double usual_block_bytes = 1024;

/// Where ranks share processors, whoever waits gets its own again when the others have looked for
/// their messages in turn.
machine::Link until_ranks_run(machine::Link link, double ranks_per_processor) {
  constexpr double of_look = 1.5e-6;  // with the change of context
  link.latency += of_look * (ranks_per_processor - 1);
  return link;
}

cost::Setting setting_of(Place const& place, std::vector<int> const& node_of_rank) {
  auto const order = algorithms::RankOrder::by_node(node_of_rank);
  std::vector<int> nodes;
  std::vector<int> cores;
  std::vector<int> core_of;
  for (int i = 0; i < order.num_ranks(); ++i) {
    nodes.push_back(node_of_rank[static_cast<std::size_t>(order.rank_at(i))]);
    cores.push_back(i);
    core_of.push_back(order.position_of(i));
  }
  double const crowd = place.ranks_per_processor;
  machine::Machine machine({
      {.name = "node",
       .of_core = std::move(nodes),
       .link = until_ranks_run(place.between_nodes, crowd)},
      {.name = "core",
       .of_core = std::move(cores),
       .link = until_ranks_run(place.within_node, crowd)},
  });
  return {.machine = std::move(machine), .core_of = std::move(core_of)};
}

/// What all messages cost the processors at both ends, shared by all processors alike.
double processor_time(cost::Replay const& replay, Situation const& situation) {
  double total = 0;
  for (std::size_t level = 0; level < replay.levels.size(); ++level) {
    machine::Link const& link = situation.setting.machine.link(static_cast<int>(level));
    double const of_message = link.overhead_send + link.overhead_receive;
    total += of_message * static_cast<double>(replay.levels[level].messages);
  }
  return total / situation.setting.num_ranks() * situation.ranks_per_processor;
}

}  // namespace

Situation situation_of(
    profile::Call call, double num_bytes, Place const& place, std::vector<int> const& node_of_rank
) {
  auto const num_ranks = static_cast<double>(node_of_rank.size());
  if (profile::facts_of(call).block_sizes == profile::BlockSizes::known_to_owners) {
    num_bytes = usual_block_bytes * num_ranks;
  } else if (schedule::has_parts(profile::collective_of(call))) {
    num_bytes *= num_ranks / static_cast<double>(place.node_of_rank.size());
  }
  return {
      .setting = setting_of(place, node_of_rank),
      .num_bytes = num_bytes,
      .ranks_per_processor = place.ranks_per_processor,
  };
}

double replay_time(cost::Steps steps, Situation const& situation) {
  cost::Replay const replay = cost::replay(std::move(steps), situation.setting);
  double const of_others = 1 - 1 / situation.ranks_per_processor;
  return replay.seconds() + of_others * processor_time(replay, situation);
}

}  // namespace espalier::learn
