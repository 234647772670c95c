// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "espalier/exec/memory/layout.hpp"
#include "espalier/onesided/program/program_runner.hpp"
#include "espalier/onesided/team/scratch_space.hpp"
#include "espalier/schedule/one_sided.hpp"

namespace espalier::onesided {

/// Where the output of a rank lies; refers to layouts.
class OutputBlocks {
public:
  /// Implicit: most ranks have memory for all blocks, and that says how large they are.
  /// @param sizes  Of all blocks, where some have no memory: a rank that forwards them keeps them
  ///     in scratch memory. Null: as the layout says.
  // NOLINTNEXTLINE(google-explicit-constructor)
  OutputBlocks(exec::Layout const& layout, exec::Layout const* sizes = nullptr) noexcept
      : layout_(&layout), sizes_(sizes) {}

  [[nodiscard]] exec::Layout const& layout() const noexcept { return *layout_; }

  [[nodiscard]] exec::Layout const* sizes() const noexcept { return sizes_; }

private:
  exec::Layout const* layout_;
  exec::Layout const* sizes_;
};

using LayoutOf = std::function<OutputBlocks(int rank)>;

/// A collective that a rank can start any number of times: its one-sided program, bound to blocks
/// and types, and what it needs of scratch space. Equal on all ranks but for the rank.
class PlannedCollective {
public:
  /// Asks for the program of each rank once, as what all need of scratch space has to be known.
  /// @param program_of  programs of messages, in rounds
  /// @param combine     needed if the collective reduces
  /// @throws Error as schedule::one_sided(), exec::bind_one_sided() and ProgramRunner.
  PlannedCollective(
      int num_ranks,
      int rank,
      schedule::ProgramOf const& program_of,
      schedule::OneSidedForm const& form,
      LayoutOf const& layout_of,
      exec::Combine combine = {}
  );

  [[nodiscard]] int num_ranks() const noexcept { return num_ranks_; }

  [[nodiscard]] ScratchNeed const& need() const noexcept { return need_; }

  [[nodiscard]] exec::BoundProgram const& program() const noexcept { return program_; }

  [[nodiscard]] exec::Combine const& combine() const noexcept { return combine_; }

private:
  int num_ranks_;
  exec::BoundProgram program_;
  exec::Combine combine_;
  ScratchNeed need_;
};

}  // namespace espalier::onesided
