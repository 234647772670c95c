// SPDX-License-Identifier: Apache-2.0

/// @file
/// Teams of espalier_onesided.h: made and freed, who is in them, and the end of all they started.

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/capi/arguments.hpp"
#include "espalier/capi/onesided/arrays/implicit_teams.hpp"
#include "espalier/capi/onesided/choices/member_nodes.hpp"
#include "espalier/capi/onesided/team_end.hpp"
#include "espalier/capi/onesided/team_members.hpp"
#include "espalier/capi/onesided/team_object.hpp"
#include "espalier/capi/onesided/team_request.hpp"

namespace {

using espalier::Error;
using espalier::ErrorCode;
using espalier::formatted;
using espalier::capi::JoinOver;
using espalier::capi::LearnerRecord;
using espalier::capi::NativeLine;
using espalier::onesided::Region;

/// Of the scratch space of a conduit, where a team asks for nothing else.
constexpr std::uint64_t usual_share = 8;

/// What is wrong with arguments of espalier_team_create() on this rank; empty: nothing.
std::string
problem_with(espalier_conduit const* conduit, MPI_Comm comm, espalier_team* const* place) {
  if (conduit == nullptr) {
    return "expected conduit, got a null pointer";
  }
  if (place == nullptr) {
    return "expected a place for the team, got a null pointer";
  }
  return espalier::capi::problem_with_members(*conduit, comm);
}

/// The barrier that MPI starts in SimGrid lets members go before all have come, so that modes are
/// not kept to.
std::unique_ptr<NativeLine> native_line([[maybe_unused]] JoinOver&& join) {
#ifdef ESPALIER_MPI_SIMULATED
  return nullptr;
#else
  return std::make_unique<NativeLine>(std::move(join).take_communicator());
#endif
}

espalier_team*
make_team(espalier_conduit& conduit, JoinOver join, MPI_Comm comm, std::uint64_t scratch_bytes) {
  std::vector<int> members = espalier::capi::members_of(conduit, comm);
  std::uint64_t const num_bytes =
      scratch_bytes == 0 ? conduit.parts.num_bytes() / usual_share : scratch_bytes;
  Region const part = espalier::capi::take_scratch(
      conduit, [&](std::vector<std::uint64_t>& words) { join(words); }, {.num_bytes = num_bytes}
  );
  auto made = std::make_unique<espalier_team>(
      conduit, comm, std::move(members), part, native_line(std::move(join))
  );
  conduit.teams.push_back(&made->team);
  return made.release();
}

Region behind(Region const& whole, std::uint64_t num_bytes) noexcept {
  return {.offset = whole.offset + num_bytes, .num_bytes = whole.num_bytes - num_bytes};
}

void check_freed(espalier_team const& team) {
  if (team.num_arrays != 0) {
    throw Error(
        ErrorCode::argument,
        formatted("expected a team whose arrays were freed, got one with {}", team.num_arrays)
    );
  }
  espalier::capi::check_requests_freed(team.requests.size() + team.num_array_requests);
}

/// Its implicit teams end before it, as they work with its arrays.
void close(espalier_team& self) {
  self.implicit->clear();
  espalier_team* const one = &self;
  espalier::capi::end_teams(*self.conduit, std::span(&one, 1));
}

}  // namespace

espalier_team::espalier_team(
    espalier_conduit& of,
    MPI_Comm comm,
    std::vector<int> members,
    Region scratch,
    std::unique_ptr<NativeLine> of_members
)
    : conduit(&of), user(comm), part(scratch), native(std::move(of_members)),
      team(*of.conduit, std::move(members), behind(scratch, LearnerRecord::num_bytes)),
      learners(of, team, scratch.offset), memory(of.kept.memory_of(team.members())),
      node_of_rank(espalier::capi::member_nodes(of.node_of_rank, team.members())),
      implicit(std::make_unique<espalier::capi::ImplicitTeams>(*this)) {}

espalier_team::~espalier_team() = default;

using espalier::capi::check_pointer;
using espalier::capi::on;

extern "C" {

int espalier_team_create(
    espalier_conduit* conduit, MPI_Comm comm, uint64_t scratch_bytes, espalier_team** team
) {
  return on(comm, [&] {
    JoinOver join(conduit, comm);
    join.check_problems(problem_with(conduit, comm, team));
    *team = make_team(*conduit, std::move(join), comm, scratch_bytes);
  });
}

int espalier_team_free(espalier_team** team) {
  return on(
      team == nullptr ? static_cast<espalier_team*>(nullptr) : *team,
      [&](espalier_team& self) {
        check_freed(self);
        close(self);
        delete *team;
        *team = nullptr;
      }
  );
}

int espalier_team_rank(espalier_team const* team) {
  return team == nullptr ? -1 : team->team.rank();
}

int espalier_team_size(espalier_team const* team) {
  return team == nullptr ? 0 : team->team.num_ranks();
}

int espalier_team_conduit_rank(espalier_team const* team, int rank, int* conduit_rank) {
  return on(team, [&](espalier_team const& self) {
    check_pointer(conduit_rank, "conduit_rank");
    *conduit_rank = self.team.conduit_rank(rank);
  });
}

int espalier_team_rank_of(espalier_team const* team, int conduit_rank, int* rank) {
  return on(team, [&](espalier_team const& self) {
    check_pointer(rank, "rank");
    *rank = self.team.rank_of(conduit_rank).value_or(MPI_UNDEFINED);
  });
}

int espalier_team_fence(espalier_team* team) {
  return on(team, [](espalier_team& self) {
    for (espalier::capi::TeamRequest* const request : self.requests) {
      request->complete();
    }
    self.implicit->fence();
    for (espalier::capi::TeamRequest* const request : self.requests) {
      request->check_learners();
    }
  });
}

}  // extern "C"
