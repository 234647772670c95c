// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/verdict.hpp"

#include "espalier/base/format.hpp"

namespace espalier::verify {

std::string_view to_string(ProverRule rule) noexcept {
  switch (rule) {
  case ProverRule::bounds:
    return "bounds";
  case ProverRule::input_written:
    return "input_written";
  case ProverRule::not_held:
    return "not_held";
  case ProverRule::unordered:
    return "unordered";
  case ProverRule::written_twice:
    return "written_twice";
  case ProverRule::size:
    return "size";
  case ProverRule::tag_reuse:
    return "tag_reuse";
  case ProverRule::unmatched:
    return "unmatched";
  case ProverRule::arrivals:
    return "arrivals";
  case ProverRule::deadlock:
    return "deadlock";
  case ProverRule::too_early:
    return "too_early";
  case ProverRule::too_late:
    return "too_late";
  case ProverRule::contribution:
    return "contribution";
  case ProverRule::operand_order:
    return "operand_order";
  case ProverRule::same_result:
    return "same_result";
  case ProverRule::postcondition:
    return "postcondition";
  case ProverRule::facts:
    return "facts";
  case ProverRule::name:
    return "name";
  }
  return "unknown";
}

std::string to_string(Violation const& violation) {
  std::string reference;
  if (violation.rank >= 0) {
    reference = formatted(" rank {}", violation.rank);
  }
  if (violation.operation >= 0) {
    reference += formatted(", operation {}", violation.operation);
  }
  return formatted(
      "{}:{}{} {}",
      to_string(violation.rule),
      reference,
      reference.empty() ? "" : ":",
      violation.text
  );
}

}  // namespace espalier::verify
