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

/// Where the blocks of a rank lie in the buffers of its user; refers to layouts.
class UserBlocks {
public:
  /// Implicit: most ranks have memory for all blocks of the output, and that says how large they
  /// are.
  /// @param sizes  Of all blocks of the output, where some have no memory: a rank that forwards
  ///     them keeps them in scratch memory. Null: as the layout says.
  /// @param input  Null: one block behind the other, as large as those of the output.
  // NOLINTNEXTLINE(google-explicit-constructor)
  UserBlocks(
      exec::Layout const& output,
      exec::Layout const* sizes = nullptr,
      exec::Layout const* input = nullptr
  ) noexcept
      : output_(&output), sizes_(sizes), input_(input) {}

  [[nodiscard]] exec::Layout const& output() const noexcept { return *output_; }

  [[nodiscard]] exec::Layout const* sizes() const noexcept { return sizes_; }

  [[nodiscard]] exec::Layout const* input() const noexcept { return input_; }

private:
  exec::Layout const* output_;
  exec::Layout const* sizes_;
  exec::Layout const* input_;
};

using LayoutOf = std::function<UserBlocks(int rank)>;

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
