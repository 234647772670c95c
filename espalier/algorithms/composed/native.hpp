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

/// The native barrier, which is no phase.
[[nodiscard]] Algorithm const& native_barrier() noexcept;

/// What stands for all algorithms of the MPI library that serve a collective; one of them is named
/// by its arguments: `native[algorithm=pipeline,segment=8192]`. Only the library knows which names
/// there are. For the prover it is the collective with its promise, as a phase is.
[[nodiscard]] Algorithm const& algorithm_of_library(Collective collective);

[[nodiscard]] bool is_algorithm_of_library(Algorithm const& algorithm) noexcept;

/// Whether it is an algorithm of the MPI library: `bcast/native[algorithm=binomial]`.
[[nodiscard]] inline bool is_of_library(Choice const& choice) noexcept {
  return is_algorithm_of_library(choice.algorithm());
}

/// Whether an algorithm takes it as one of its phases.
[[nodiscard]] bool takes_native(Algorithm const& algorithm, Parameter const& phase);

[[nodiscard]] inline bool is_native(Choice const& choice) noexcept {
  return choice.algorithm().name == native_name;
}

/// The program with an algorithm of the catalog in place of each native call, for models of costs:
/// one that MPI libraries use for vectors or blocks of medium size.
[[nodiscard]] schedule::RankProgram with_stand_ins(schedule::RankProgram program);

/// @throws Error unsupported for an algorithm of the MPI library: nobody knows what it sends.
void require_model(Choice const& choice);

/// The program of a rank, as models of costs see it.
/// @throws Error as require_model().
[[nodiscard]] schedule::RankProgram
generate_for_model(Choice const& choice, int num_ranks, int root, int rank);

}  // namespace espalier::algorithms
