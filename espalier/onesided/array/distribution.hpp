// SPDX-License-Identifier: Apache-2.0

/// @file
/// Where the elements of a shared array are, after [nishtala2009], sections 2 and 10.2: an array is
/// cut into blocks, which are dealt to a grid of ranks, in each dimension in turn.
///
///     9 elements in blocks of 2 on 3 ranks     | 0 1 | 2 3 | 4 5 | 6 7 | 8 . |
///     rank                                        0     1     2     0     1
///     slot of that rank                           0     0     0     1     1
///
/// A rank keeps its blocks one behind the other, each whole, also one that the edge of the array
/// cuts, and all ranks have as many slots as the one with the most blocks. So the place of each
/// element is arithmetic on every rank, and the same slot begins at the same offset on all of them.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace espalier::onesided {

/// As many dimensions as an array may have.
inline constexpr std::size_t most_dims = 4;

/// Of an element or a block; what is beyond the dimensions of the array is 0.
using ArrayIndex = std::array<std::int64_t, most_dims>;

/// One dimension of an array.
struct ArrayDimension {
  std::int64_t extent = 1;  ///< elements
  std::int64_t block = 0;   ///< elements of a block; 0: one block for each rank of the grid
  int grid = 0;             ///< ranks; 0, in one dimension at most: what the others leave

  [[nodiscard]] std::int64_t num_blocks() const noexcept;
  /// Blocks of the rank that has the most.
  [[nodiscard]] std::int64_t num_slots() const noexcept;

  friend bool operator==(ArrayDimension const&, ArrayDimension const&) = default;
};

/// A block as its owner keeps it.
struct BlockPlace {
  int rank = 0;
  std::int64_t slot = 0;

  friend bool operator==(BlockPlace const&, BlockPlace const&) = default;
};

/// An element as its owner keeps it.
struct ElementPlace {
  int rank = 0;
  std::int64_t position = 0;  ///< elements from the beginning of the array on its rank

  friend bool operator==(ElementPlace const&, ElementPlace const&) = default;
};

/// A Cartesian distribution of blocks over ranks, which are numbered as the grid is in row-major
/// order. Pure; equal on all ranks.
class Distribution {
public:
  /// @throws Error argument for what no array can be, and for a grid of another number of ranks.
  Distribution(std::vector<ArrayDimension> dims, int num_ranks);

  /// With nothing left to be chosen.
  [[nodiscard]] std::span<ArrayDimension const> dims() const noexcept { return dims_; }

  [[nodiscard]] std::int64_t block_elements() const noexcept { return block_elements_; }

  /// That each rank keeps.
  [[nodiscard]] std::int64_t num_slots() const noexcept { return num_slots_; }

  /// That each rank keeps.
  [[nodiscard]] std::int64_t num_elements() const noexcept { return num_slots_ * block_elements_; }

  /// @param block  of the array
  [[nodiscard]] BlockPlace block_place(ArrayIndex const& block) const noexcept;
  /// @throws Error argument for an element that the array does not have.
  [[nodiscard]] ElementPlace element_place(ArrayIndex const& element) const;

  friend bool operator==(Distribution const&, Distribution const&) = default;

private:
  void choose_grid(int num_ranks);
  void check_sizes();

  std::vector<ArrayDimension> dims_;
  std::int64_t block_elements_ = 1;
  std::int64_t num_slots_ = 1;
};

}  // namespace espalier::onesided
