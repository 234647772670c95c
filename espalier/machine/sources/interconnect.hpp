// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "espalier/machine/tree/link.hpp"

namespace espalier::machine {

enum class InterconnectKind : std::uint8_t { none, ethernet, infiniband, omni_path, slingshot };

/// A device through which a node reaches others.
struct Interconnect {
  InterconnectKind kind = InterconnectKind::none;
  std::string device;           ///< as the kernel calls it; empty if there is none
  double bytes_per_second = 0;  ///< nominal rate; 0: unknown

  /// `ethernet 10 Gbit/s (eth0)`, `ethernet of unknown rate (eth0)`, `no interconnect`.
  [[nodiscard]] std::string text() const;

  friend bool operator==(Interconnect const&, Interconnect const&) = default;
};

/// The device that an MPI most likely uses, of those that are up: one made for such programs before
/// Ethernet, hardware before what the kernel makes up (veth, bridges, tunnels), then the fastest,
/// then the first by name. RoCE and iWARP count as Ethernet, since not every MPI uses them. The
/// rate of a virtual device says nothing, and is unknown. Files that cannot be read, and rates that
/// cannot be, are unknown; without any device the kind is none.
/// @param root stands for `/sys`.
[[nodiscard]] Interconnect find_interconnect(std::filesystem::path const& root = "/sys");

/// What messages between nodes cost through such a device, by what is published: good enough to
/// choose what to measure, not to predict times. Ethernet of unknown rate is taken for 10 Gbit/s,
/// other devices for 100 Gbit/s, and none for Ethernet.
[[nodiscard]] Link stock_link(Interconnect const& interconnect);

/// The same if the rate is unknown and the network is as slow as Ethernet is anywhere, 100 Mbit/s;
/// nullopt if the rate is known, or the kind of network tells it well enough.
[[nodiscard]] std::optional<Link> stock_link_if_slow(Interconnect const& interconnect);

/// The same for messages inside a node, through memory that ranks share.
///
/// A message is copied in and copied out at the same time, so that it keeps two processors busy.
/// Where there are more ranks than processors, a message also waits for changes of context.
/// @throws Error argument unless both numbers are at least 1.
[[nodiscard]] Link stock_link_within_node(int ranks_per_node, int num_processors);

}  // namespace espalier::machine
