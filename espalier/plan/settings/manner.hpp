// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace espalier::plan {

/// What a reduction combines with. Operators of the program differ in what may be done with them.
enum class Operator : std::uint8_t {
  none,
  sum,
  prod,
  max,
  min,
  land,
  lor,
  lxor,
  band,
  bor,
  bxor,
  minloc,
  maxloc,
  user,          ///< of the program; it commutes
  user_ordered,  ///< of the program; it does not commute
};

/// In the order of the enumeration, as in files; `none` has no name there.
inline constexpr std::array<std::string_view, 15> operator_names{
    "",
    "sum",
    "prod",
    "max",
    "min",
    "land",
    "lor",
    "lxor",
    "band",
    "bor",
    "bxor",
    "minloc",
    "maxloc",
    "user",
    "user_ordered",
};

static_assert(operator_names.size() == static_cast<std::size_t>(Operator::user_ordered) + 1);

[[nodiscard]] constexpr std::string_view to_string(Operator op) noexcept {
  return operator_names[static_cast<std::size_t>(op)];
}

/// None if the text names no operator.
[[nodiscard]] constexpr std::optional<Operator> parse_operator(std::string_view text) noexcept {
  for (std::size_t i = 1; i < operator_names.size(); ++i) {
    if (operator_names[i] == text) {
      return static_cast<Operator>(i);
    }
  }
  return std::nullopt;
}

/// How a call was made, as far as it matters for what is fastest.
struct Manner {
  static constexpr std::int32_t no_root = -1;
  static constexpr std::int32_t other_root = -2;

  std::int32_t root = no_root;
  Operator op = Operator::none;
  bool is_in_place = false;  ///< on this rank

  /// Stands for all that are counted together, since there are too many.
  [[nodiscard]] static constexpr Manner others() noexcept { return {.root = other_root}; }

  friend constexpr auto operator<=>(Manner const&, Manner const&) = default;
};

}  // namespace espalier::plan
