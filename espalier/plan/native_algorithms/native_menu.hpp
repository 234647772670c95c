// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the MPI library lets one choose, and how it is told: Open MPI by variables of its component
/// coll/tuned, which looks at them when a communicator is made, MPICH by variables that it looks at
/// in every call.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/plan/native_algorithms/control_variables.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// The algorithms of the MPI library for one call.
struct NativeMenu {
  std::vector<ControlVariable::Value> algorithms;
  std::vector<std::string_view> parameters;  ///< such as `segment`
  std::string problem;                       ///< why there is nothing to choose; empty if there is
};

/// Local.
/// @throws Error mpi.
[[nodiscard]] NativeMenu native_menu(profile::Call call, ControlVariables& variables);

/// How the library is told to take an algorithm.
struct NativeOrder {
  std::vector<VariableSetting> settings;
  std::string problem;  ///< why it cannot be told; empty if it can
};

/// Local. Whether the library listens while this program runs is looked at, too.
/// @throws Error mpi.
[[nodiscard]] NativeOrder
native_order(profile::Call call, algorithms::Choice const& choice, ControlVariables& variables);

/// Whether what the library calls so works for this many ranks. Open MPI fails where it is told to
/// take an algorithm that does not; MPICH takes another one.
[[nodiscard]] bool accepts_ranks(std::string_view name, int num_ranks) noexcept;

/// Empty if an algorithm of the library works for this many ranks, otherwise the reason.
[[nodiscard]] std::string refuses_ranks(algorithms::Choice const& choice, int num_ranks);

/// Whether the library looks at variables when a communicator is made, and not in every call.
[[nodiscard]] bool selects_by_communicator() noexcept;

}  // namespace espalier::plan
