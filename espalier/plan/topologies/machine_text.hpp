// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace espalier::plan {

/// A machine as somebody described it.
struct MachineText {
  /// What becomes of a description that is wrong, or that the job contradicts.
  enum class Misfit {
    warning,  ///< what the job shows is used instead: for programs that know nothing of Espalier
    error,    ///< for programs that call Espalier
  };

  std::string text{};              ///< as machine::read() takes it; empty: nothing is described
  std::string origin = "machine";  ///< named in complaints: a path, the name of a variable
  Misfit misfit = Misfit::warning;

  friend bool operator==(MachineText const&, MachineText const&) = default;
};

/// The one reading of ESPALIER_MACHINE: the content of a file if there is one of that name, else
/// the value itself.
/// @param value null or empty: nothing is described.
/// @throws Error io if the file cannot be read.
[[nodiscard]] MachineText machine_text_of(char const* value);

}  // namespace espalier::plan
