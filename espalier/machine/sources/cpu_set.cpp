// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/cpu_set.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <sched.h>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/machine/tree/numbers.hpp"

namespace espalier::machine {
namespace {

constexpr int most_cpus = 1 << 20;

std::string_view stripped(std::string_view text) {
  constexpr std::string_view white = " \t\r\n";
  std::size_t const begin = text.find_first_not_of(white);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(white) - begin + 1);
}

void add_range(std::string_view range, std::string_view text, std::vector<int>& cpus) {
  std::size_t const dash = range.find('-');
  auto const first = natural(range.substr(0, dash));
  auto const last = dash == std::string_view::npos ? first : natural(range.substr(dash + 1));
  if (!first || !last || *first > *last || *last > most_cpus) {
    throw Error(
        ErrorCode::format,
        "expected a list of processors as in 0-3,8, got '" + std::string(text) + "'"
    );
  }
  for (int cpu = *first; cpu <= *last; ++cpu) {
    cpus.push_back(cpu);
  }
}

}  // namespace

CpuSet::CpuSet(std::vector<int> cpus) : cpus_(std::move(cpus)) {
  std::ranges::sort(cpus_);
  cpus_.erase(std::unique(cpus_.begin(), cpus_.end()), cpus_.end());
}

CpuSet CpuSet::parse(std::string_view text) {
  std::vector<int> cpus;
  std::string_view rest = stripped(text);
  while (!rest.empty()) {
    std::size_t const comma = rest.find(',');
    add_range(rest.substr(0, comma), text, cpus);
    if (comma == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(comma + 1);
    if (rest.empty()) {
      add_range(rest, text, cpus);
    }
  }
  return CpuSet(std::move(cpus));
}

CpuSet CpuSet::allowed_here() {
  // The kernel refuses sets smaller than its own, whose size it does not tell.
  for (std::size_t num_cpus = CPU_SETSIZE; num_cpus <= std::size_t{1} << 16; num_cpus *= 2) {
    std::vector<cpu_set_t> sets(num_cpus / CPU_SETSIZE);
    std::size_t const num_bytes = sets.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, num_bytes, sets.data()) != 0) {
      continue;
    }
    std::vector<int> cpus;
    for (std::size_t cpu = 0; cpu < num_cpus; ++cpu) {
      if (CPU_ISSET_S(cpu, num_bytes, sets.data())) {
        cpus.push_back(static_cast<int>(cpu));
      }
    }
    return CpuSet(std::move(cpus));
  }
  return {};
}

bool CpuSet::contains(int cpu) const {
  return std::ranges::binary_search(cpus_, cpu);
}

std::string CpuSet::text() const {
  std::string text;
  for (std::size_t first = 0; first < cpus_.size();) {
    std::size_t last = first;
    while (last + 1 < cpus_.size() && cpus_[last + 1] == cpus_[last] + 1) {
      ++last;
    }
    text += text.empty() ? "" : ",";
    text += std::to_string(cpus_[first]);
    text += last > first ? "-" + std::to_string(cpus_[last]) : "";
    first = last + 1;
  }
  return text;
}

}  // namespace espalier::machine
