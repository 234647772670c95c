// SPDX-License-Identifier: Apache-2.0

/// @file
/// Where the blocks of one rank lie in memory.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/exec/memory/layout.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::exec {

/// What an element covers beyond its extent, for types with gaps or lower bounds.
struct Footprint {
  std::int64_t first_byte = 0;  ///< of one element, relative to its address: the true lower bound
  std::int64_t num_bytes = 0;   ///< from there to the last byte: the true extent; 0: the extent
};

/// Elements of the scratch memory.
struct ScratchElements {
  std::int64_t extent_bytes = 0;  ///< 0: as in the output
  Footprint footprint{};
};

struct BindOptions {
  /// Places of the input blocks; null: packed, in elements of the output.
  Layout const* input = nullptr;
  /// Sizes of the output blocks in scratch elements; null: the elements are those of the output.
  Layout const* output_sizes = nullptr;
  /// Sizes of the input blocks in scratch elements; null: the elements are those of the input.
  Layout const* input_sizes = nullptr;
  ScratchElements scratch{};
  /// Elements of each scratch block; empty: as many as the label says. Needed where labels say
  /// nothing of sizes: in a neighborhood the two ends of an edge alone know how large its block is.
  std::span<std::int64_t const> scratch_sizes{};
};

/// The places of all blocks of a frame, relative to the buffer in which they lie.
///
/// A scratch block has the size of its label: that of the output block; in an alltoall that of a
/// block which this rank sends or receives, or of all blocks where they are equal.
class Places {
public:
  /// Refers to the output layout and to what the options point to.
  /// @throws Error argument if a layout has another number of blocks than the frame; unsupported if
  ///     a scratch block has a size that this rank cannot know.
  Places(
      schedule::Frame const& frame, int rank, Layout const& output, BindOptions const& options = {}
  );

  /// @throws Error unsupported for an output block that has no place.
  [[nodiscard]] Extent operator()(schedule::Buffer buffer, int block) const;

  [[nodiscard]] std::int64_t element_extent_bytes(schedule::Buffer buffer) const;

  /// Scratch memory to provide, aligned to 64 bytes.
  [[nodiscard]] std::int64_t scratch_bytes() const noexcept { return scratch_bytes_; }

private:
  int rank_;
  Layout const* output_;
  std::int64_t input_extent_bytes_;
  std::int64_t scratch_extent_bytes_;
  std::int64_t scratch_bytes_ = 0;
  std::vector<Extent> input_;
  std::vector<Extent> scratch_;
};

}  // namespace espalier::exec
