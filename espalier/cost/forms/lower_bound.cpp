// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/forms/lower_bound.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "espalier/cost/forms/demand.hpp"
#include "espalier/cost/forms/occupancy.hpp"

namespace espalier::cost {
namespace {

using machine::Link;
using schedule::Collective;

/// The soonest time at which news is in so many places: messages take `message`, and one begins
/// every `spacing` where the news is.
double spreading_time(int num_places, double message, double spacing) {
  if (num_places < 2 || spacing <= 0) {
    return num_places < 2 ? 0 : message;
  }
  std::priority_queue<double, std::vector<double>, std::greater<>> arrivals;
  arrivals.push(message);
  double now = 0;
  for (int places = 1; places < num_places; ++places) {
    now = arrivals.top();
    arrivals.pop();
    arrivals.push(now + spacing);
    arrivals.push(now + message);
  }
  return now;
}

/// Of the shortest message that has no overheads.
double unheralded(Link const& link) noexcept {
  bool const is_endless = link.eager_bytes == std::numeric_limits<std::int64_t>::max();
  return is_endless ? Link::unlimited : static_cast<double>(link.eager_bytes) * link.per_byte;
}

/// Seconds of any message that crosses this level or one around it.
double message(Occupancy const& ranks, int level) {
  return ranks.least(level, [](Link const& link) {
    return link.latency + std::min(link.overhead_send + link.overhead_receive, unheralded(link));
  });
}

/// @param overhead of the end that has one message after another.
double rounds(Occupancy const& ranks, double Link::*overhead) {
  int const num_levels = ranks.machine().num_levels();
  double const spacing = ranks.least(num_levels - 1, [&](Link const& link) {
    return std::min(link.*overhead + link.gap, unheralded(link) / num_levels);
  });
  double const cheapest = message(ranks, num_levels - 1);
  double longest = 0;
  for (int level = 0; level < num_levels; ++level) {
    if (int const places = ranks.num_occupied(level); places > 1) {
      double const time = spreading_time(places, cheapest, spacing);
      longest = std::max(longest, time + message(ranks, level) - cheapest);
    }
  }
  return longest;
}

double rate(double per_byte) noexcept {
  return per_byte > 0 ? 1 / per_byte : Link::unlimited;
}

/// How long bytes need to cross the borders of objects, one level after the other from outside.
class Crossing {
public:
  Crossing(Collective collective, Occupancy const& ranks, double num_bytes)
      : collective_(collective), ranks_(&ranks), machine_(&ranks.machine()), num_bytes_(num_bytes) {
  }

  [[nodiscard]] double seconds() {
    double longest = torus_seconds();
    for (int level = 0; level < machine_->num_levels(); ++level) {
      longest = std::max(longest, level_seconds(level));
    }
    return longest;
  }

private:
  [[nodiscard]] Demand demand_of(RankSet const& set) const noexcept {
    return demand(collective_, set, ranks_->whole(), num_bytes_);
  }

  [[nodiscard]] double seconds(Demand const& needs, double bytes_per_second, int level) const {
    double const most = std::max(needs.enter, needs.leave);
    auto const latency = [](Link const& link) { return link.latency; };
    return most > 0 ? most / bytes_per_second + ranks_->least(level, latency) : 0;
  }

  /// Bytes a second through the ports of so many ranks, at levels up to this one.
  [[nodiscard]] double ports(RankSet const& set, int level) const {
    double sum = 0;
    for (int outer = 0; outer <= level; ++outer) {
      sum += ranks_->is_crossed(outer) ? rate(machine_->link(outer).per_byte) : 0;
    }
    return sum * set.num_ranks;
  }

  [[nodiscard]] double channels(int level) const {
    Link const& own = machine_->link(level);
    auto const per_byte = [](Link const& link) { return link.per_byte; };
    double const fastest = std::min(own.per_byte, ranks_->least(level, per_byte));
    return std::isfinite(own.channels) ? std::ceil(own.channels) * rate(fastest) : own.channels;
  }

  /// Of what lies around objects of a level.
  [[nodiscard]] double shared(int level) const {
    Link const& link = machine_->link(level);
    double const channels = link.shared_channels;
    return std::isfinite(channels) ? std::ceil(channels) * rate(link.per_byte) : channels;
  }

