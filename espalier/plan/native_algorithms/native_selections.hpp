// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/plan/native_algorithms/control_variables.hpp"
#include "espalier/plan/native_algorithms/wanted_native.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// An algorithm of the MPI library that all ranks can tell it to take.
struct NativeSelection {
  profile::Call call;
  algorithms::Choice choice;
  std::vector<VariableSetting> settings;
};

/// Which algorithms of the MPI library may be selected in this process. All ranks of a session have
/// the same ones, since they agreed on it.
class NativeSelections {
public:
  /// Collective over comm, before the first call.
  /// @param wanted  equal on all ranks
  /// @throws Error mpi.
  void open(MPI_Comm comm, std::vector<WantedNative> const& wanted);

  /// What cannot be selected, and why, as far as this rank knows; one line each.
  [[nodiscard]] std::vector<std::string> const& problems() const noexcept { return problems_; }

  /// Null if it cannot be selected. The same on all ranks.
  [[nodiscard]] NativeSelection const*
  find(profile::Call call, algorithms::Choice const& choice) const noexcept;

  /// Local, before MPI_Finalize.
  void close() noexcept;

private:
  std::unique_ptr<ControlVariables> variables_;  ///< null: nothing is selected
  std::vector<NativeSelection> selections_;
  std::vector<std::string> problems_;
};

}  // namespace espalier::plan
