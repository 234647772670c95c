// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

namespace espalier::machine {

/// Letter of a level in short texts, 0 if it has none: n for node.
[[nodiscard]] char letter_of(std::string_view name) noexcept;

/// Name of the level with this letter; empty if there is none.
[[nodiscard]] std::string_view name_of(char letter) noexcept;

/// All letters with their names, for complaints.
[[nodiscard]] std::string letters_text();

/// Whether a level may lie inside another one: group > switch > node > package, numa, l3 in any
/// order > core > thread. Names that are none of these may be anywhere.
[[nodiscard]] bool may_lie_inside(std::string_view inner, std::string_view outer) noexcept;

/// Whether a level may be called so: small letters, digits and _, a letter first.
[[nodiscard]] bool is_name(std::string_view name) noexcept;

/// Name of one of several levels of switches, outermost first: switch1, switch2; of one: switch.
[[nodiscard]] std::string switch_name(int number, int num_levels);

}  // namespace espalier::machine
