// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>
#include <vector>

#include "espalier/machine/text/file.hpp"

namespace espalier::python {

/// Where the file says that ranks ran, unless a placement says something else.
/// @param num_ranks 0 for a rank on each core.
std::vector<int>
cores_of_ranks(machine::MachineFile const& file, std::string_view placement, int num_ranks);

}  // namespace espalier::python
