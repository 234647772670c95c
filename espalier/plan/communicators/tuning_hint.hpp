// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

#include <mpi.h>

namespace espalier::plan {

/// What a program says of a communicator by the info key `espalier_tune`.
enum class TuningHint : std::uint8_t {
  none,   ///< nothing
  tune,   ///< "true": rules, trials and what was learned serve it, as all others
  leave,  ///< "false": its collectives are native
};

/// A hint that the ranks of a communicator agreed on.
struct AgreedHint {
  TuningHint hint = TuningHint::none;
  std::string complaint;  ///< what was wrong with it, empty if nothing
};

/// Collective over an intracommunicator, by a native reduction. An info is collective, but nobody
/// checks that: if ranks differ, `leave` wins, so that they decide alike in any case. Values that
/// are not known are no hint.
/// @throws Error mpi.
[[nodiscard]] AgreedHint agreed_hint(MPI_Comm comm, MPI_Info info);

}  // namespace espalier::plan
