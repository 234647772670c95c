// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "espalier/base/field.hpp"
#include "espalier/profile/call.hpp"
#include "espalier/profile/shape.hpp"

namespace espalier::plan {

/// Calls of which something is learned together: of one function and one class of sizes, on
/// communicators of one shape.
struct KindOfCalls {
  profile::Call call = profile::Call::allgather;
  profile::Shape shape;
  std::int64_t min_bytes = 0;                    ///< of results, as rules have them
  std::optional<std::int64_t> max_bytes;         ///< inclusive; none: no limit
  profile::Form form = profile::Form::blocking;  ///< or nonblocking

  [[nodiscard]] profile::CallForm call_form() const noexcept {
    return {.call = call, .form = form};
  }

  /// Calls of this kind return before they are complete.
  [[nodiscard]] bool is_started() const noexcept { return form == profile::Form::nonblocking; }

  friend bool operator==(KindOfCalls const&, KindOfCalls const&) = default;
  friend bool operator<(KindOfCalls const& left, KindOfCalls const& right) noexcept;
};

/// The kind of a call: the class of its size, or all sizes where rules cannot depend on it.
[[nodiscard]] KindOfCalls kind_of(
    profile::Call call,
    profile::Shape shape,
    std::int64_t bytes,
    profile::Form form = profile::Form::blocking
) noexcept;

/// In each such call every rank waits for all others, or none does as there is nothing to send.
/// Where counts are lists, a rank that has only zeros waits for nobody.
[[nodiscard]] bool ranks_meet(profile::Call call) noexcept;

/// A rank may be through with such a call long before others are. In an allgatherv no rank is: each
/// waits for all others that have data.
[[nodiscard]] bool ranks_run_ahead(profile::Call call) noexcept;

/// Results of 32 KiB or more, or of any size where not all ranks know it. In calls of neighborhoods
/// a block goes to each neighbour.
[[nodiscard]] bool carries_much_data(KindOfCalls const& kind) noexcept;

/// Sets the members that rules have, too: collective, num_ranks, num_nodes, placement unless it is
/// any, topology and max_neighbors if it has a neighborhood, min_bytes, max_bytes.
void set_members(nlohmann::json& object, KindOfCalls const& kind);
/// @throws Error format
[[nodiscard]] KindOfCalls kind_from_members(Field const& object);

}  // namespace espalier::plan
