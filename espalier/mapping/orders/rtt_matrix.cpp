// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/orders/rtt_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::mapping {
namespace {

/// The level whose link a message between two ranks takes; the last for ranks on one core.
int level_between(machine::Machine const& machine, int core, int other) {
  return std::min(machine.crossing(core, other), machine.num_levels() - 1);
}

/// For each level, whether messages between these ranks take its link.
std::vector<bool> levels_used(machine::Machine const& machine, std::span<int const> core_of) {
  std::vector<bool> is_used(static_cast<std::size_t>(machine.num_levels()));
  for (std::size_t rank = 1; rank < core_of.size(); ++rank) {
    for (std::size_t other = 0; other < rank; ++other) {
      is_used[static_cast<std::size_t>(level_between(machine, core_of[rank], core_of[other]))] =
          true;
    }
  }
  return is_used;
}

/// Round-trip time by level; 0 where it is not used.
std::vector<double>
time_of_level(machine::Machine const& machine, std::vector<bool> const& is_used, double bytes) {
  std::vector<double> times(is_used.size());
  bool says_something = false;
  for (std::size_t level = 0; level < times.size(); ++level) {
    machine::Link const& link = machine.link(static_cast<int>(level));
    times[level] = is_used[level] ? 2 * (link.alpha() + link.beta() * bytes) : 0.0;
    says_something = says_something || times[level] > 0;
  }
  for (std::size_t level = 0; level < times.size(); ++level) {
    if (is_used[level] && !says_something) {
      times[level] = static_cast<double>(times.size() - level);
    } else if (is_used[level] && !(times[level] > 0)) {
      throw Error(
          ErrorCode::argument,
          "expected a latency or a bandwidth of the links of every level, or of none, got none of "
          "level " +
              machine.name(static_cast<int>(level))
      );
    }
  }
  return times;
}

}  // namespace

RttMatrix::RttMatrix(int num_ranks, std::vector<double> times)
    : num_ranks_(num_ranks), times_(std::move(times)) {
  std::size_t const width = static_cast<std::size_t>(std::max(num_ranks, 0));
  if (num_ranks < 1 || times_.size() != width * width) {
    throw Error(
        ErrorCode::argument,
        "expected a square matrix of at least one rank, got " + std::to_string(times_.size()) +
            " numbers for " + std::to_string(num_ranks) + " ranks"
    );
  }
  for (std::size_t i = 0; i < times_.size(); ++i) {
    bool const is_good = i / width == i % width || (std::isfinite(times_[i]) && times_[i] > 0);
    if (!is_good) {
      throw Error(
          ErrorCode::argument,
          "expected a round-trip time above 0 from rank " + std::to_string(i / width) +
              " to rank " + std::to_string(i % width) + ", got " + std::to_string(times_[i]) +
              "; measure the pair again"
      );
    }
  }
}

RttMatrix
RttMatrix::of_machine(machine::Machine const& machine, std::span<int const> core_of, double bytes) {
  std::vector<double> const of_level = time_of_level(machine, levels_used(machine, core_of), bytes);
  std::vector<double> times;
  times.reserve(core_of.size() * core_of.size());
  for (int const core : core_of) {
    for (int const other : core_of) {
      times.push_back(of_level[static_cast<std::size_t>(level_between(machine, core, other))]);
    }
  }
  return RttMatrix(static_cast<int>(core_of.size()), std::move(times));
}

std::vector<int> groups_of(machine::Machine const& machine, std::span<int const> core_of) {
  int level = machine.num_levels() - 1;
  for (int const core : core_of) {
    level = std::min(level, level_between(machine, core_of.front(), core));
  }
  std::map<int, int> number_of;
  std::vector<int> groups;
  for (int const core : core_of) {
    int const next = static_cast<int>(number_of.size());
    groups.push_back(number_of.emplace(machine.object_of(level, core), next).first->second);
  }
  bool const are_alone = number_of.size() == core_of.size();
  return are_alone ? std::vector<int>(core_of.size()) : groups;
}

}  // namespace espalier::mapping