  /// Links of a torus in each direction across a cut of a dimension, for a line of nodes.
  static int links(int extent) noexcept { return std::min(extent - 1, 2); }

  /// Of the links of the torus at a node.
  [[nodiscard]] double torus_links(int level) const {
    machine::Torus const& torus = machine_->torus();
    if (!torus.exists() || level != machine_->node_level()) {
      return Link::unlimited;
    }
    int sum = 0;
    for (int const extent : torus.extents) {
      sum += links(extent);
    }
    return sum * rate(torus.link_per_byte);
  }

  /// Of the objects of a level; around_ becomes what can enter each of them.
  double level_seconds(int level) {
    std::vector<RankSet> const& sets = ranks_->sets(level);
    std::vector<Demand> of_all_inside(around_.size());
    std::vector<double> rates(sets.size(), 0);
    double longest = 0;
    for (std::size_t object = 0; object < sets.size(); ++object) {
      if (sets[object].num_ranks == 0) {
        continue;
      }
      std::size_t const outer = ranks_->around(level, object);
      rates[object] = std::min(
          {ports(sets[object], level),
           channels(level),
           torus_links(level),
           shared(level) + around_[outer]}
      );
      Demand const needs = demand_of(sets[object]);
      of_all_inside[outer].enter += needs.enter;
      of_all_inside[outer].leave += needs.leave;
      longest = std::max({longest, seconds(needs, rates[object], level), both_ways(needs, level)});
    }
    longest = std::max(longest, inside_seconds(level, of_all_inside));
    around_ = std::move(rates);
    return longest;
  }

  /// Of all objects of a level inside each object around them, and of all there are.
  [[nodiscard]] double inside_seconds(int level, std::vector<Demand> const& needs) const {
    double longest = 0;
    double sum = 0;
    for (std::size_t outer = 0; outer < around_.size(); ++outer) {
      double const bytes_per_second = shared(level) + around_[outer];
      longest = std::max(longest, seconds(needs[outer], bytes_per_second, level));
      sum += bytes_per_second;
    }
    double const joint = joint_demand(collective_, ranks_->num_occupied(level), num_bytes_);
    double const possible = std::min(sum, ports(ranks_->whole(), level));
    return std::max(longest, seconds({.enter = joint}, possible, level));
  }

  /// Of channels that serve what enters and what leaves.
  [[nodiscard]] double both_ways(Demand const& needs, int level) const {
    bool const is_full = machine_->link(level).full_duplex;
    return is_full ? 0 : (needs.enter + needs.leave) / channels(level);
  }

  /// Of the links between both halves of a torus, cut across each dimension.
  [[nodiscard]] double torus_seconds() const {
    machine::Torus const& torus = machine_->torus();
    int const level = machine_->node_level();
    int const num_nodes = machine_->num_objects(level);
    double longest = 0;
    int stride = 1;
    for (int const extent : torus.extents) {
      RankSet const half = ranks_->half_of_torus(extent, stride);
      int const num_links = num_nodes / extent * links(extent);
      if (half.num_ranks > 0) {
        double const bytes_per_second = num_links * rate(torus.link_per_byte);
        longest = std::max(longest, seconds(demand_of(half), bytes_per_second, level));
      }
      stride *= extent;
    }
    return longest;
  }

  Collective collective_;
  Occupancy const* ranks_;
  machine::Machine const* machine_;
  double num_bytes_;
  std::vector<double> around_{0};  ///< bytes a second into each object of the level above
};

}  // namespace

LowerBound lower_bound(Collective collective, int root, Setting const& setting, double num_bytes) {
  Occupancy const ranks(setting, root);
  if (num_bytes <= 0 && collective != Collective::barrier) {
    return {};
  }
  double const spreading = spreads(collective) ? rounds(ranks, &Link::overhead_send) : 0;
  double const collecting = collects(collective) ? rounds(ranks, &Link::overhead_receive) : 0;
  return {
      .rounds = std::max(spreading, collecting),
      .bytes = Crossing(collective, ranks, num_bytes).seconds()
  };
}

}  // namespace espalier::cost
