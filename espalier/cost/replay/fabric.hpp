// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/cost/replay/channels.hpp"
#include "espalier/cost/replay/setting.hpp"
#include "espalier/cost/replay/torus_links.hpp"

namespace espalier::cost {

/// What lies between the ports of ranks: the channels of the objects that messages leave and enter,
/// and what they share. replay.hpp says how messages use them.
class Fabric {
public:
  /// @throws Error argument if a core lies outside the machine, or the machine contradicts itself.
  explicit Fabric(Setting const& setting);

  /// The level whose link a message takes; the last one between ranks on the same core.
  [[nodiscard]] int crossing(int from, int to) const;

  [[nodiscard]] machine::Link const& link(int level) const { return lane(level).link; }

  /// Seconds per byte of a message that crosses this level, links of a torus considered.
  [[nodiscard]] double per_byte(int level) const { return lane(level).per_byte; }

  /// False if messages that cross this level never wait between the ports.
  [[nodiscard]] bool is_shared(int level) const { return lane(level).is_shared; }

  [[nodiscard]] int num_levels() const noexcept { return static_cast<int>(lanes_.size()); }

  /// Where a message is on its way: how many channels of objects it has passed on the side of its
  /// sender or of its receiver, and the node of a torus.
  struct Passage {
    std::int32_t node = -1;
    std::uint8_t stage = 0;
  };

  /// Each of these moves a message, which asks at `now`, as far as it comes without waiting. They
  /// return when they must be called again; `now` if there is no need to, because the message has
  /// left its sender, has reached the node of its receiver, has come through to the receiver.
  double leave(int from, int level, double bytes, Passage& passage, double now);
  double hop(int from, int to, double bytes, Passage& passage, double now);
  double enter(int to, int level, double bytes, Passage& passage, double now);

  /// Whether messages that cross this level have to hop(); latency() covers the hops if not.
  [[nodiscard]] bool must_hop(int level) const { return lane(level).hops && torus_.are_shared(); }

  /// From the sender, or after the last hop.
  [[nodiscard]] double latency(int from, int to, int level) const;

  /// LevelUse::busiest and LevelUse::waiting.
  [[nodiscard]] double busiest(int level) const;

  [[nodiscard]] double waiting(int level) const { return lane(level).waiting; }

private:
  /// A level and its channels.
  struct Lane {
    machine::Link link;
    double per_byte = 0;
    bool is_shared = false;
    bool hops = false;  ///< messages that cross this level go through the torus
    Channels out;       ///< both ways if the link is not full duplex
    Channels in;
    Channels inside;  ///< of what lies in one object of the level above
    double waiting = 0;
  };

  [[nodiscard]] Lane const& lane(int level) const {
    return lanes_[static_cast<std::size_t>(level)];
  }

  [[nodiscard]] Lane& lane(int level) { return lanes_[static_cast<std::size_t>(level)]; }

  [[nodiscard]] int object_of(int rank, int level) const {
    return objects_
        [static_cast<std::size_t>(rank) * lanes_.size() + static_cast<std::size_t>(level)];
  }

  void set_up_lanes(Setting const& setting);
  void set_up_torus(machine::Machine const& machine);
  static double ask(Channels& channels, int object, Lane& lane, double seconds, double now);

  std::vector<Lane> lanes_;
  std::vector<std::int32_t> objects_;  ///< of each rank, level by level
  TorusLinks torus_;
  int node_level_ = 0;
};

}  // namespace espalier::cost
