// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "espalier/machine/tree/machine.hpp"

namespace espalier::mapping {

/// Round-trip times between all ranks, of messages of one size. Any unit; rows send first. Not
/// symmetric: measured ones never are.
class RttMatrix {
public:
  /// @param times row by row; the diagonal is not looked at.
  /// @throws Error argument unless they are num_ranks^2, num_ranks >= 1, and all but the diagonal
  ///   are finite and above 0: what was not measured cannot be ordered by.
  RttMatrix(int num_ranks, std::vector<double> times);

  /// What a machine says, in seconds: 2 (alpha + beta bytes) of the link between the cores of two
  /// ranks. If its links say nothing, the number of levels whose objects they do not share: 1 for
  /// neighbours. Ranks on one core count as neighbours.
  /// @throws Error argument if only some of the links between these ranks say something.
  static RttMatrix
  of_machine(machine::Machine const& machine, std::span<int const> core_of, double bytes);

  [[nodiscard]] int num_ranks() const noexcept { return num_ranks_; }

  [[nodiscard]] double operator()(int from, int to) const {
    return times_
        [static_cast<std::size_t>(from) * static_cast<std::size_t>(num_ranks_) +
         static_cast<std::size_t>(to)];
  }

private:
  int num_ranks_;
  std::vector<double> times_;
};

/// The group of each rank, numbered as they first occur: ranks that differ in the first level in
/// which any do. One group if each rank would be alone in its own.
[[nodiscard]] std::vector<int>
groups_of(machine::Machine const& machine, std::span<int const> core_of);

}  // namespace espalier::mapping
