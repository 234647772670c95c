// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/neighbors/neighbor_name.hpp"

#include "espalier/base/names.hpp"

namespace espalier::plan {

std::string to_string(NeighborForm one) {
  return profile::to_string(rule_form(one));
}

std::optional<NeighborForm> parse_neighbor_form(std::string_view text) {
  return find_named(all_neighbor_forms, text, [](NeighborForm one) { return to_string(one); });
}

}  // namespace espalier::plan
