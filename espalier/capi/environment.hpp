// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/plan/topologies/places.hpp"

namespace espalier::capi {

/// ESPALIER_MACHINE: the text of a machine, or the path of a file that holds it. The only variable
/// the C interface reads.
[[nodiscard]] plan::MachineText described_machine();

}  // namespace espalier::capi
