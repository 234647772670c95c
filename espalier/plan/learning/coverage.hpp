// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/plan/learning/kind_of_calls.hpp"
#include "espalier/profile/profile.hpp"

namespace espalier::plan {

/// Whether a rule serves the calls of a kind.
[[nodiscard]] bool covers(profile::Rule const& rule, KindOfCalls const& kind);

/// The same of any of the rules.
[[nodiscard]] bool covers(profile::Profile const& rules, KindOfCalls const& kind);

}  // namespace espalier::plan
