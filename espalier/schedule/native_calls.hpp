// SPDX-License-Identifier: Apache-2.0

/// @file
/// Native calls written out as messages: for whoever has no MPI library, or wants to look inside.

#pragma once

#include <functional>

#include "espalier/schedule/program.hpp"

namespace espalier::schedule {

/// The program of one place of a collective among the members of a call: in place, and with one
/// block for each part of a member, or for the vector.
using ProgramOfCall = std::function<RankProgram(NativeCall const& call, int place)>;

/// What any native call may do at most: nobody goes on before all members are there, and then each
/// part goes straight to where it belongs. Operands are combined in the order of the members.
///
/// What is right and ends with this is right and ends with every call that keeps the promise of its
/// collective, however much or little its members wait for each other.
[[nodiscard]] RankProgram meeting(NativeCall const& call, int place);

/// The program with messages in place of its native calls.
/// @throws Error unsupported for a collective that has no native call (scan, exscan, barrier).
[[nodiscard]] RankProgram
without_native_calls(RankProgram const& program, ProgramOfCall const& program_of = meeting);

/// How many parts the contribution and the results of a member have where it has any.
struct NativeParts {
  int sources = 1;
  int results = 1;
};

[[nodiscard]] NativeParts parts_of(NativeCall const& call) noexcept;

}  // namespace espalier::schedule
