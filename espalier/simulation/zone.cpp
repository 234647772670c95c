// SPDX-License-Identifier: Apache-2.0

#include "espalier/simulation/zone.hpp"

#include <utility>

#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/s4u/Link.hpp>

namespace espalier::simulation {

Zone::Zone(std::string const& name, Network network, std::vector<int> cores)
    : NetZoneImpl(name), network_(std::move(network)), cores_(std::move(cores)) {
  links_.reserve(network_.lines().size());
  for (Line const& line : network_.lines()) {
    auto* const link = create_link(line.name, {line.bandwidth});
    links_.push_back(link->set_latency(line.latency)->seal()->get_impl());
  }
}

void Zone::get_local_route(
    simgrid::kernel::routing::NetPoint const* source,
    simgrid::kernel::routing::NetPoint const* target,
    simgrid::kernel::routing::Route* into,
    double* latency
) {
  // Points are numbered in the order in which they were added.
  auto const lines = network_.route(cores_[source->id()], cores_[target->id()]);
  for (std::size_t const line : lines) {
    into->link_list_.push_back(links_[line]);
    *latency += network_.lines()[line].latency;
  }
}

}  // namespace espalier::simulation
