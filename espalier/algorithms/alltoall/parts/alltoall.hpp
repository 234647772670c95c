// SPDX-License-Identifier: Apache-2.0

/// @file
/// What alltoall algorithms share.

#pragma once

#include <cstdint>
#include <vector>

#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {

/// Blocks first, first + stride, ... of the input (modulo p).
[[nodiscard]] schedule::Slot input_blocks(int first, int num_blocks = 1, int stride = 1) noexcept;

/// A rank's block for itself, from the input to its place.
void copy_own_block(schedule::Builder& builder);

/// Scratch for this many blocks; blocks must have equal sizes.
[[nodiscard]] schedule::Slot scratch_blocks(schedule::Builder& builder, int num_blocks);

/// Numbers with a given digit at one place of a positional system: (high * radix + digit) * weight
/// + low, with low < weight and digit < radix.
struct Digit {
  int weight = 1;
  int radix = 2;
  int digit = 0;

  /// How many there are in 0 .. n - 1; digit * weight < n.
  [[nodiscard]] int count(int n) const noexcept;
  /// Those in 0 .. n - 1 with low >= lowest, in few slots: runs or combs. Equal arguments give
  /// equal orders.
  [[nodiscard]] std::vector<schedule::Slot> numbers(int n, int lowest = 0) const;
};

/// The digits 1, 2, ... below the radix that some number below n has at the place of this weight.
[[nodiscard]] std::vector<Digit> nonzero_digits(int n, int radix, std::int64_t weight);

/// Where numbers are kept: number x is block origin + sign * x of a buffer.
struct BlockLayout {
  schedule::Buffer buffer = schedule::Buffer::output;
  int origin = 0;
  int sign = 1;

  [[nodiscard]] std::vector<schedule::Slot> of(std::vector<schedule::Slot> numbers) const;
};

}  // namespace espalier::algorithms
