// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mpi.h>

namespace espalier::plan {

/// What a program says of a communicator by an info key.
enum class Hint : std::uint8_t {
  none,  ///< nothing
  yes,   ///< "true"
  no,    ///< "false"
};

/// What the ranks of a communicator agreed on.
struct AgreedHints {
  /// `espalier_tune`. Yes: rules, trials and what was learned serve the communicator, as all
  /// others; no: its collectives are native.
  Hint tune = Hint::none;
  /// `espalier_fixed_sizes`. Yes: calls whose sizes not all ranks know have the same ones next
  /// time.
  Hint fixed_sizes = Hint::none;
  std::vector<std::string> complaints;  ///< what was wrong
};

/// Collective over an intracommunicator, by one native reduction. An info is collective, but nobody
/// checks that: if ranks say different things of a key, it is `no`, so that they decide alike in
/// any case. Values that are not known are no hint.
/// @throws Error mpi.
[[nodiscard]] AgreedHints agreed_hints(MPI_Comm comm, MPI_Info info);

}  // namespace espalier::plan
