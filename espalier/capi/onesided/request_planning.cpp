// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/request_planning.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/format.hpp"
#include "espalier/capi/arguments.hpp"
#include "espalier/capi/onesided/ordinary_memory.hpp"
#include "espalier/capi/onesided/team_buffers.hpp"
#include "espalier/capi/onesided/team_planner.hpp"
#include "espalier/capi/onesided/team_told.hpp"

namespace espalier::capi {
namespace {

/// The MPI library may accept memory of devices, but all members have to let it serve.
void check_memory(
    espalier_team const& team, TeamPlanner const& planner, TeamBuffers const& buffers
) {
  std::optional<algorithms::Choice> const& named = planner.named().algorithm;
  if (named && runs_natively(*named)) {
    return;
  }
  std::string const advice = formatted(
      "copy it, or name {}/native on all members, if the MPI library accepts such memory",
      schedule::to_string(planner.request().collective)
  );
  plan::DeviceMemory const& devices = team.conduit->devices;
  require_ordinary(devices, buffers.own.input, "sendbuf", advice);
  bool const is_bcast = planner.request().collective == schedule::Collective::bcast;
  require_ordinary(devices, buffers.own.output, is_bcast ? "buffer" : "recvbuf", advice);
}

std::unique_ptr<TeamRequest> planned(
    espalier_team& team,
    TeamCall const& call,
    TeamElements const& elements,
    TeamOptions const& options,
    TeamBuffers buffers
) {
  TeamPlanner const planner(team, call, elements, options);
  check_memory(team, planner, buffers);
  return std::make_unique<TeamRequest>(team, planner, std::move(buffers), options.learns);
}

}  // namespace

std::unique_ptr<TeamRequest>
plan_request(espalier_team& team, TeamCall const& call, TeamOptions options) {
  if (call.collective == schedule::Collective::barrier) {
    // No address is asked for.
    options.addresses = schedule::AddressMode::single;
  }
  TeamElements const elements = check(call, team.team.num_ranks());
  TeamBuffers buffers = buffers_of(team, call, elements, options.addresses);
  return planned(team, call, elements, options, std::move(buffers));
}

std::unique_ptr<TeamRequest> plan_request(
    espalier_team& team,
    TeamCall const& call,
    TeamOptions const& options,
    std::span<BufferOffsets const> places
) {
  TeamElements const elements = check(call, team.team.num_ranks());
  bool const is_known = options.addresses == schedule::AddressMode::single;
  TeamBuffers buffers =
      is_known ? told_buffers(team, call, elements, places) : own_buffers(team, call, elements);
  return planned(team, call, elements, options, std::move(buffers));
}

std::unique_ptr<TeamRequest>
plan_together(espalier_team& team, CallOf const& call_of, espalier_onesided_options const* given) {
  TeamCall call;
  TeamElements elements;
  TeamOptions options;
  std::vector<BufferOffsets> const told = told_by_all(
      team,
      [&] {
        options = read(given);
        call = call_of();
        elements = check(call, team.team.num_ranks());
        TeamBuffers const own = options.tells_places
                                    ? own_buffers(team, call, elements)
                                    : buffers_of(team, call, elements, options.addresses);
        TeamPlanner const planner(team, call, elements, options);
        check_memory(team, planner, own);
        Fingerprint known;
        known.add(planner.text());
        return known;
      },
      [&] { return offsets_of(team, call); }
  );
  if (!options.tells_places) {
    check_symmetric(team, call, elements, told);
  }
  return planned(team, call, elements, options, told_buffers(team, call, elements, told));
}

bool are_together(espalier_team const& team, espalier_onesided_options const* given) noexcept {
  return tells_places(given) || (team.conduit->checks_addresses && !are_local(given));
}

void plan_request(
    espalier_team& team,
    CallOf const& call_of,
    espalier_onesided_options const* given,
    espalier_request** request
) {
  auto const checked = [&] {
    check_pointer(reinterpret_cast<void const*>(request), "request");
    *request = nullptr;
    return call_of();
  };
  if (are_together(team, given)) {
    *request = plan_together(team, checked, given).release();
    return;
  }
  TeamCall const call = checked();
  *request = plan_request(team, call, read(given)).release();
}

}  // namespace espalier::capi
