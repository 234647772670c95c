// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string_view>

#include "espalier/schedule/program.hpp"

namespace espalier::verify {

/// What stands in the buffers at the start, and what must stand there at the end.
///
/// With p ranks, an output of n blocks is p parts of n / p blocks each; part i belongs to rank i.
enum class Promise : std::uint8_t {
  allgather,       ///< start: rank r holds part r; end: every rank holds all parts
  bcast,           ///< start: the root holds all blocks; end: every rank does
  reduce,          ///< start: each rank holds a contribution to each block; end: the root all sums
  reduce_scatter,  ///< start: the same; end: rank r holds the sums of part r
};

[[nodiscard]] std::string_view to_string(Promise promise) noexcept;

struct Contract {
  Promise promise = Promise::allgather;
  int num_ranks = 1;
  int root = 0;  ///< of bcast and reduce
  /// True: what a rank contributes stands in its output. False (allgather only): in its input,
  /// which then is as large as its part.
  bool is_in_place = true;
  /// False: contributions must be combined in rank order.
  bool is_commutative = true;

  [[nodiscard]] bool reduces() const noexcept;
  [[nodiscard]] bool has_root() const noexcept;

  [[nodiscard]] bool has_parts() const noexcept { return !has_root(); }

  /// The rank an output block belongs to; collectives with parts only.
  [[nodiscard]] int owner(int output_block, int num_output_blocks) const noexcept;
  /// Whether a block has a value before the first operation.
  [[nodiscard]] bool
  holds_at_start(schedule::Frame const& frame, int rank, schedule::Buffer buffer, int block) const;
  /// Whether the collective promises a value for an output block at the end.
  [[nodiscard]] bool promises(schedule::Frame const& frame, int rank, int output_block) const;

  /// @throws Error argument if num_ranks or root is out of range, or the collective takes no input.
  void check() const;
};

}  // namespace espalier::verify
