// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_end.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"

namespace espalier::capi {

void check_requests_freed(std::size_t num_requests) {
  if (num_requests != 0) {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected a team whose requests were freed, got one with {} of them", num_requests
        )
    );
  }
}

void end_teams(espalier_conduit& conduit, std::span<espalier_team* const> teams) {
  for (espalier_team* const one : teams) {
    one->team.close();
  }
  conduit.wait([&] {
    return std::ranges::all_of(teams, [](espalier_team const* one) {
      return one->team.is_closed();
    });
  });
  for (espalier_team* const one : teams) {
    std::memset(conduit.conduit->segment().data() + one->part.offset, 0, one->part.num_bytes);
    conduit.parts.give_back(one->part);
    std::erase(conduit.teams, &one->team);
  }
}

}  // namespace espalier::capi
