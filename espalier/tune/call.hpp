// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "espalier/algorithms/algorithm.hpp"

namespace espalier::tune {

/// An MPI function that rules speak of. Several calls can share the algorithms of one collective.
enum class Call : std::uint8_t { allgather, allgatherv, bcast };

inline constexpr std::array all_calls{Call::allgather, Call::allgatherv, Call::bcast};
inline constexpr std::size_t num_calls = all_calls.size();

[[nodiscard]] constexpr std::size_t index_of(Call call) noexcept {
  return static_cast<std::size_t>(call);
}

/// `allgatherv`, as in profiles and settings.
[[nodiscard]] std::string_view to_string(Call call) noexcept;

/// `MPI_Allgatherv`.
[[nodiscard]] std::string_view function_name(Call call) noexcept;

/// The collective whose algorithms serve the call.
[[nodiscard]] algorithms::Collective collective_of(Call call) noexcept;

/// @throws Error argument with the valid names.
[[nodiscard]] Call parse_call(std::string_view text);

}  // namespace espalier::tune
