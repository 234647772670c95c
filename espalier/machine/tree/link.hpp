// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <limits>

namespace espalier::machine {

/// What messages of one level cost: those whose ends lie in different objects of the level, but in
/// the same object of the level above ("between nodes", "between packages of a node").
///
/// A message of n bytes occupies its sender for `overhead_send`, its receiver for
/// `overhead_receive`; the next one may follow `gap` + n `per_byte` after it, and the last byte
/// arrives `latency` + n `per_byte` after it left. Seconds and bytes. Hockney's alpha is
/// latency + overhead_send + overhead_receive, his beta is per_byte.
struct Link {
  static constexpr double unlimited = std::numeric_limits<double>::infinity();
  static constexpr std::int64_t any_size = std::numeric_limits<std::int64_t>::max();

  double latency = 0;
  double overhead_send = 0;
  double overhead_receive = 0;
  double gap = 0;
  double per_byte = 0;
  /// Messages that leave one object of the level, and as many that enter it, at the same time
  /// without losing bandwidth: the network interfaces of a node.
  double channels = unlimited;
  /// Messages inside one object of the level above at the same time without losing bandwidth: the
  /// memory of a package, an oversubscribed switch.
  double shared_channels = unlimited;
  /// True if what leaves and what enters an object does not share channels.
  bool full_duplex = true;
  /// Larger messages wait until they are received, and cost `rendezvous_latency` more.
  std::int64_t eager_bytes = any_size;
  double rendezvous_latency = 0;

  [[nodiscard]] double alpha() const noexcept { return latency + overhead_send + overhead_receive; }

  [[nodiscard]] double beta() const noexcept { return per_byte; }

  friend bool operator==(Link const&, Link const&) = default;
};

}  // namespace espalier::machine
