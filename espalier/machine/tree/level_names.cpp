// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/tree/level_names.hpp"

#include <algorithm>
#include <array>

namespace espalier::machine {
namespace {

struct Known {
  std::string_view name;
  char letter;
  int depth;
};

constexpr std::array known{
    Known{"group", 'g', 0},
    Known{"switch", 'w', 1},
    Known{"node", 'n', 2},
    Known{"package", 's', 3},
    Known{"numa", 'm', 3},
    Known{"l3", 'l', 3},
    Known{"core", 'c', 4},
    Known{"thread", 't', 5},
};

bool is_digit(char character) noexcept {
  return character >= '0' && character <= '9';
}

bool is_small(char character) noexcept {
  return character >= 'a' && character <= 'z';
}

/// -1 for a name of the user's own.
int depth_of(std::string_view name) noexcept {
  constexpr std::string_view numbered = "switch";
  if (name.starts_with(numbered) && std::ranges::all_of(name.substr(numbered.size()), is_digit)) {
    name = numbered;
  }
  auto const* const found = std::ranges::find(known, name, &Known::name);
  return found == known.end() ? -1 : found->depth;
}

}  // namespace

char letter_of(std::string_view name) noexcept {
  auto const* const found = std::ranges::find(known, name, &Known::name);
  return found == known.end() ? '\0' : found->letter;
}

std::string_view name_of(char letter) noexcept {
  auto const* const found = std::ranges::find(known, letter, &Known::letter);
  return found == known.end() ? std::string_view() : found->name;
}

std::string letters_text() {
  std::string text;
  for (Known const& level : known) {
    text +=
        (text.empty() ? "" : ", ") + std::string(1, level.letter) + " " + std::string(level.name);
  }
  return text;
}

bool may_lie_inside(std::string_view inner, std::string_view outer) noexcept {
  int const inner_depth = depth_of(inner);
  int const outer_depth = depth_of(outer);
  return inner_depth < 0 || outer_depth < 0 || inner_depth >= outer_depth;
}

bool is_name(std::string_view name) noexcept {
  return !name.empty() && is_small(name.front()) && std::ranges::all_of(name, [](char character) {
    return is_small(character) || is_digit(character) || character == '_';
  });
}

std::string switch_name(int number, int num_levels) {
  return num_levels == 1 ? "switch" : "switch" + std::to_string(number);
}

}  // namespace espalier::machine
