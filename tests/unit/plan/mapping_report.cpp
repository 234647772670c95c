// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/mapping_report.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/mapping/dims/stencil.hpp"

namespace espalier::plan {
namespace {

using mapping::CartesianGrid;
using mapping::Places;

std::string report(std::vector<Places::LevelGroups> levels) {
  Places const places(std::move(levels));
  CartesianGrid const grid({4, 2});
  mapping::Mapping const mapping = mapping::map_grid(
      {.grid = grid, .stencil = mapping::Stencil::nearest(2), .places = places},
      {.algorithms = {"identity"}, .searches = false}
  );
  return mapping_report(extents_text(grid), mapping, places);
}

TEST(MappingReport, CountsNodesAndNotTheSwitchesAroundThem) {
  Places::LevelGroups const switches{.name = "switch", .group_of_rank = {0, 0, 0, 0, 1, 1, 1, 1}};
  Places::LevelGroups const nodes{.name = "node", .group_of_rank = {0, 0, 1, 1, 2, 2, 3, 3}};
  EXPECT_TRUE(report({switches, nodes}).starts_with("4x2 on 4 nodes: "));
  EXPECT_TRUE(report({nodes}).starts_with("4x2 on 4 nodes: "));
}

TEST(MappingReport, TakesTheOutermostLevelForNodesIfNoneIsCalledSo) {
  Places::LevelGroups const groups{.name = "group", .group_of_rank = {0, 0, 0, 0, 1, 1, 1, 1}};
  EXPECT_TRUE(report({groups}).starts_with("4x2 on 2 nodes: "));
}

}  // namespace
}  // namespace espalier::plan
