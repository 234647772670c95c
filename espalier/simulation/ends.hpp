// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "espalier/machine/tree/machine.hpp"

namespace espalier::simulation {

/// What a message costs the ranks at its ends, whatever way it takes.
struct Ends {
  double overhead_send = 0;     ///< seconds
  double overhead_receive = 0;  ///< seconds
  std::int64_t eager_bytes = 0;

  friend bool operator==(Ends const&, Ends const&) = default;
};

/// The ends of all levels that messages cross: others have more than one object in one above.
/// @throws Error unsupported for what simulators of networks do not have: ends that differ between
///   levels, gaps, and a latency of rendezvous.
[[nodiscard]] Ends ends(machine::Machine const& machine);

}  // namespace espalier::simulation
