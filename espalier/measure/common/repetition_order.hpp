// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace espalier::measure {

/// The order of the candidates in each repetition: a fresh shuffle every time, so that no candidate
/// always follows the same other one or meets the same phase of a background process. The same on
/// all ranks and platforms.
class RepetitionOrder {
public:
  RepetitionOrder(std::uint64_t seed, std::size_t num_candidates);

  /// Valid until the next call.
  std::span<std::size_t const> next() noexcept;

private:
  std::mt19937_64 generator_;
  std::vector<std::size_t> order_;
};

}  // namespace espalier::measure
