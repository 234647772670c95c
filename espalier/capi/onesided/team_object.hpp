// SPDX-License-Identifier: Apache-2.0

/// @file
/// The object behind the handle of a team, of espalier_onesided.h.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "espalier/capi/barrier.hpp"
#include "espalier/capi/onesided/choices/guided_choices.hpp"
#include "espalier/capi/onesided/choices/team_memory.hpp"
#include "espalier/capi/onesided/conduit_object.hpp"
#include "espalier/capi/onesided/learner_record.hpp"
#include "espalier/capi/onesided/native_line.hpp"
#include "espalier/onesided/team/team.hpp"

namespace espalier::capi {

class ImplicitTeams;
class TeamRequest;

}  // namespace espalier::capi

struct espalier_team {
  /// @param of_members  null: it has none of its own
  espalier_team(
      espalier_conduit& of,
      MPI_Comm comm,
      std::vector<int> members,
      espalier::onesided::Region scratch,
      std::unique_ptr<espalier::capi::NativeLine> of_members = nullptr
  );
  espalier_team(espalier_team const&) = delete;
  espalier_team& operator=(espalier_team const&) = delete;
  espalier_team(espalier_team&&) = delete;
  espalier_team& operator=(espalier_team&&) = delete;
  ~espalier_team();

  espalier_conduit* conduit;
  MPI_Comm user;
  espalier::onesided::Region part;  ///< of the scratch space of the conduit
  /// For collectives of the MPI library; null if they cannot serve. The team refers to it.
  std::unique_ptr<espalier::capi::NativeLine> native;
  espalier::onesided::Team team;
  espalier::capi::LearnerRecord learners;  ///< at the beginning of the part; the rest is the team's
  std::vector<espalier::capi::TeamRequest*> requests;  ///< that were not freed
  espalier::capi::TeamMemory memory;
  /// Counted from 0 as they first occur; empty if all members are on one node, or alone on theirs.
  std::vector<int> node_of_rank;
  std::optional<espalier::capi::TeamNetwork> network;  ///< measured when it is needed first
  /// The sum of the fingerprints of all requests that were planned, in whatever order: if it is
  /// equal on all members, then what they have planned is.
  std::uint64_t planned = 0;
  int num_arrays = 0;                                       ///< that were not freed
  std::size_t num_array_requests = 0;                       ///< the same
  std::unique_ptr<espalier::capi::ImplicitTeams> implicit;  ///< of its arrays
};

namespace espalier::capi {

/// The action on the team; what it throws is delivered to the handler of its communicator.
template <typename Team, typename Action>
  requires std::is_same_v<std::remove_const_t<Team>, espalier_team>
int on(Team* team, Action&& action) noexcept {
  if (team == nullptr) {
    return plan::raise(MPI_COMM_SELF, MPI_ERR_ARG);
  }
  return delivering(
      [&] { return team->user; },
      [&] {
        if constexpr (!std::is_const_v<Team>) {
          team->conduit->conduit->check_outside_handler();
        }
        std::forward<Action>(action)(*team);
        return MPI_SUCCESS;
      }
  );
}

}  // namespace espalier::capi
