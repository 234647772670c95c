// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_request.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "espalier/capi/agreement.hpp"
#include "espalier/capi/onesided/team_exchange.hpp"
#include "espalier/capi/onesided/team_tuner.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {

std::unique_ptr<TeamRequest>
plan_request(espalier_team& team, TeamCall const& call, TeamOptions options) {
  if (call.collective == schedule::Collective::barrier) {
    // No address is asked for.
    options.addresses = schedule::AddressMode::single;
  }
  TeamElements const elements = check(call, team.team.num_ranks());
  TeamBuffers buffers = buffers_of(team, call, elements, options.addresses);
  TeamPlanner const planner(team.team, call, elements, options);
  return std::make_unique<TeamRequest>(team, planner, std::move(buffers));
}

TeamRequest::TeamRequest(espalier_team& team, TeamPlanner const& planner, TeamBuffers buffers)
    : espalier_request({}), team_(&team), planner_(planner), plan_(planner.plan(team.memory)),
      buffers_(std::move(buffers)) {
  take_names();
  team_->requests.push_back(this);
  team_->planned += static_cast<std::uint64_t>(fingerprint().value());
}

TeamRequest::~TeamRequest() {
  std::erase(team_->requests, this);
}

int TeamRequest::start() {
  ticket_ = team_->team.start(plan_.collective, buffers_.own, buffers_.all);
  is_active_ = true;
  return MPI_SUCCESS;
}

int TeamRequest::test(bool& is_complete) {
  if (is_active_) {
    team_->conduit->move_on();
  }
  is_complete = look();
  return MPI_SUCCESS;
}

int TeamRequest::wait() {
  if (is_active_) {
    team_->conduit->wait([this] { return look(); });
  }
  return MPI_SUCCESS;
}

void TeamRequest::tune(espalier_tuning_options const* given) {
  TeamExchange exchange(*team_);
  TuningOptions options;
  agree(
      [&](TeamExchange::Words words) { exchange.take_largest(words); },
      [&] {
        options = checked(given);
        Fingerprint known = fingerprint();
        known.add(std::span(&options.seconds, 1));
        known.add(std::to_string(team_->planned));
        known.add(std::to_string((options.is_anew ? 1 : 0) + (options.is_exhaustive ? 2 : 0)));
        return known;
      }
  );
  bool const is_known = plan_.origin == Origin::remembered && !options.is_anew;
  if (plan_.origin == Origin::named || is_known) {
    return;
  }
  plan_ = TeamTuner(*team_, planner_, buffers_, options, exchange).run(plan_);
  take_names();
  if (plan_.origin == Origin::tuned) {
    team_->memory.remember(planner_.request(), planner_.named(), plan_.choice);
    if (team_->team.rank() == 0) {
      team_->conduit->kept.keep(
          team_->team.members(),
          {.request = planner_.request(), .named = planner_.named(), .choice = plan_.choice}
      );
    }
  }
}

TuningOptions TeamRequest::checked(espalier_tuning_options const* options) const {
  if (is_active_) {
    throw plan::ClassError(
        MPI_ERR_REQUEST, "expected a request that is not under way, got one that was started"
    );
  }
  return read(options);
}

Fingerprint TeamRequest::fingerprint() const {
  Fingerprint result;
  result.add(planner_.text());
  return result;
}

void TeamRequest::take_names() {
  rename(plan_.choice.choice.text(), std::string(schedule::to_string(plan_.choice.mechanism)));
}

bool TeamRequest::look() {
  is_active_ = is_active_ && !team_->team.test(ticket_);
  return !is_active_;
}

}  // namespace espalier::capi
