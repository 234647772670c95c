// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/one_sided/tuned_team.hpp"

#include <algorithm>
#include <cstdint>

#include <mpi.h>

#include "espalier/mpi/success.hpp"

namespace espalier::measure {
namespace {

using mpi::require_success;
using profile::Call;

constexpr std::int64_t alignment = 64;

/// Of the largest send buffer and of the largest receive buffer of a plan.
struct Room {
  std::int64_t sent = alignment;
  std::int64_t received = alignment;
};

Room room_of(TeamPlan const& plan, int num_members) {
  Room room;
  for (TeamRequest const& request : plan.requests) {
    TeamBuffers const buffers = buffers_of(request, num_members);
    room.sent = std::max(room.sent, buffers.sent);
    room.received = std::max(room.received, buffers.received);
  }
  room.sent = (room.sent + alignment - 1) / alignment * alignment;
  return room;
}

/// Numbers as large as the vector permits.
struct Elements {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 0;
};

Elements numbers_in(std::int64_t bytes) {
  if (bytes % 8 == 0) {
    return {.type = MPI_DOUBLE, .count = static_cast<int>(bytes / 8)};
  }
  if (bytes % 4 == 0) {
    return {.type = MPI_FLOAT, .count = static_cast<int>(bytes / 4)};
  }
  return {.type = MPI_UNSIGNED_CHAR, .count = static_cast<int>(bytes)};
}

espalier_onesided_options options_of(TeamPlan const& plan) {
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.in = static_cast<espalier_sync>(plan.in);
  options.out = static_cast<espalier_sync>(plan.out);
  options.addresses =
      plan.has_local_addresses ? ESPALIER_ADDRESSES_LOCAL : ESPALIER_ADDRESSES_SYMMETRIC;
  return options;
}

}  // namespace

TunedTeam::TunedTeam(Job const& job, TeamPlan const& plan) : job_(&job), plan_(&plan) {
  Room const room = room_of(plan, job.num_ranks);
  espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
  options.transport = plan.transport.empty() ? nullptr : plan.transport.c_str();
  // A collective may have half of it, and some algorithms need several times their buffers.
  constexpr std::uint64_t least_scratch = std::uint64_t{4} << 20U;
  auto const needed = static_cast<std::uint64_t>(16 * (room.sent + room.received));
  options.scratch_bytes = std::max(least_scratch, needed);
  require_success(
      espalier_conduit_attach(
          job.comm, static_cast<std::uint64_t>(room.sent + room.received), &options, &conduit_
      ),
      "espalier_conduit_attach"
  );
  require_success(
      espalier_team_create(conduit_, job.comm, options.scratch_bytes, &team_),
      "espalier_team_create"
  );
  received_ = static_cast<std::byte*>(espalier_conduit_segment(conduit_)) + room.sent;
}

TunedTeam::~TunedTeam() {
  espalier_team_free(&team_);
  espalier_conduit_detach(&conduit_);
}

OwnRequest TunedTeam::planned(TeamRequest const& asked) const {
  TeamBuffers const buffers = buffers_of(asked, job_->num_ranks);
  auto const block = static_cast<int>(buffers.block);
  void* const sent = espalier_conduit_segment(conduit_);
  espalier_onesided_options const options = options_of(*plan_);
  Elements const numbers = numbers_in(buffers.block);
  espalier_request* request = nullptr;
  auto const code = [&]() -> int {
    switch (asked.call) {
    case Call::bcast:
      return espalier_team_bcast_init(sent, block, MPI_BYTE, 0, team_, &options, &request);
    case Call::scatter:
      return espalier_team_scatter_init(
          sent, received_, block, MPI_BYTE, 0, team_, &options, &request
      );
    case Call::gather:
      return espalier_team_gather_init(
          sent, received_, block, MPI_BYTE, 0, team_, &options, &request
      );
    case Call::reduce:
      return espalier_team_reduce_init(
          sent, received_, numbers.count, numbers.type, MPI_SUM, 0, team_, &options, &request
      );
    case Call::allreduce:
      return espalier_team_allreduce_init(
          sent, received_, numbers.count, numbers.type, MPI_SUM, team_, &options, &request
      );
    case Call::allgather:
      return espalier_team_allgather_init(
          sent, received_, block, MPI_BYTE, team_, &options, &request
      );
    case Call::alltoall:
      return espalier_team_alltoall_init(
          sent, received_, block, MPI_BYTE, team_, &options, &request
      );
    default:
      return espalier_team_barrier_init(team_, &options, &request);
    }
  };
  require_success(code(), "espalier_team_<collective>_init");
  return OwnRequest(request);
}

void TunedTeam::tune(espalier_request& request, double seconds) const {
  espalier_tuning_options options = ESPALIER_TUNING_OPTIONS_INIT;
  options.flags = plan_->is_anew ? ESPALIER_TUNE_ANEW : 0U;
  options.seconds = seconds;
  require_success(espalier_request_tune(&request, &options), "espalier_request_tune");
}

}  // namespace espalier::measure
