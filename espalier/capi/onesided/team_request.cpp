// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_request.hpp"

#include <string>
#include <utility>

namespace espalier::capi {

TeamRequest::TeamRequest(espalier_team& team, TeamPlan plan, TeamBuffers buffers)
    : espalier_request(std::move(plan.algorithm), std::string(schedule::to_string(plan.mechanism))),
      team_(&team), collective_(std::move(plan.collective)), buffers_(std::move(buffers)) {
  team_->requests.push_back(this);
}

TeamRequest::~TeamRequest() {
  std::erase(team_->requests, this);
}

int TeamRequest::start() {
  ticket_ = team_->team.start(collective_, buffers_.own, buffers_.all);
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

bool TeamRequest::look() {
  is_active_ = is_active_ && !team_->team.test(ticket_);
  return !is_active_;
}

}  // namespace espalier::capi
