// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/simulated/simulated_rank.hpp"

#include <cstdlib>

namespace espalier::onesided {
namespace {

using simgrid::s4u::Actor;
using simgrid::s4u::Comm;
using simgrid::s4u::Host;

double property(Host const& host, char const* name) {
  char const* const value = host.get_property(name);
  return value == nullptr ? 0 : std::strtod(value, nullptr);
}

}  // namespace

SimulatedEnds SimulatedEnds::of(Host const& host) {
  return {
      .overhead_send = property(host, "overhead_send"),
      .overhead_receive = property(host, "overhead_receive"),
      .eager_bytes = static_cast<std::uint64_t>(property(host, "eager_bytes")),
      .envelope_bytes = static_cast<std::uint64_t>(property(host, "envelope_bytes")),
  };
}

void SimulatedMessages::start(
    SimulatedRank const& from,
    SimulatedRank const& to,
    std::uint64_t num_bytes,
    std::function<void()> action,
    double seconds
) {
  ++num_underway_;
  Host* const origin = from.host();
  Host* const target = to.host();
  std::uint64_t const sent_bytes = num_bytes + ends_.envelope_bytes;
  Actor::create(
      "transfer",
      origin,
      [this, origin, target, sent_bytes, seconds, act = std::move(action)] {
        if (seconds > 0) {
          simgrid::s4u::this_actor::sleep_for(seconds);
        }
        Comm::sendto(origin, target, sent_bytes);
        act();
        --num_underway_;
        if (num_underway_ == 0) {
          own_.notice();
        }
      }
  );
}

}  // namespace espalier::onesided
