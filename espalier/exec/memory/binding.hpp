// SPDX-License-Identifier: Apache-2.0

/// @file
/// A program bound to memory: the same operations, with blocks replaced by places and sizes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "espalier/exec/memory/places.hpp"
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
  schedule::Buffer buffer = schedule::Buffer::output;  ///< of the pieces; put: of the peer
  schedule::Buffer source = schedule::Buffer::output;  ///< of the source pieces; get: of the peer
  int peer = -1;
  int tag = 0;
  int arrivals = 0;  ///< of what awaits a counter
  int round = 0;     ///< of the program; execution does not look at it
  int after = 0;
  int after_sends = 0;
  /// Not done by moving data alone: a message without data that is always sent, a native call, a
  /// put that raises a counter, or what awaits one.
  bool is_signal = false;
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
/// @throws Error as Places; unsupported if the program is one-sided, or touches an output block
/// that
///     has no place.
[[nodiscard]] BoundProgram
bind(schedule::RankProgram const& program, Layout const& output, BindOptions const& options = {});

/// Where the blocks of a rank lie.
using PlacesOf = std::function<Places const&(int rank)>;

/// The same for a one-sided program: pieces in the memory of a peer are relative to the buffers of
/// that peer. Asks for the places of this rank and of its peers, all in elements of one extent.
/// @throws Error as bind; argument if elements differ.
[[nodiscard]] BoundProgram
bind_one_sided(schedule::RankProgram const& program, PlacesOf const& places_of);

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
