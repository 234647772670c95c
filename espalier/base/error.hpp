// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdexcept>
#include <string>

namespace espalier {

/// Why a call failed. The numbers are stable: they cross the C ABI and appear in JSON.
enum class ErrorCode : int {
  argument = 1,     ///< the caller passed something outside the documented range
  unsupported = 2,  ///< correct, but not something this build or this algorithm does
  no_memory = 3,    ///< an allocation failed
  io = 4,           ///< a file could not be read or written
  format = 5,       ///< a file or text is not what its header says
  mpi = 6,          ///< an MPI call failed
};

/// Thrown while planning; never from the hot path.
/// The text says what was expected, what was found, and what to do; lower case, no full stop.
class Error : public std::runtime_error {
public:
  Error(ErrorCode code, std::string const& text) : std::runtime_error(text), code_(code) {}

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

private:
  ErrorCode code_;
};

}  // namespace espalier
