// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/exec/memory/integers.hpp"

namespace espalier::exec {

/// Where a block lies relative to the address that the user passed, and how many elements it has.
struct Extent {
  std::int64_t offset_bytes = 0;
  std::int64_t num_elements = 0;
  /// Which of several kinds of elements. Only those of kind 0 have the extent of the layout.
  int type = 0;

  friend bool operator==(Extent const&, Extent const&) = default;
};

/// Turns the blocks of a program into places in memory. Knows no MPI: an element is what the user
/// calls a datatype, and only its extent matters here.
class Layout {
public:
  /// Blocks of one size, one after another: allgather, or a bcast that is not cut (one block).
  /// @throws Error argument for negative numbers.
  static Layout
  uniform(int num_blocks, std::int64_t elements_per_block, std::int64_t element_extent_bytes);

  /// Counts and displacements (in elements) as MPI_Allgatherv takes them; both are copied.
  /// @throws Error argument if the arrays differ in length or a count is negative.
  static Layout varying(Integers counts, Integers displacements, std::int64_t element_extent_bytes);

  /// Blocks anywhere, of elements of several kinds.
  static Layout of(std::vector<Extent> extents, std::int64_t element_extent_bytes);

  /// One message cut into nearly equal blocks. Bytes (extent 1) are cut at multiples of 64, so
  /// that a short message has fewer blocks that are not empty.
  /// @throws Error argument for negative numbers.
  static Layout
  pieces(std::int64_t num_elements, int num_blocks, std::int64_t element_extent_bytes);

  /// Every block cut into nearly equal pieces at boundaries of elements.
  /// @throws Error argument if num_pieces is not positive.
  [[nodiscard]] Layout divided(int num_pieces) const;
  /// These blocks as blocks first, first + 1, ... of num_blocks; the others have no place.
  /// @throws Error argument if they do not fit in.
  [[nodiscard]] Layout within(int num_blocks, int first) const;

  [[nodiscard]] int num_blocks() const noexcept { return num_blocks_; }

  [[nodiscard]] bool has_place(int index) const noexcept {
    return index >= first_ && index - first_ < num_placed_;
  }

  /// True if all blocks are said to have one size.
  [[nodiscard]] bool is_uniform() const noexcept {
    return rule_ == Rule::uniform && num_pieces_ == 1 && num_placed_ == num_blocks_;
  }

  /// Of all blocks that have a place.
  [[nodiscard]] std::int64_t num_elements() const noexcept { return num_elements_; }

  [[nodiscard]] std::int64_t element_extent_bytes() const noexcept { return extent_bytes_; }

  /// Of a block that has a place.
  [[nodiscard]] Extent block(int index) const noexcept;

  /// The same memory in elements of one byte. Right only if elements have no gaps.
  [[nodiscard]] Layout in_bytes() const;
  /// Sizes in bytes of data, packed; places mean nothing any more.
  [[nodiscard]] Layout sizes(std::int64_t bytes_per_element) const;
  /// The same places with all blocks empty: elements that hold no data.
  [[nodiscard]] Layout without_elements() const;

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  enum class Rule : std::uint8_t { uniform, varying };

  Layout(Rule rule, int num_blocks, std::int64_t num_elements, std::int64_t extent_bytes);

  [[nodiscard]] Extent whole(int index) const noexcept;

  Rule rule_;
  int num_blocks_;
  int first_ = 0;  ///< block that has the first place
  int num_placed_;
  int num_pieces_ = 1;  ///< of a block of the rule; blocks above are such pieces
  std::int64_t num_elements_;
  std::int64_t extent_bytes_;
  std::int64_t granule_ = 1;     ///< boundaries of pieces are multiples of this many elements
  std::vector<Extent> extents_;  ///< varying
};

}  // namespace espalier::exec
