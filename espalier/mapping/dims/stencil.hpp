// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::mapping {

/// With whom every process of a grid exchanges messages, seen from the process itself. Offsets may
/// be of any length, one-sided, and leave holes.
class Stencil {
public:
  struct Neighbor {
    std::vector<int> offset;  ///< one entry for each dimension, not all 0
    double weight = 1;        ///< how much is sent there, e.g. bytes; above 0

    friend bool operator==(Neighbor const&, Neighbor const&) = default;
  };

  /// @throws Error argument unless there is a dimension, all offsets have an entry for each, none
  ///   is all 0, none occurs twice, and weights are finite and above 0.
  Stencil(int num_dimensions, std::vector<Neighbor> neighbors);

  /// The 2 d nearest neighbours: -1 and +1 along each dimension, in MPI's order.
  /// @param weights of messages along each dimension; empty: 1.
  static Stencil nearest(int num_dimensions, std::span<double const> weights = {});
  /// All 3^d - 1 neighbours, corners too.
  static Stencil full(int num_dimensions);
  /// `nearest` or `5pt` (2-D), `7pt` (3-D), `full` or `9pt`, `27pt`; or offsets with weights if
  /// they are not 1: `(1,0) (-1,0) (0,1):2.5 (0,-1):2.5`.
  static Stencil parse(std::string_view text, int num_dimensions);

  [[nodiscard]] int num_dimensions() const noexcept { return num_dimensions_; }

  [[nodiscard]] std::vector<Neighbor> const& neighbors() const noexcept { return neighbors_; }

  /// The inverse of parse(), the shortest name where there is one.
  [[nodiscard]] std::string to_text() const;

  friend bool operator==(Stencil const&, Stencil const&) = default;

private:
  int num_dimensions_;
  std::vector<Neighbor> neighbors_;
};

}  // namespace espalier::mapping
