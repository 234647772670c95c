// SPDX-License-Identifier: Apache-2.0

/// @file
/// Collectives of the MPI library as phases of our algorithms: `inner=native`. They are no
/// algorithms of the catalog, and serve no call by themselves: that is what a native call does.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::algorithms {

/// As an argument.
inline constexpr std::string_view native_name = "native";

/// The native collective as a phase; null if there is none (barrier, scan, exscan).
[[nodiscard]] Algorithm const* native_phase(Collective collective) noexcept;

/// Whether an algorithm takes it as one of its phases.
[[nodiscard]] bool takes_native(Algorithm const& algorithm, Parameter const& phase);

[[nodiscard]] inline bool is_native(Choice const& choice) noexcept {
  return choice.algorithm().name == native_name;
}

/// The program with an algorithm of the catalog in place of each native call, for models of costs:
/// one that MPI libraries use for vectors or blocks of medium size.
[[nodiscard]] schedule::RankProgram with_stand_ins(schedule::RankProgram program);

/// The program of a rank, as models of costs see it.
[[nodiscard]] schedule::RankProgram
generate_for_model(Choice const& choice, int num_ranks, int root, int rank);

}  // namespace espalier::algorithms
