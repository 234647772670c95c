// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "espalier/algorithms/algorithm.hpp"

namespace espalier::verify {

/// What can be wrong with a schedule; the table in DESIGN.md says when each is broken.
enum class ProverRule : std::uint8_t {
  bounds,
  input_written,
  not_held,
  unordered,
  written_twice,
  size,
  tag_reuse,
  unmatched,
  arrivals,
  deadlock,
  too_early,
  too_late,
  contribution,
  operand_order,
  same_result,
  postcondition,
  facts,
  name,
};

inline constexpr std::array all_rules{
    ProverRule::bounds,
    ProverRule::input_written,
    ProverRule::not_held,
    ProverRule::unordered,
    ProverRule::written_twice,
    ProverRule::size,
    ProverRule::tag_reuse,
    ProverRule::unmatched,
    ProverRule::arrivals,
    ProverRule::deadlock,
    ProverRule::too_early,
    ProverRule::too_late,
    ProverRule::contribution,
    ProverRule::operand_order,
    ProverRule::same_result,
    ProverRule::postcondition,
    ProverRule::facts,
    ProverRule::name,
};

[[nodiscard]] std::string_view to_string(ProverRule rule) noexcept;

/// The first rule found broken, and where.
struct Violation {
  ProverRule rule = ProverRule::bounds;
  int rank = -1;       ///< -1 if it belongs to no single rank
  int operation = -1;  ///< index in the rank's program; -1 if it belongs to no single operation
  std::string text;    ///< what was expected and found, with the operation written out
};

/// `not_held: rank 3, operation 5 (round 1 send to 0 output 2): ...`
[[nodiscard]] std::string to_string(Violation const& violation);

struct Verdict {
  std::optional<Violation> violation;
  /// Counted over all programs; meaningful if nothing is broken.
  algorithms::Facts facts;

  [[nodiscard]] bool holds() const noexcept { return !violation.has_value(); }
};

}  // namespace espalier::verify
