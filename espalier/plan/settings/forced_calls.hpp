// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

#include "espalier/plan/settings/settings.hpp"

namespace espalier::plan {

/// Notes what ESPALIER_FORCE says in `settings`. An entry that is wrong becomes a warning: it is
/// ignored, or its call is native.
/// @param text  `allgather=bruck;bcast=native`
void parse_force(std::string_view text, Settings& settings);

}  // namespace espalier::plan
