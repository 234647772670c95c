// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "espalier/exec/memory/layout.hpp"
#include "espalier/onesided/team/scratch_space.hpp"
#include "espalier/onesided/team/team_collective.hpp"
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

/// The one-sided program of a rank, bound to blocks and types, and what it needs of scratch space.
class PlannedCollective final : public TeamCollective {
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

  [[nodiscard]] std::optional<ScratchNeed> need() const noexcept override { return need_; }

  [[nodiscard]] std::unique_ptr<Runner>
  runner(Conduit& conduit, std::span<int const> members) const override;

private:
  exec::BoundProgram program_;
  exec::Combine combine_;
  ScratchNeed need_;
};

}  // namespace espalier::onesided
