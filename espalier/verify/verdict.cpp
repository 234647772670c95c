// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/verdict.hpp"

#include <fmt/format.h>

namespace espalier::verify {

std::string_view to_string(Rule rule) noexcept {
  switch (rule) {
  case Rule::bounds:
    return "bounds";
  case Rule::input_written:
    return "input_written";
  case Rule::not_held:
    return "not_held";
  case Rule::unordered:
    return "unordered";
  case Rule::written_twice:
    return "written_twice";
  case Rule::size:
    return "size";
  case Rule::tag_reuse:
    return "tag_reuse";
  case Rule::unmatched:
    return "unmatched";
  case Rule::deadlock:
    return "deadlock";
  case Rule::contribution:
    return "contribution";
  case Rule::operand_order:
    return "operand_order";
  case Rule::same_result:
    return "same_result";
  case Rule::postcondition:
    return "postcondition";
  case Rule::facts:
    return "facts";
  case Rule::name:
    return "name";
  }
  return "unknown";
}

std::string to_string(Violation const& violation) {
  std::string place;
  if (violation.rank >= 0) {
    place = fmt::format(" rank {}", violation.rank);
  }
  if (violation.operation >= 0) {
    place += fmt::format(", operation {}", violation.operation);
  }
  return fmt::format(
      "{}:{}{} {}", to_string(violation.rule), place, place.empty() ? "" : ":", violation.text
  );
}

}  // namespace espalier::verify
