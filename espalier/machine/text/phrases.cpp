// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/text/phrases.hpp"

#include <algorithm>
#include <cstddef>

#include "espalier/machine/sources/cpu_set.hpp"

namespace espalier::machine {

std::string ranks_text(std::vector<int> const& ranks, std::size_t num_ranks) {
  if (ranks.size() == num_ranks && num_ranks > 1) {
    return "all " + std::to_string(num_ranks) + " ranks";
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + CpuSet(ranks).text();
}

std::string listed(std::vector<std::string> const& names) {
  constexpr std::size_t most = 3;
  std::size_t const shown = names.size() <= most + 1 ? names.size() : most;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    bool const is_last = i + 1 == names.size();
    text += i == 0 ? "" : is_last ? " and " : ", ";
    text += names[i];
  }
  return shown == names.size() ? text
                               : text + " and " + std::to_string(names.size() - shown) + " more";
}

std::string nodes_text(std::vector<std::string> const& names) {
  return (names.size() == 1 ? "node " : "nodes ") + listed(names);
}

}  // namespace espalier::machine
