// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/coverage.hpp"

#include <algorithm>

namespace espalier::plan {

bool covers(profile::Rule const& rule, KindOfCalls const& kind) {
  return rule.is_for(kind.call_form()) && rule.shape.covers(kind.shape) &&
         rule.min_bytes <= kind.min_bytes && kind.min_bytes <= rule.max_bytes;
}

bool covers(profile::Profile const& rules, KindOfCalls const& kind) {
  return std::ranges::any_of(rules.rules(), [&](profile::Rule const& rule) {
    return covers(rule, kind);
  });
}

}  // namespace espalier::plan
