// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/contents.hpp"

namespace espalier::measure {
namespace {

/// Neighbouring numbers become distant ones.
std::uint32_t scattered(int owner, std::size_t position, std::uint32_t stamp) noexcept {
  auto word = static_cast<std::uint32_t>(position) * 2654435761U;
  word ^= (static_cast<std::uint32_t>(owner) + 1U) * 40503U + stamp * 2246822519U;
  return (word ^ (word >> 15U)) >> 7U;
}

}  // namespace

std::byte content_byte(int rank, std::size_t position, std::uint32_t stamp) noexcept {
  return static_cast<std::byte>(scattered(rank, position, stamp) & 0xFFU);
}

Addends Addends::of_rank(int rank, std::uint32_t stamp) noexcept {
  Addends addends(stamp);
  addends.add(rank);
  return addends;
}

Addends Addends::of_first(int num_ranks, std::uint32_t stamp) noexcept {
  Addends addends(stamp);
  for (int rank = 0; rank < num_ranks; ++rank) {
    addends.add(rank);
  }
  return addends;
}

void Addends::add(int rank) noexcept {
  ++num_ranks_;
  weight_ += 1 + (scattered(0, static_cast<std::size_t>(rank), stamp_) & 0x3FFU);
}

double Addends::sum(std::size_t position) const noexcept {
  std::uint32_t const word = scattered(1, position, stamp_);
  std::int64_t const own = word & 0xFFU;
  std::int64_t const slope = 1 + (word >> 8U & 0xFFU);
  return static_cast<double>(num_ranks_ * own + weight_ * slope);
}

}  // namespace espalier::measure
