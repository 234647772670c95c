// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/probe/cpu_list.hpp"

#include <cstddef>

namespace espalier::measure::probe {

std::string cpu_list(std::span<int const> cpus) {
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) {
      ++last;
    }
    text += (text.empty() ? "" : ",") + std::to_string(cpus[first]);
    if (last > first) {
      text += "-" + std::to_string(cpus[last]);
    }
    first = last + 1;
  }
  return text;
}

}  // namespace espalier::measure::probe
