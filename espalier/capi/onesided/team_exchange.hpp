// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "espalier/capi/onesided/team_object.hpp"
#include "espalier/onesided/team/team_collective.hpp"

namespace espalier::capi {

/// What the members of a team find out together while everything of the conduit goes on: by an
/// allreduce of the team, so that MPI is not waited for.
class TeamExchange {
public:
  static constexpr std::size_t num_words = 3;
  using Words = std::span<std::int64_t, num_words>;
  using Numbers = std::array<std::int64_t, num_words>;

  /// Plans it; waits for nobody. Refers to the team.
  /// @throws Error no_memory, on all members, if the scratch space of the team is too small.
  explicit TeamExchange(espalier_team& team);
  TeamExchange(TeamExchange const&) = delete;
  TeamExchange& operator=(TeamExchange const&) = delete;
  TeamExchange(TeamExchange&&) = delete;
  TeamExchange& operator=(TeamExchange&&) = delete;
  ~TeamExchange() = default;

  /// Replaces each word by the largest one of all members. Collective, in the order in which
  /// members start collectives; no member is through before all have come.
  void take_largest(Words words);

  /// The same in two parts: start() waits for nobody, and finish() returns the largest numbers.
  /// This object stays meanwhile.
  void start(Numbers const& own);
  [[nodiscard]] Numbers finish();

private:
  espalier_team* team_;
  std::shared_ptr<onesided::TeamCollective const> largest_;
  Numbers own_{};
  Numbers all_{};
  onesided::Ticket ticket_;
};

}  // namespace espalier::capi
