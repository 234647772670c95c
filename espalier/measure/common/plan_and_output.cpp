// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/plan_and_output.hpp"

#include <iostream>
#include <iterator>

#include "espalier/profile/profile.hpp"

namespace espalier::measure {

std::optional<PlanAndOutput> PlanAndOutput::parse(int num_words, char const* const* words) {
  PlanAndOutput options;
  for (int i = 1; i + 1 < num_words; i += 2) {
    std::string_view const name(words[i]);
    if (name == "--plan") {
      options.plan = words[i + 1];
    } else if (name == "--output") {
      options.output = words[i + 1];
    } else {
      return std::nullopt;
    }
  }
  bool const is_complete = num_words == 5 && !options.plan.empty() && !options.output.empty();
  return is_complete ? std::optional(options) : std::nullopt;
}

std::string PlanAndOutput::read_plan() const {
  if (plan == "-") {
    return {std::istreambuf_iterator<char>(std::cin), {}};
  }
  return profile::read_text(plan);
}

}  // namespace espalier::measure
