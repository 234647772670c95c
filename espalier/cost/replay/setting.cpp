// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/setting.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::cost {

machine::Link link(Hockney const& machine) {
  return {.latency = machine.alpha, .gap = machine.alpha, .per_byte = machine.beta};
}

machine::Link link(LogGP const& machine, Overhead overhead) {
  double const at_sender = overhead == Overhead::receiver ? 0 : machine.overhead;
  double const at_receiver = overhead == Overhead::both ? machine.overhead : 0;
  double const on_the_way = overhead == Overhead::receiver ? machine.overhead : 0;
  return {
      .latency = machine.latency + machine.gap + on_the_way,
      .overhead_send = at_sender,
      .overhead_receive = at_receiver,
      .gap = machine.gap,
      .per_byte = machine.per_byte,
  };
}

Setting
on_nodes(machine::Link const& between, machine::Link const& within, std::vector<int> node_of_rank) {
  // Cores are counted node by node.
  std::vector<int> cores(node_of_rank.size());
  std::iota(cores.begin(), cores.end(), 0);
  std::vector<int> ranks = cores;
  std::ranges::stable_sort(ranks, {}, [&](int rank) {
    return node_of_rank[static_cast<std::size_t>(rank)];
  });
  std::vector<int> core_of(ranks.size());
  for (std::size_t core = 0; core < ranks.size(); ++core) {
    core_of[static_cast<std::size_t>(ranks[core])] = static_cast<int>(core);
  }
  std::ranges::sort(node_of_rank);
  machine::Link shared = between;
  shared.channels = 1;
  std::vector<machine::Level> levels{
      {.name = "node", .of_core = std::move(node_of_rank), .link = shared},
      {.name = "core", .of_core = std::move(cores), .link = within},
  };
  return {.machine = machine::Machine(std::move(levels)), .core_of = std::move(core_of)};
}

Setting uniform(machine::Link const& link, int num_ranks) {
  if (num_ranks < 1) {
    throw Error(ErrorCode::argument, "expected at least 1 rank, got " + std::to_string(num_ranks));
  }
  std::vector<int> cores(static_cast<std::size_t>(num_ranks));
  std::iota(cores.begin(), cores.end(), 0);
  std::vector<machine::Level> levels{{.name = "core", .of_core = cores, .link = link}};
  return {.machine = machine::Machine(std::move(levels)), .core_of = std::move(cores)};
}

}  // namespace espalier::cost
