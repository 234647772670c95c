// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

namespace espalier::pattern {

/// Ranks 0 .. p - 1 reduced to fewer places: of the first 2 (p - num_places) ranks, each pair
/// (2v, 2v + 1) shares place v, which the even rank holds; every other rank has a place of its own.
/// The places are in rank order, so that a reduction over them keeps the order of operands.
///
/// Needs p / 2 <= num_places <= p.
class Folding {
public:
  constexpr Folding(int num_ranks, int num_places) noexcept
      : num_places_(num_places), num_pairs_(num_ranks - num_places) {}

  [[nodiscard]] constexpr int num_places() const noexcept { return num_places_; }

  [[nodiscard]] constexpr int num_pairs() const noexcept { return num_pairs_; }

  /// Whether a rank stays aside and leaves its place to the rank below.
  [[nodiscard]] constexpr bool is_aside(int rank) const noexcept {
    return rank < 2 * num_pairs_ && rank % 2 == 1;
  }

  [[nodiscard]] constexpr bool is_pair(int place) const noexcept { return place < num_pairs_; }

  [[nodiscard]] constexpr int place_of(int rank) const noexcept {
    return rank < 2 * num_pairs_ ? rank / 2 : rank - num_pairs_;
  }

  /// The rank that holds a place; if it is a pair, the other is the next rank.
  [[nodiscard]] constexpr int rank_of(int place) const noexcept {
    return is_pair(place) ? 2 * place : place + num_pairs_;
  }

private:
  int num_places_;
  int num_pairs_;
};

/// Sizes of the groups in which as many ranks as possible meet all others: k as often as k^i fits
/// into num_ranks, and then j if j k^i does, with j < k. Distances in round i are the product of
/// the sizes before. k >= 2.
[[nodiscard]] std::vector<int> group_sizes(int num_ranks, int k);

/// All ranks on as many places as these groups cover.
[[nodiscard]] Folding folded_onto_groups(int num_ranks, std::span<int const> sizes);

/// The members of the group of a place, in ascending order.
[[nodiscard]] std::vector<int> group_of(int place, int distance, int size);

}  // namespace espalier::pattern
