// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace espalier::algorithms {

/// Argument lists worth trying: none, then `[k=2]`, `[k=3]`, ... with the radices up to num_ranks;
/// of these only `large` for more than 33 ranks.
[[nodiscard]] std::vector<std::string>
radix_variants(int num_ranks, std::initializer_list<int> radices, int large);

}  // namespace espalier::algorithms
