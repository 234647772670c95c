// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/alltoall/parts/alltoall.hpp"

#include <algorithm>

#include "espalier/base/integer.hpp"

namespace espalier::algorithms {

schedule::Slot input_blocks(int first, int num_blocks, int stride) noexcept {
  return {
      .buffer = schedule::Buffer::input,
      .first = first,
      .num_blocks = num_blocks,
      .stride = stride,
  };
}

void copy_own_block(schedule::Builder& builder) {
  builder.copy(schedule::blocks(builder.rank()), input_blocks(builder.rank()));
}

schedule::Slot scratch_blocks(schedule::Builder& builder, int num_blocks) {
  return builder.scratch(schedule::blocks(builder.rank(), num_blocks, 0));
}

int Digit::count(int n) const noexcept {
  std::int64_t const period = std::int64_t{weight} * radix;
  auto const rest = static_cast<int>(n % period);
  return static_cast<int>(n / period) * weight + std::clamp(rest - digit * weight, 0, weight);
}

std::vector<schedule::Slot> Digit::numbers(int n, int lowest) const {
  std::vector<schedule::Slot> result;
  std::int64_t const period = std::int64_t{weight} * radix;
  std::int64_t const begin = std::int64_t{digit} * weight + lowest;
  std::int64_t const end = std::int64_t{digit} * weight + weight;
  std::int64_t const num_runs = begin < n ? ceil_div(n - begin, period) : 0;
  if (num_runs <= end - begin) {
    for (std::int64_t i = 0; i < num_runs; ++i) {
      auto const first = static_cast<int>(begin + i * period);
      result.push_back(
          schedule::blocks(first, static_cast<int>(std::min(end - begin, std::int64_t{n} - first)))
      );
    }
    return result;
  }
  // More than one run, so the period is less than n.
  for (std::int64_t first = begin; first < end; ++first) {
    auto const size = static_cast<int>(ceil_div(n - first, period));
    result.push_back(schedule::blocks(static_cast<int>(first), size, static_cast<int>(period)));
  }
  return result;
}

std::vector<Digit> nonzero_digits(int n, int radix, std::int64_t weight) {
  std::vector<Digit> digits;
  for (int digit = 1; digit < radix && digit * weight < n; ++digit) {
    digits.push_back({.weight = static_cast<int>(weight), .radix = radix, .digit = digit});
  }
  return digits;
}

std::vector<schedule::Slot> BlockLayout::of(std::vector<schedule::Slot> numbers) const {
  for (schedule::Slot& slot : numbers) {
    slot.buffer = buffer;
    slot.first = origin + sign * slot.first;
    slot.stride = sign * slot.stride;
  }
  return numbers;
}

}  // namespace espalier::algorithms
