// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "espalier/plan/native_algorithms/control_variable.hpp"

namespace espalier::plan {

/// Where control variables are found by their names.
class VariableSource {
public:
  VariableSource() = default;
  VariableSource(VariableSource const&) = delete;
  VariableSource& operator=(VariableSource const&) = delete;
  VariableSource(VariableSource&&) = delete;
  VariableSource& operator=(VariableSource&&) = delete;
  virtual ~VariableSource() = default;

  /// Nothing if there is no such variable, or it is no number.
  /// @throws Error mpi.
  [[nodiscard]] virtual std::optional<ControlVariable> find(std::string const& name) = 0;
};

/// MPI_T (chapter 15 of MPI 4), which needs no MPI_Init. It ends before MPI_Finalize, and variables
/// before it. Null in a simulated MPI.
/// @throws Error mpi.
[[nodiscard]] std::unique_ptr<VariableSource> tool_interface();

/// The parameters of the components that Open MPI has opened. Null with another library, before
/// MPI_Init, and if this version does not show what is needed.
[[nodiscard]] std::unique_ptr<VariableSource> parameter_registry();

}  // namespace espalier::plan
