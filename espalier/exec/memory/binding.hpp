// SPDX-License-Identifier: Apache-2.0

/// @file
/// A program bound to memory: the same operations, with blocks replaced by places and sizes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/exec/memory/layout.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::exec {

/// num_repeats runs of num_elements adjacent elements, stride_bytes apart.
struct Piece {
  std::int64_t offset_bytes = 0;
  std::int64_t num_elements = 0;
  std::int64_t num_repeats = 1;
  std::int64_t stride_bytes = 0;
  int type = 0;  ///< of the elements, as in Extent

  friend bool operator==(Piece const&, Piece const&) = default;
};

/// An operation of the program with the same index.
struct BoundOperation {
  schedule::Kind kind = schedule::Kind::send;
  schedule::Buffer buffer = schedule::Buffer::output;  ///< of the pieces
  schedule::Buffer source = schedule::Buffer::output;  ///< copy, reduce: of the source pieces
  int peer = -1;
  int tag = 0;
  int round = 0;  ///< of the program; execution does not look at it
  int after = 0;
  int after_sends = 0;
  bool is_signal = false;  ///< a message without data that is always sent, or a native call
  schedule::Range pieces{};
  schedule::Range sources{};
  schedule::Range waits{};
  std::int64_t num_elements = 0;  ///< in the pieces together

  /// True if there is nothing to do: the operation is complete as soon as it may start and sends
  /// nothing; the peer, whose blocks have the same sizes, finds the same.
  [[nodiscard]] bool is_empty() const noexcept { return num_elements == 0 && !is_signal; }
};

/// A native call, and how many elements each part of its contribution and of its results has;
/// nothing where this rank has none.
struct BoundCall {
  schedule::NativeCall call;
  std::vector<std::int64_t> sources;
  std::vector<std::int64_t> results;
};

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

/// Plain data, immutable once made.
struct BoundProgram {
  int rank = 0;
  std::int64_t element_extent_bytes = 1;
  /// Scratch memory to provide, aligned to 64 bytes; offsets of scratch pieces are relative to it.
  std::int64_t scratch_bytes = 0;
  std::vector<BoundOperation> operations;
  std::vector<Piece> piece_pool;
  std::vector<int> wait_pool;
  std::vector<BoundCall> native_calls;  ///< by tag of an operation of kind native

  [[nodiscard]] std::span<Piece const> pieces(BoundOperation const& operation) const noexcept;
  [[nodiscard]] std::span<Piece const> sources(BoundOperation const& operation) const noexcept;
  [[nodiscard]] std::span<int const> waits(BoundOperation const& operation) const noexcept;

  [[nodiscard]] bool is_dataflow() const noexcept { return !wait_pool.empty(); }

  /// Memory this object holds, without the scratch memory itself.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;
};

/// Binds a program to memory in O(blocks that this rank touches).
///
/// A scratch block has the size of its label: that of the output block; in an alltoall that of a
/// block which this rank sends or receives, or of all blocks where they are equal.
/// @throws Error argument if a layout has another number of blocks than the program; unsupported
///     if the program touches an output block that has no place, or has a scratch block of a size
///     that this rank cannot know.
[[nodiscard]] BoundProgram
bind(schedule::RankProgram const& program, Layout const& output, BindOptions const& options = {});

/// Adds a run of elements, merging it with the last piece when it is adjacent or continues a
/// stride.
void append_piece(
    std::vector<Piece>& pieces, std::size_t first, Extent extent, std::int64_t element_extent_bytes
);

/// Calls visit(offset_bytes, num_elements) for every run of adjacent elements, in order.
template <typename Visitor> void for_each_run(std::span<Piece const> pieces, Visitor&& visit) {
  for (Piece const& piece : pieces) {
    for (std::int64_t i = 0; i < piece.num_repeats; ++i) {
      visit(piece.offset_bytes + i * piece.stride_bytes, piece.num_elements);
    }
  }
}

}  // namespace espalier::exec
