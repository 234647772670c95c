// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/setting.hpp"

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
