// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "espalier/neighborhood/algorithm.hpp"
#include "espalier/plan/neighbors/neighbor_list.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

inline constexpr std::size_t num_neighbor_calls = all_neighbor_calls.size();

[[nodiscard]] constexpr std::size_t index_of(NeighborCall call) noexcept {
  return static_cast<std::size_t>(call);
}

[[nodiscard]] constexpr NeighborFacts const& facts_of(NeighborCall call) noexcept {
  return neighbor_facts[index_of(call)];
}

/// `neighbor_alltoallv`, as in settings.
[[nodiscard]] constexpr std::string_view to_string(NeighborCall call) noexcept {
  return facts_of(call).text;
}

/// `MPI_Neighbor_alltoallv`.
[[nodiscard]] constexpr std::string_view function_name(NeighborCall call) noexcept {
  return facts_of(call).function;
}

/// The same call as rules name it.
[[nodiscard]] constexpr profile::Call rule_call(NeighborCall call) noexcept {
  return profile::neighbor_calls[index_of(call)];
}

/// The same call, of one that is a neighborhood's.
[[nodiscard]] constexpr NeighborCall neighbor_call(profile::Call call) noexcept {
  return all_neighbor_calls[profile::index_of(call) - profile::num_calls];
}

/// A call as it returns when it is complete, or when it is only started.
struct NeighborForm {
  NeighborCall call = NeighborCall::allgather;
  profile::Form form = profile::Form::blocking;

  [[nodiscard]] constexpr bool is_blocking() const noexcept {
    return form == profile::Form::blocking;
  }

  friend bool operator==(NeighborForm const&, NeighborForm const&) = default;
};

inline constexpr std::size_t num_neighbor_forms = 2 * num_neighbor_calls;

/// Blocking calls come first.
[[nodiscard]] constexpr std::size_t index_of(NeighborForm one) noexcept {
  return index_of(one.call) + (one.is_blocking() ? 0 : num_neighbor_calls);
}

/// In the order of index_of().
inline constexpr std::array<NeighborForm, num_neighbor_forms> all_neighbor_forms = [] {
  std::array<NeighborForm, num_neighbor_forms> all{};
  for (profile::Form const form : {profile::Form::blocking, profile::Form::nonblocking}) {
    for (NeighborCall const call : all_neighbor_calls) {
      NeighborForm const one{.call = call, .form = form};
      all[index_of(one)] = one;
    }
  }
  return all;
}();

/// The same as rules name it.
[[nodiscard]] constexpr profile::CallForm rule_form(NeighborForm one) noexcept {
  return {.call = rule_call(one.call), .form = one.form};
}

/// `neighbor_alltoallv`, `ineighbor_alltoallv`, as in settings.
[[nodiscard]] std::string to_string(NeighborForm one);

/// None if the text names no such call.
[[nodiscard]] std::optional<NeighborForm> parse_neighbor_form(std::string_view text);

/// The collective whose algorithms serve the call.
[[nodiscard]] constexpr neighborhood::Collective collective_of(NeighborCall call) noexcept {
  return facts_of(call).collective;
}

/// True if all blocks have one size on all ranks, so that ranks in between know it.
[[nodiscard]] constexpr bool has_equal_blocks(NeighborCall call) noexcept {
  return facts_of(call).block_sizes == profile::BlockSizes::equal;
}

}  // namespace espalier::plan
