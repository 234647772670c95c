// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::measure::probe {

/// What a core does in its own memory, in bytes per second.
struct CoreSpeed {
  double combined = 0;  ///< of the result of a sum of doubles, as MPI_Reduce_local makes it
  double copied = 0;
};

/// Measures on the calling rank alone, in about 20 ms, with vectors that fit the caches: what
/// collectives combine has just arrived.
/// @throws Error mpi
[[nodiscard]] CoreSpeed measure_core_speed();

}  // namespace espalier::measure::probe
