// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/halo/halo_values.hpp"

#include <algorithm>
#include <vector>

namespace espalier::measure {
namespace {

constexpr float garbage = -1.0F;

/// A message on its way: who sends it, to which side along which dimension.
struct Source {
  int position;
  std::size_t dimension;
  std::size_t side;
  std::uint32_t stamp;
};

/// A natural number that a float holds exactly.
float value_of(Source const& source, std::size_t index) noexcept {
  auto word = static_cast<std::uint32_t>(index) * 2654435761U;
  word ^= (static_cast<std::uint32_t>(source.position) + 1U) * 40503U + source.stamp * 2246822519U;
  word += static_cast<std::uint32_t>(2 * source.dimension + source.side) * 3266489917U;
  return static_cast<float>((word ^ (word >> 15U)) >> 9U);
}

/// Calls with the place in memory and the place in the message of each float.
template <typename Call> void for_each_float(HaloMessage const& message, Call const& call) {
  auto const block = static_cast<std::size_t>(message.block);
  for (std::size_t b = 0; b < static_cast<std::size_t>(message.num_blocks); ++b) {
    for (std::size_t i = 0; i < block; ++i) {
      call(b * static_cast<std::size_t>(message.stride) + i, b * block + i);
    }
  }
}

/// What has to stand in the memory of a message; garbage in all of it without a source.
std::vector<float> expected_of(HaloMessage const& message, Source const& source) {
  std::vector<float> expected(message.reach(), garbage);
  if (source.position >= 0) {
    for_each_float(message, [&](std::size_t place, std::size_t index) {
      expected[place] = value_of(source, index);
    });
  }
  return expected;
}

int neighbor_of(
    mapping::CartesianGrid const& grid, int position, std::size_t dimension, std::size_t side
) {
  std::vector<int> offset(static_cast<std::size_t>(grid.num_dimensions()), 0);
  offset[dimension] = side == 0 ? -1 : 1;
  return grid.shifted(position, offset);
}

}  // namespace

void fill_halos(
    HaloGeometry const& geometry,
    int position,
    std::uint32_t stamp,
    std::span<float> sent,
    std::span<float> received
) {
  std::ranges::fill(received, garbage);
  for (std::size_t d = 0; d < geometry.messages.size(); ++d) {
    for (std::size_t side = 0; side < 2; ++side) {
      Source const source{.position = position, .dimension = d, .side = side, .stamp = stamp};
      std::vector<float> const values = expected_of(geometry.messages[d], source);
      std::ranges::copy(values, sent.subspan(geometry.offset(d, side)).begin());
    }
  }
}

std::string halo_problem(
    mapping::CartesianGrid const& grid,
    HaloGeometry const& geometry,
    int position,
    std::uint32_t stamp,
    std::span<float const> received
) {
  for (std::size_t d = 0; d < geometry.messages.size(); ++d) {
    for (std::size_t side = 0; side < 2; ++side) {
      int const neighbor = neighbor_of(grid, position, d, side);
      Source const source{.position = neighbor, .dimension = d, .side = 1 - side, .stamp = stamp};
      std::vector<float> const expected = expected_of(geometry.messages[d], source);
      auto const found = received.subspan(geometry.offset(d, side), expected.size());
      auto const [want, got] = std::ranges::mismatch(expected, found);
      if (want != expected.end()) {
        return "position " + std::to_string(position) + ": expected " + std::to_string(*want) +
               " as float " + std::to_string(want - expected.begin()) + " of the halo from " +
               (side == 0 ? "below" : "above") + " in dimension " + std::to_string(d) + ", got " +
               std::to_string(*got);
      }
    }
  }
  return {};
}

}  // namespace espalier::measure
