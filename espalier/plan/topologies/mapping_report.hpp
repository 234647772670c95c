// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "espalier/mapping/dims/cartesian_grid.hpp"
#include "espalier/mapping/places.hpp"
#include "espalier/mapping/search/portfolio.hpp"

namespace espalier::plan {

/// Extents as in `50x48`.
[[nodiscard]] std::string extents_text(mapping::CartesianGrid const& grid);

/// "50x48 on 50 nodes: inter-node neighbours 4704 -> 1232, worst node 96 -> 28 (stencil_strips +
/// search)", or why nothing changes.
/// @param subject what was mapped: `50x48`, `graph of 12`.
[[nodiscard]] std::string mapping_report(
    std::string const& subject, mapping::Mapping const& mapping, mapping::Places const& places
);

/// What is said of the first communicator of a process that got another order: its report, and how
/// to see whether the program bears it.
[[nodiscard]] std::string mapping_notice(std::string const& function, std::string const& report);

}  // namespace espalier::plan
