// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <optional>
#include <span>

#include "espalier/onesided/conduit.hpp"
#include "espalier/onesided/program/runner.hpp"
#include "espalier/onesided/team/scratch_space.hpp"

namespace espalier::onesided {

/// A collective that the members of a team can start any number of times. Equal on all of them but
/// for the rank.
class TeamCollective {
public:
  explicit TeamCollective(int num_ranks) noexcept : num_ranks_(num_ranks) {}

  TeamCollective(TeamCollective const&) = delete;
  TeamCollective& operator=(TeamCollective const&) = delete;
  TeamCollective(TeamCollective&&) = delete;
  TeamCollective& operator=(TeamCollective&&) = delete;
  virtual ~TeamCollective() = default;

  [[nodiscard]] int num_ranks() const noexcept { return num_ranks_; }

  /// What a run needs of the scratch space of the team. None if it works without the conduit: such
  /// runs begin when they are started, whatever the others wait for.
  [[nodiscard]] virtual std::optional<ScratchNeed> need() const noexcept = 0;

  /// @param members  the rank on the conduit of each rank; referred to, as is the conduit
  [[nodiscard]] virtual std::unique_ptr<Runner>
  runner(Conduit& conduit, std::span<int const> members) const = 0;

private:
  int num_ranks_;
};

}  // namespace espalier::onesided
