// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace espalier::plan {

/// The names of the values of a variable of MPICH, numbered from 0 on, as its description lists
/// them; empty if that cannot be told for sure.
///
/// MPICH does not enumerate the values of such variables, it describes them: `auto - Internal
/// algorithm selection`, `nb - Force nonblocking algorithm`, in the order of their numbers. Some
/// versions leave out the ends of lines, so that a name begins within a word (`Treenb - Force`);
/// then it has to be one that is known here.
[[nodiscard]] std::vector<std::string> described_values(std::string_view description);

}  // namespace espalier::plan
