// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/cost/forms/count.hpp"

namespace espalier::cost {

/// Hockney's machine: a message of n bytes takes alpha + beta n, combining n bytes gamma n.
/// Every rank sends and receives at the same time; messages do not disturb each other.
struct Hockney {
  double alpha = 0;  ///< seconds
  double beta = 0;   ///< seconds per byte
  double gamma = 0;  ///< seconds per byte
};

/// Seconds for blocks of one size: rounds alpha + (volume beta + reductions gamma) block_bytes.
[[nodiscard]] double time(Work const& work, Hockney const& machine, double block_bytes);

/// The closed form: what the algorithm says its work is, if it has one.
[[nodiscard]] std::optional<Work> closed_form(algorithms::Facts const& facts);

}  // namespace espalier::cost
