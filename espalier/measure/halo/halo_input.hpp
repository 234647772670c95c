// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "espalier/mapping/dims/dims.hpp"

namespace espalier::measure {

/// How a Cartesian communicator is made; the numbers are those of input files.
enum class HaloMethod {
  dims_create = 1,    ///< MPI_Dims_create and MPI_Cart_create with reorder
  equal_weights = 2,  ///< MPIX_Cart_weighted_create, all directions alike
  grid_weights = 3,   ///< the same, each direction weighs 1 / its grid points
  given_weights = 4,  ///< the same, weights by hand
  given_levels = 5,   ///< MPIX_Cart_ml_create
};

/// A line of an input file: one way to make the communicator.
struct HaloCase {
  int line = 0;  ///< counted from 1
  HaloMethod method = HaloMethod::dims_create;
  std::vector<double> weights;      ///< of given_weights only
  mapping::MultiLevelDims dims_ml;  ///< of given_levels only

  friend bool operator==(HaloCase const&, HaloCase const&) = default;
};

/// Elements that stand together, and from the first of them to that of the next ones, as in
/// MPI_Type_vector; block 0: all stand together.
struct HaloStride {
  int block = 0;
  int stride = 0;

  friend bool operator==(HaloStride const&, HaloStride const&) = default;
};

/// Cases that exchange the same halos and are compared with each other.
struct HaloGroup {
  std::vector<int> grid;  ///< points of a process along each dimension, before they are multiplied
  std::vector<bool> is_periodic;
  std::vector<HaloStride> strides;
  std::vector<HaloCase> cases;

  [[nodiscard]] int num_dimensions() const noexcept { return static_cast<int>(grid.size()); }
};

/// What to measure: an input file of lines.
///
///     factors 1 2 4 8                  of the grids; 1 2 4 .. 512 if the line is missing
///     repetitions 5 100                at least, at most; 20 200
///     seconds 30                       for all; 60
///     method 1 grid 2 2 2              # the rest of a line is a comment
///     method 4 grid 2 2 2 weights 1 2 0.5
///     method 5 grid 2 2 2 dims_ml 8x1x1 1x2x3 1x1x4       outermost level first
///     method 3 grid 1 2 periodic 0 1 strided 0/0 2/8      block/stride; 0/0: contiguous
///
/// There are 1 to 6 dimensions, periodic and contiguous if nothing is said. Lines with the same
/// grid, periods and strides are a group, wherever they stand; the first one is its reference.
struct HaloInput {
  static constexpr int most_dimensions = 6;

  std::vector<int> factors{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  int min_repetitions = 20;
  int max_repetitions = 200;
  double seconds = 60;
  std::vector<HaloGroup> groups;

  /// @param origin name of the file, for messages.
  /// @throws Error format, one line: file and line, what was expected, what was found.
  static HaloInput parse(std::string_view text, std::string_view origin);
};

}  // namespace espalier::measure
