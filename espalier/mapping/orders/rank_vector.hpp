// SPDX-License-Identifier: Apache-2.0

/// @file
/// Rank vectors: the element at position i is the rank that becomes rank i. The functions that make
/// one are deterministic, the same on every platform.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace espalier::mapping {

using RankVector = std::vector<int>;

/// Why a vector does not hold each of 0 .. num_ranks - 1 once; empty if it does.
[[nodiscard]] std::string refuses(std::span<int const> ranks, int num_ranks);

/// The position of each rank.
/// @throws Error argument unless `ranks` is a permutation of 0 .. p - 1 with p >= 1.
[[nodiscard]] std::vector<int> positions(std::span<int const> ranks);

/// root, root + 1, ..., round the end: how MPI libraries see ranks in trees from a root.
/// @throws Error argument unless 0 <= root < num_ranks, as all that take a root.
[[nodiscard]] RankVector standard_order(int num_ranks, int root);

/// The root, then the others shuffled: what a tree costs when its order means nothing.
[[nodiscard]] RankVector random_order(int num_ranks, int root, std::uint64_t seed);

/// @throws Error argument unless 0 <= root < num_ranks.
void check_root(int num_ranks, int root);

}  // namespace espalier::mapping
