// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include <mpi.h>

#include "espalier/capi/onesided/team_buffers.hpp"
#include "espalier/capi/onesided/team_object.hpp"
#include "espalier/capi/onesided/team_planner.hpp"
#include "espalier/capi/request.hpp"
#include "espalier/onesided/team/team.hpp"

namespace espalier::capi {

/// A collective of a team.
class TeamRequest final : public espalier_request {
public:
  /// Refers to the team, which knows of it until its end.
  TeamRequest(espalier_team& team, TeamPlan plan, TeamBuffers buffers);
  TeamRequest(TeamRequest const&) = delete;
  TeamRequest& operator=(TeamRequest const&) = delete;
  TeamRequest(TeamRequest&&) = delete;
  TeamRequest& operator=(TeamRequest&&) = delete;
  ~TeamRequest() override;

  int start() override;
  int test(bool& is_complete) override;
  int wait() override;

  [[nodiscard]] bool is_active() const noexcept override { return is_active_; }

  [[nodiscard]] MPI_Comm user() const noexcept override { return team_->user; }

private:
  /// Whether it is complete, without polling.
  bool look();

  espalier_team* team_;
  std::shared_ptr<onesided::PlannedCollective const> collective_;
  TeamBuffers buffers_;
  onesided::Ticket ticket_;
  bool is_active_ = false;
};

}  // namespace espalier::capi
