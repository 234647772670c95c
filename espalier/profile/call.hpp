// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "espalier/algorithms/catalog.hpp"

namespace espalier::profile {

/// An MPI function that rules speak of. Several calls can share the algorithms of one collective.
enum class Call : std::uint8_t {
  allgather,
  allgatherv,
  allreduce,
  alltoall,
  alltoallv,
  alltoallw,
  barrier,
  bcast,
  exscan,
  gather,
  gatherv,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  scatter,
  scatterv,
};

/// In the order of the enumeration.
inline constexpr std::array all_calls{
    Call::allgather,
    Call::allgatherv,
    Call::allreduce,
    Call::alltoall,
    Call::alltoallv,
    Call::alltoallw,
    Call::barrier,
    Call::bcast,
    Call::exscan,
    Call::gather,
    Call::gatherv,
    Call::reduce,
    Call::reduce_scatter,
    Call::reduce_scatter_block,
    Call::scan,
    Call::scatter,
    Call::scatterv,
};
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

/// False if rules cannot depend on the size of the result: a barrier has none, and of calls with
/// blocks of any size between two ranks no rank, or only the root, knows the whole.
[[nodiscard]] constexpr bool has_known_size(Call call) noexcept {
  switch (call) {
  case Call::alltoallv:
  case Call::alltoallw:
  case Call::barrier:
  case Call::gatherv:
  case Call::scatterv:
    return false;
  default:
    return true;
  }
}

/// Empty if the choice can serve the call, otherwise the reason.
///
/// Beside Choice::refuses(): not every algorithm can have blocks of different sizes, and none can
/// forward blocks whose sizes the rank in between does not know.
[[nodiscard]] std::string
refuses(Call call, algorithms::Choice const& choice, int num_ranks, int root);

/// @throws Error argument with the valid names.
[[nodiscard]] Call parse_call(std::string_view text);

}  // namespace espalier::profile
