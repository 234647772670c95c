// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include "espalier/neighborhood/algorithm.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::profile {

/// The algorithm of a neighborhood collective that a rule names: `neighbor_alltoall/combining`.
/// @param call  is_neighborhood()
/// @throws Error argument if there is none of this name, or it cannot serve the call.
[[nodiscard]] neighborhood::Algorithm const&
parse_neighbor_choice(Call call, std::string_view text);

/// Why an algorithm cannot serve a call on any communicator; empty if it can on some. Forwarding
/// ranks have to know the size of a block, which in calls with blocks of many sizes they do not.
[[nodiscard]] std::string refuses(Call call, neighborhood::Algorithm const& algorithm);

}  // namespace espalier::profile
