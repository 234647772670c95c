// SPDX-License-Identifier: Apache-2.0

/// @file
/// What several layers of the module tell of schedules, as python/espalier/_core.pyi has it.

#pragma once

#include <span>
#include <vector>

#include <nanobind/nanobind.h>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/cost/forms/count.hpp"
#include "espalier/cost/forms/traffic.hpp"
#include "espalier/machine/tree/machine.hpp"
#include "espalier/verify/drawing.hpp"

namespace espalier::python {

/// @param num_blocks  of the output of a rank
[[nodiscard]] nanobind::dict facts_of(algorithms::Facts const& facts, int num_blocks);
[[nodiscard]] nanobind::dict work_of(cost::Work const& work);
[[nodiscard]] nanobind::list messages_of(std::vector<verify::Sent> const& messages);
[[nodiscard]] nanobind::dict
traffic_of(std::span<cost::Crossings const> rounds, machine::Machine const& machine);

}  // namespace espalier::python
