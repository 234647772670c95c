// SPDX-License-Identifier: Apache-2.0

/// @file
/// Which implicit teams a team keeps, of espalier_array.h.

#include "include/espalier_array.h"

#include "espalier/capi/onesided/arrays/implicit_teams.hpp"
#include "espalier/capi/onesided/team_end.hpp"
#include "espalier/capi/onesided/team_object.hpp"

using espalier::capi::on;

extern "C" {

int espalier_team_cache_limits(espalier_team* team, int most_teams, uint64_t scratch_bytes) {
  return on(team, [&](espalier_team& self) { self.implicit->limit(most_teams, scratch_bytes); });
}

int espalier_team_cache_size(espalier_team const* team) {
  return team == nullptr ? 0 : team->implicit->size();
}

int espalier_team_cache_clear(espalier_team* team) {
  return on(team, [](espalier_team& self) {
    espalier::capi::check_requests_freed(self.num_array_requests);
    self.implicit->clear();
  });
}

}  // extern "C"
