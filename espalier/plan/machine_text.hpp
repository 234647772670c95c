// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace espalier::plan {

/// A machine as somebody described it. It is believed as far as the job does not contradict it.
struct MachineText {
  std::string text{};              ///< as machine::read() takes it; empty: nothing is described
  std::string origin = "machine";  ///< named in complaints: a path, the name of a variable

  friend bool operator==(MachineText const&, MachineText const&) = default;
};

}  // namespace espalier::plan
