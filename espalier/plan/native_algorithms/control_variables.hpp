// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>

#include "espalier/plan/native_algorithms/control_variable.hpp"
#include "espalier/plan/native_algorithms/variable_source.hpp"

namespace espalier::plan {

/// The control variables of the MPI library. Local. Not for several threads at the same time.
class ControlVariables {
public:
  /// A simulated MPI has no variables. It ends before MPI_Finalize, and variables with it.
  /// @throws Error mpi.
  ControlVariables();

  /// Null if the library has no such variable, or it is no number. It stays where it is.
  [[nodiscard]] ControlVariable const* find(std::string const& name);

private:
  std::unique_ptr<VariableSource> source_;
  std::deque<ControlVariable> found_;  ///< gone before source_
};

/// What a variable is to be.
struct VariableSetting {
  ControlVariable const* variable = nullptr;
  int number = 0;
};

/// Writes variables, and puts back what they were at its end. Allocates nothing, since a call may
/// need it.
class WrittenVariables {
public:
  static constexpr std::size_t most_settings = 8;

  /// @throws Error mpi, or argument for more than most_settings; then all are as they were.
  explicit WrittenVariables(std::span<VariableSetting const> settings);
  WrittenVariables(WrittenVariables const&) = delete;
  WrittenVariables& operator=(WrittenVariables const&) = delete;
  WrittenVariables(WrittenVariables&&) = delete;
  WrittenVariables& operator=(WrittenVariables&&) = delete;
  ~WrittenVariables();

private:
  void put_back() noexcept;

  std::array<VariableSetting, most_settings> before_{};  ///< the first num_written_ count
  std::size_t num_written_ = 0;
};

}  // namespace espalier::plan
