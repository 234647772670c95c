// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <mpi.h>

#include "espalier/capi/arguments.hpp"
#include "espalier/capi/onesided/team_buffers.hpp"
#include "espalier/capi/onesided/team_call.hpp"
#include "espalier/capi/onesided/team_learner.hpp"
#include "espalier/capi/onesided/team_object.hpp"
#include "espalier/capi/onesided/team_options.hpp"
#include "espalier/capi/onesided/team_planner.hpp"
#include "espalier/capi/onesided/tuning_options.hpp"
#include "espalier/capi/request.hpp"
#include "espalier/onesided/team/team.hpp"

namespace espalier::capi {

/// A collective of a team.
class TeamRequest final : public espalier_request {
public:
  /// Refers to the team, which knows of it until its end.
  /// @param learns  takes turns among candidates, unless what runs was named or measured
  TeamRequest(espalier_team& team, TeamPlanner const& planner, TeamBuffers buffers, bool learns);
  TeamRequest(TeamRequest const&) = delete;
  TeamRequest& operator=(TeamRequest const&) = delete;
  TeamRequest(TeamRequest&&) = delete;
  TeamRequest& operator=(TeamRequest&&) = delete;
  ~TeamRequest() override;

  int start() override;
  int test(bool& is_complete) override;
  int wait() override;

  /// As wait(), without saying what is wrong.
  void complete();
  /// Whether all members learn in its starts, or none, as far as it is known here.
  /// @throws Error argument if not; once.
  void check_learners();

  /// Takes what turns out to be fastest from now on, and lets the team remember it. Collective;
  /// what is wrong on one member, or not equal on all, is an error on all of them.
  /// @throws plan::ClassError, Error.
  void tune(espalier_tuning_options const* options);

  [[nodiscard]] Origin origin() const noexcept { return plan_.origin; }

  [[nodiscard]] bool is_active() const noexcept override { return is_active_; }

  void check_caller() const override { team_->conduit->conduit->check_outside_handler(); }

  [[nodiscard]] MPI_Comm user() const noexcept override { return team_->user; }

  /// Whether it is complete, without polling.
  bool look();

private:
  [[nodiscard]] TuningOptions checked(espalier_tuning_options const* options) const;
  [[nodiscard]] Fingerprint fingerprint() const;
  void take_names();
  [[nodiscard]] bool can_learn() const noexcept;
  /// What the member does in it is charged to what it learns from.
  template <typename Action> void in_call(Action&& action);
  void stop_learning(int other);
  void take_winner();
  void keep() const;

  espalier_team* team_;
  TeamPlanner planner_;
  TeamPlan plan_;
  TeamBuffers buffers_;
  onesided::Ticket ticket_;
  std::unique_ptr<TeamLearner> learner_;  ///< null: there is nothing to be learned any more
  std::uint64_t begin_ = 0;               ///< its first start, among those of the team; 0: none
  std::string disagreement_;              ///< of members that learn in its starts, not said yet
  bool has_said_lonely_ = false;
  bool is_active_ = false;
};

}  // namespace espalier::capi
