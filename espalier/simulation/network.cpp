// SPDX-License-Identifier: Apache-2.0

#include "espalier/simulation/network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "espalier/simulation/hops.hpp"

namespace espalier::simulation {
namespace {

/// Bytes per second of what costs nothing; simulators have no infinity.
constexpr double no_limit = 1e15;

double bandwidth(double per_byte) {
  return per_byte > 0 ? 1 / per_byte : no_limit;
}

std::size_t offset(int object) {
  return static_cast<std::size_t>(object);
}

}  // namespace

Network::Network(machine::Machine machine, double envelope_bytes)
    : machine_(std::move(machine)), envelope_bytes_(envelope_bytes) {
  self_ = add(offset(machine_.num_cores()), "self", no_limit);
  for (int level = 0; level < machine_.num_levels(); ++level) {
    add_level(level);
  }
  if (machine_.torus().exists()) {
    add_torus();
  }
}

std::size_t
Network::add(std::size_t count, std::string const& name, double bandwidth, double latency) {
  std::size_t const first = lines_.size();
  for (std::size_t i = 0; i < count; ++i) {
    lines_.push_back({name + "-" + std::to_string(i), bandwidth, latency});
  }
  return first;
}

void Network::add_level(int level) {
  machine::Link const& link = machine_.link(level);
  std::string const& name = machine_.name(level);
  double const one = bandwidth(link.per_byte);
  std::size_t const num_cores = offset(machine_.num_cores());
  Ways& ports = ports_.emplace_back();
  double const latency = std::max(0.0, link.latency - envelope_bytes_ / one);
  ports.out = add(num_cores, name + "-send", one, latency);
  ports.in = add(num_cores, name + "-receive", one);
  Ways& channels = channels_.emplace_back();
  channels.exist = std::isfinite(link.channels);
  if (channels.exist) {
    std::size_t const count = offset(machine_.num_objects(level));
    channels.out = add(count, name + "-out", one * link.channels);
    channels.in = link.full_duplex ? add(count, name + "-in", one * link.channels) : channels.out;
  }
  Ways& shared = shared_.emplace_back();
  shared.exist = std::isfinite(link.shared_channels);
  if (shared.exist) {
    int const num_parents = level == 0 ? 1 : machine_.num_objects(level - 1);
    shared.out = add(offset(num_parents), name + "-shared", one * link.shared_channels);
  }
}

void Network::add_torus() {
  machine::Torus const& torus = machine_.torus();
  auto const num_nodes = offset(machine_.num_objects(machine_.node_level()));
  torus_ = add(
      2 * num_nodes * torus.extents.size(), "hop", bandwidth(torus.link_per_byte), torus.hop_latency
  );
}

int Network::parent_of(int level, int core) const {
  return level == 0 ? 0 : machine_.object_of(level - 1, core);
}

void Network::append_hops(std::vector<std::size_t>& lines, int source, int target) const {
  int const node = machine_.node_level();
  std::size_t const num_dimensions = machine_.torus().extents.size();
  for (Hop const& hop :
       hops(machine_.torus(), machine_.object_of(node, source), machine_.object_of(node, target))) {
    std::size_t const line = offset(hop.node) * num_dimensions + offset(hop.dimension);
    lines.push_back(torus_ + 2 * line + (hop.is_up ? 1 : 0));
  }
}

std::vector<std::size_t> Network::route(int source, int target) const {
  std::vector<std::size_t> lines;
  find_route(source, target, lines);
  return lines;
}

void Network::find_route(int source, int target, std::vector<std::size_t>& lines) const {
  lines.clear();
  int const crossed = machine_.crossing(source, target);
  if (crossed == machine_.num_levels()) {
    lines.push_back(self_ + offset(source));
    return;
  }
  Ways const& ports = ports_[offset(crossed)];
  lines.push_back(ports.out + offset(source));
  for (int level = machine_.num_levels() - 1; level >= crossed; --level) {
    if (Ways const& ways = channels_[offset(level)]; ways.exist) {
      lines.push_back(ways.out + offset(machine_.object_of(level, source)));
    }
  }
  if (Ways const& ways = shared_[offset(crossed)]; ways.exist) {
    lines.push_back(ways.out + offset(parent_of(crossed, source)));
  }
  if (machine_.torus().exists()) {
    append_hops(lines, source, target);
  }
  for (int level = crossed; level < machine_.num_levels(); ++level) {
    if (Ways const& ways = channels_[offset(level)]; ways.exist) {
      lines.push_back(ways.in + offset(machine_.object_of(level, target)));
    }
  }
  lines.push_back(ports.in + offset(target));
}

}  // namespace espalier::simulation
