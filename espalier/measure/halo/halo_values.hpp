// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "espalier/mapping/dims/cartesian_grid.hpp"
#include "espalier/measure/halo/halo_geometry.hpp"

namespace espalier::measure {

/// What a process sends, and garbage in gaps and where halos arrive. Values differ between
/// positions, neighbours, places in the message and stamps.
void fill_halos(
    HaloGeometry const& geometry,
    int position,
    std::uint32_t stamp,
    std::span<float> sent,
    std::span<float> received
);

/// What is wrong with the halos a process received after all were filled with the same stamp and
/// exchanged once; empty if nothing. Beyond the end of a grid nothing may have come, nor into gaps.
[[nodiscard]] std::string halo_problem(
    mapping::CartesianGrid const& grid,
    HaloGeometry const& geometry,
    int position,
    std::uint32_t stamp,
    std::span<float const> received
);

}  // namespace espalier::measure
