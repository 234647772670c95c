// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "espalier/algorithms/catalog.hpp"

namespace espalier::algorithms {

/// What a choice takes whatever its algorithm: see Choice.
namespace common_keys {

inline constexpr std::string_view segments = "segments";
inline constexpr std::string_view burst = "burst";
inline constexpr std::string_view dealt = "dealt";
inline constexpr std::string_view shared_memory = "shared_memory";

}  // namespace common_keys

/// `allgather/ring`.
[[nodiscard]] std::string full_name(Algorithm const& algorithm);

/// Whether messages between ranks of one node are to go through memory that these share. A choice
/// that does not say so sends messages of the MPI library, unless all choices share memory.
[[nodiscard]] bool wants_shared_memory(Choice const& choice);

/// The same choice with `shared_memory=1`; none if it already has it, or cannot have it: a rank in
/// a phase or an algorithm of the MPI library does not go on with what others of its node wait for.
[[nodiscard]] std::optional<Choice> with_shared_memory(Choice const& choice);

/// The same arguments, checked, in the order of the parameters.
/// @throws Error argument for an unknown key, or a value out of range.
[[nodiscard]] Arguments canonical(Algorithm const& algorithm, Arguments const& given);

}  // namespace espalier::algorithms
