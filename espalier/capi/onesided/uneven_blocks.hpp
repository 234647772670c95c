// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "espalier/exec/memory/layout.hpp"

namespace espalier::capi {

/// Blocks of a buffer, one for each member of a team, with the number of elements of each and where
/// it begins.
class BlockRuns {
public:
  /// Copies both lists.
  /// @param displacements  null: one block behind the other
  /// @throws plan::ClassError of the class MPI_ERR_COUNT for a count below 0; MPI_ERR_ARG for a
  ///     null list of counts, a displacement below 0, or more elements than an int counts.
  BlockRuns(int const* counts, int const* displacements, int num_blocks, std::string const& name);
  /// Lists that were checked.
  BlockRuns(std::span<int const> counts, std::span<int const> displacements);

  [[nodiscard]] std::span<int const> counts() const noexcept { return counts_; }

  [[nodiscard]] std::span<int const> displacements() const noexcept { return displacements_; }

  [[nodiscard]] int count(int block) const { return counts_[static_cast<std::size_t>(block)]; }

  /// Of all blocks.
  [[nodiscard]] std::int64_t num_elements() const noexcept;
  /// Elements from the beginning of the buffer to the end of the block that reaches farthest.
  [[nodiscard]] std::int64_t num_covered() const noexcept;
  [[nodiscard]] exec::Layout layout(std::int64_t extent_bytes) const;

  /// What is written has each place once.
  /// @throws plan::ClassError of the class MPI_ERR_ARG if two blocks overlap.
  void check_disjoint(std::string const& name) const;

private:
  std::vector<int> counts_;
  std::vector<int> displacements_;
};

/// Where blocks are whose sizes differ; the same on all members of a team.
struct UnevenBlocks {
  /// scatter: of the input of the root; gather: of its output; allgather: of all outputs.
  std::vector<BlockRuns> parts;  ///< one, or none in an alltoall
  /// alltoall, by member: block i of the input goes to member i, and block i of the output comes
  /// from there.
  std::vector<BlockRuns> inputs;
  std::vector<BlockRuns> outputs;

  /// The elements of a block, rounded up.
  [[nodiscard]] std::int64_t mean_count() const noexcept;
  /// All numbers, in words.
  [[nodiscard]] std::string text() const;
};

/// What the members of an alltoall have said of their blocks.
/// @throws plan::ClassError of the class MPI_ERR_COUNT if what one member sends is not what another
///     one receives.
void check_matches(UnevenBlocks const& blocks);

}  // namespace espalier::capi
