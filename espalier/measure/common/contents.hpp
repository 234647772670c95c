// SPDX-License-Identifier: Apache-2.0

/// @file
/// What ranks put into measured calls. Every rank can tell what every other rank has, so that a
/// result is known without asking a library for it.

#pragma once

#include <cstddef>
#include <cstdint>

namespace espalier::measure {

/// A byte that differs between ranks, neighbouring positions and stamps.
[[nodiscard]] std::byte content_byte(int rank, std::size_t position, std::uint32_t stamp) noexcept;

/// Some ranks whose contributions to a sum are added.
///
/// Element i of rank r is a(i) + w(r) b(i), with scattered whole numbers a, b below 2^8 and w below
/// 2^10. So the sum over any ranks is (how many) a(i) + (sum of w) b(i): known from two numbers,
/// and exact in a double in any order. One rank that is missing, or there twice, changes it.
class Addends {
public:
  /// One rank.
  [[nodiscard]] static Addends of_rank(int rank, std::uint32_t stamp) noexcept;
  /// Ranks 0 .. num_ranks - 1.
  [[nodiscard]] static Addends of_first(int num_ranks, std::uint32_t stamp) noexcept;

  /// What element `position` of their contributions adds up to.
  [[nodiscard]] double sum(std::size_t position) const noexcept;

private:
  explicit Addends(std::uint32_t stamp) noexcept : stamp_(stamp) {}

  void add(int rank) noexcept;

  std::uint32_t stamp_;
  std::int64_t num_ranks_ = 0;
  std::int64_t weight_ = 0;
};

}  // namespace espalier::measure
