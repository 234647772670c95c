// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/fabric.hpp"

#include <algorithm>
#include <string>

#include "espalier/base/error.hpp"

namespace espalier::cost {

Fabric::Fabric(Setting const& setting) : node_level_(setting.machine.node_level()) {
  set_up_lanes(setting);
  for (int const core : setting.core_of) {
    if (core < 0 || core >= setting.machine.num_cores()) {
      throw Error(
          ErrorCode::argument,
          "expected cores 0 .. " + std::to_string(setting.machine.num_cores() - 1) + ", got " +
              std::to_string(core)
      );
    }
    for (int level = 0; level < num_levels(); ++level) {
      objects_.push_back(setting.machine.object_of(level, core));
    }
  }
}

void Fabric::set_up_lanes(Setting const& setting) {
  machine::Machine const& machine = setting.machine;
  int num_parents = 1;
  for (int level = 0; level < machine.num_levels(); ++level) {
    machine::Link const& link = machine.link(level);
    Lane& lane = lanes_.emplace_back();
    int const num_objects = machine.num_objects(level);
    lane.link = link;
    lane.per_byte = link.per_byte;
    lane.out = Channels(num_objects, link.channels, setting.num_ranks());
    if (link.full_duplex) {
      lane.in = lane.out;
    }
    lane.inside = Channels(num_parents, link.shared_channels, setting.num_ranks());
    num_parents = num_objects;
  }
  if (machine.torus().exists()) {
    set_up_torus(machine);
  }
  bool inner_is_limited = false;
  for (auto lane = lanes_.rbegin(); lane != lanes_.rend(); ++lane) {
    inner_is_limited = inner_is_limited || lane->out.are_limited();
    bool const shares_links = lane->hops && torus_.are_shared();
    lane->is_shared = inner_is_limited || lane->inside.are_limited() || shares_links;
  }
}

void Fabric::set_up_torus(machine::Machine const& machine) {
  torus_ = TorusLinks(machine.torus(), machine.num_objects(node_level_));
  for (int level = 0; level <= node_level_; ++level) {
    lane(level).hops = true;
    lane(level).per_byte = std::max(lane(level).per_byte, torus_.per_byte());
  }
}

int Fabric::crossing(int from, int to) const {
  int level = 0;
  while (level + 1 < num_levels() && object_of(from, level) == object_of(to, level)) {
    ++level;
  }
  return level;
}

/// When the message passes; the channels may be unlimited.
double Fabric::ask(Channels& channels, int object, Lane& lane, double seconds, double now) {
  if (!channels.are_limited()) {
    return now;
  }
  double const begins = channels.serve(object, now, seconds);
  lane.waiting += begins - now;
  return begins;
}

double Fabric::leave(int from, int level, double bytes, Passage& passage, double now) {
  Lane& crossed = lane(level);
  int const num_inside = num_levels() - level;
  double passes = now;
  while (crossed.is_shared && passage.stage < num_inside && passes == now) {
    int const inner = num_levels() - 1 - passage.stage++;
    Lane& left = lane(inner);
    double const seconds = bytes * std::min(left.link.per_byte, crossed.link.per_byte);
    passes = ask(left.out, object_of(from, inner), left, seconds, now);
  }
  if (crossed.is_shared && passage.stage == num_inside && passes == now) {
    ++passage.stage;
    int const parent = level == 0 ? 0 : object_of(from, level - 1);
    passes = ask(crossed.inside, parent, crossed, bytes * crossed.link.per_byte, now);
  }
  return passes;
}

double Fabric::hop(int from, int to, double bytes, Passage& passage, double now) {
  int const destination = object_of(to, node_level_);
  if (passage.node < 0) {
    passage.node = object_of(from, node_level_);
  }
  double reaches = now;
  while (passage.node != destination && reaches == now) {
    TorusLinks::Hop const next = torus_.next_hop(passage.node, destination);
    double const passes = torus_.pass(next.link, bytes, now);
    lane(node_level_).waiting += passes - now;
    reaches = passes + torus_.hop_latency();
    passage.node = next.node;
  }
  return reaches;
}

double Fabric::enter(int to, int level, double bytes, Passage& passage, double now) {
  Lane const& crossed = lane(level);
  int const num_inside = num_levels() - level;
  double passes = now;
  while (crossed.is_shared && passage.stage < num_inside && passes == now) {
    int const inner = level + passage.stage++;
    Lane& entered = lane(inner);
    double const seconds = bytes * std::min(entered.link.per_byte, crossed.link.per_byte);
    Channels& channels = entered.link.full_duplex ? entered.in : entered.out;
    passes = ask(channels, object_of(to, inner), entered, seconds, now);
  }
  return passes;
}

double Fabric::latency(int from, int to, int level) const {
  double latency = lane(level).link.latency;
  if (lane(level).hops && !torus_.are_shared()) {
    latency += torus_.hop_latency() *
               torus_.num_hops(object_of(from, node_level_), object_of(to, node_level_));
  }
  return latency;
}

double Fabric::busiest(int level) const {
  Lane const& asked = lane(level);
  double const links = level == node_level_ ? torus_.busiest() : 0;
  return std::max({asked.out.busiest(), asked.in.busiest(), asked.inside.busiest(), links});
}

}  // namespace espalier::cost
