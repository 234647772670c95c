// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/mapping_report.hpp"

#include <cstddef>

namespace espalier::plan {
namespace {

/// How many nodes there are. Around them there may be switches; without that name, they come first.
std::size_t num_nodes_of(mapping::Places const& places) {
  int node = 0;
  for (int level = 0; level < places.num_levels(); ++level) {
    if (places.groups(level).name == "node") {
      node = level;
    }
  }
  return places.sizes(node).size();
}

}  // namespace

std::string extents_text(mapping::CartesianGrid const& grid) {
  std::string text;
  for (int const extent : grid.extents()) {
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  }
  return text;
}

std::string mapping_report(
    std::string const& subject, mapping::Mapping const& mapping, mapping::Places const& places
) {
  std::size_t const num_nodes = num_nodes_of(places);
  std::string const how = mapping.is_identity() ? "" : " (" + mapping.algorithm + ")";
  return subject + " on " + std::to_string(num_nodes) + (num_nodes == 1 ? " node: " : " nodes: ") +
         one_line(mapping, places) + how;
}

std::string mapping_notice(std::string const& function, std::string const& report) {
  return function + " " + report +
         "; the program permits another order of ranks (reorder) and gets it: "
         "ESPALIER_MAPPING=off keeps the order, quiet silences this line";
}

}  // namespace espalier::plan
