// SPDX-License-Identifier: Apache-2.0

/// @file
/// The implicit teams of [nishtala2009], section 10.2: who has affinity to the blocks that a
/// collective names. Each is made once, and kept.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "espalier/capi/onesided/arrays/step_queue.hpp"
#include "espalier/capi/onesided/team_object.hpp"

namespace espalier::capi {

/// Some members of a team, and the order in which they start collectives.
struct ImplicitTeam {
  std::unique_ptr<espalier_team> team;
  StepQueue queue;
};

/// Those that this rank is in. It cannot give up one of them by itself: the others would go on to
/// use it, and nobody who plans knows which ones others keep. So they are bounded, and given up all
/// together.
class ImplicitTeams {
public:
  static constexpr int usual_number = 16;
  /// Of the scratch space of a conduit.
  static constexpr std::uint64_t usual_share = 32;

  explicit ImplicitTeams(espalier_team& of) : of_(&of) {}

  ImplicitTeams(ImplicitTeams const&) = delete;
  ImplicitTeams& operator=(ImplicitTeams const&) = delete;
  ImplicitTeams(ImplicitTeams&&) = delete;
  ImplicitTeams& operator=(ImplicitTeams&&) = delete;
  ~ImplicitTeams() = default;

  /// @param scratch_bytes  for each of them; 0: the usual share
  /// @throws Error argument if there is one already.
  void limit(int most_teams, std::uint64_t scratch_bytes);

  [[nodiscard]] int size() const noexcept { return static_cast<int>(teams_.size()); }

  /// The one that is kept; else a new one, which is collective over its members.
  /// @param ranks  of the team that has the arrays, sorted, this one among them
  /// @throws Error no_memory, on all members, if there would be too many, or scratch space does
  ///     not suffice; argument, if members name different ones.
  [[nodiscard]] ImplicitTeam& of(std::vector<int> const& ranks);

  /// Waits for all that this rank has started on them.
  void fence();

  /// Ends all of them. Collective over the members of each; there are no requests any more.
  void clear();

private:
  [[nodiscard]] std::unique_ptr<ImplicitTeam> make(std::vector<int> const& ranks) const;

  espalier_team* of_;
  std::map<std::vector<int>, std::unique_ptr<ImplicitTeam>> teams_;
  int most_teams_ = usual_number;
  std::uint64_t scratch_bytes_ = 0;
};

}  // namespace espalier::capi
