// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "espalier/capi/onesided/choices/safe_choice.hpp"
#include "espalier/capi/onesided/choices/team_memory.hpp"
#include "espalier/capi/onesided/team_call.hpp"
#include "espalier/capi/onesided/team_options.hpp"
#include "espalier/onesided/team/team.hpp"
#include "espalier/onesided/team/team_collective.hpp"

struct espalier_team;

namespace espalier::capi {

class NativeLine;

/// A collective of a team, and what it was planned with.
struct TeamPlan {
  SafeChoice choice;
  Origin origin = Origin::rule;
  std::shared_ptr<onesided::TeamCollective const> collective;
};

/// Plans one collective of a team, in different ways. Waits for nobody; equal on all members.
class TeamPlanner {
public:
  /// Refers to the team.
  /// @throws Error argument if what the options name cannot serve, with what can.
  TeamPlanner(
      espalier_team const& team,
      TeamCall const& call,
      TeamElements const& elements,
      TeamOptions const& options
  );

  [[nodiscard]] SafeRequest const& request() const noexcept { return request_; }

  [[nodiscard]] NamedParts const& named() const noexcept { return named_; }

  /// All that members have to agree on, in words.
  [[nodiscard]] std::string text() const;

  /// Plans with what the options name. The rest is what the team remembers, or else the rule's, or
  /// where the scratch space of the team suffices for none of it, native().
  /// @throws Error no_memory if it does not suffice for any choice.
  [[nodiscard]] TeamPlan plan(TeamMemory const& memory) const;

  /// What may run it beside one-sided programs: the collective of the MPI library, if the team has
  /// a communicator, and if it can serve.
  [[nodiscard]] std::optional<SafeChoice> native() const;

  /// Plans with a choice that serves.
  [[nodiscard]] std::shared_ptr<onesided::TeamCollective const> collective(SafeChoice const& choice
  ) const;

private:
  [[nodiscard]] std::vector<OriginalChoice> choices(TeamMemory const& memory) const;
  [[nodiscard]] std::shared_ptr<onesided::TeamCollective const> one_sided(SafeChoice const& choice
  ) const;

  onesided::Team const* team_;
  NativeLine* native_line_;               ///< null: the team has no communicator
  std::vector<int> const* node_of_rank_;  ///< as in schedule::OneSidedForm
  TeamCall call_;
  TeamElements elements_;
  SafeRequest request_;
  NamedParts named_;
};

}  // namespace espalier::capi
