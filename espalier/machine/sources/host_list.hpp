// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace espalier::machine {

/// The names of a host list as SLURM writes them, in its order: `n[001-003,020],login1`,
/// `rack[1-2]n[1-4]` (the last bracket runs fastest), `"(null)"` and the empty text: none. Zeros in
/// front stay.
/// @throws Error format for brackets that do not match, ranges that run backwards or are no
///   numbers, and lists of more than 2^20 names.
[[nodiscard]] std::vector<std::string> expand_hosts(std::string_view list);

/// Repeated numbers as SLURM writes them: `4(x3),2` is 4 4 4 2.
/// @throws Error format
[[nodiscard]] std::vector<int> expand_counts(std::string_view list);

}  // namespace espalier::machine
