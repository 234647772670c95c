// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_request.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/capi/agreement.hpp"
#include "espalier/capi/onesided/team_exchange.hpp"
#include "espalier/capi/onesided/team_tuner.hpp"
#include "espalier/plan/clock.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {
namespace {

constexpr std::string_view what_to_do =
    "set ESPALIER_LEARN_IN_STARTS and name the same on all of them or on none; the collective is "
    "complete, and nothing more is learned in it";

}  // namespace

TeamRequest::TeamRequest(
    espalier_team& team, TeamPlanner const& planner, TeamBuffers buffers, bool learns
)
    : espalier_request({}), team_(&team), planner_(planner), plan_(planner.plan(team.memory)),
      buffers_(std::move(buffers)) {
  take_names();
  if (learns && can_learn()) {
    learner_ = std::make_unique<TeamLearner>(team, planner_, plan_);
  }
  team_->requests.push_back(this);
  team_->planned += static_cast<std::uint64_t>(fingerprint().value());
}

TeamRequest::~TeamRequest() {
  try {
    if (learner_ != nullptr) {
      learner_->finish();
    }
  } catch (...) {
    // The conduit is broken, which every other call of it says. What is underway may still be
    // written.
    [[maybe_unused]] TeamLearner const* const left = learner_.release();
  }
  std::erase(team_->requests, this);
}

int TeamRequest::start() {
  if (begin_ == 0) {
    begin_ = team_->learners.count_first(learner_ != nullptr);
  } else {
    team_->learners.count();
  }
  auto const collective = learner_ == nullptr ? plan_.collective : learner_->next(begin_);
  if (learner_ != nullptr && learner_->other()) {
    stop_learning(*learner_->other());
  }
  in_call([&] { ticket_ = team_->team.start(collective, buffers_.own, buffers_.all); });
  is_active_ = true;
  if (learner_ != nullptr && learner_->is_over()) {
    take_winner();
  }
  return MPI_SUCCESS;
}

int TeamRequest::test(bool& is_complete) {
  in_call([&] {
    if (is_active_) {
      team_->conduit->move_on();
    }
    is_complete = look();
  });
  if (is_complete) {
    check_learners();
  }
  return MPI_SUCCESS;
}

int TeamRequest::wait() {
  complete();
  check_learners();
  return MPI_SUCCESS;
}

void TeamRequest::complete() {
  if (is_active_) {
    in_call([&] { team_->conduit->wait([this] { return look(); }); });
  }
}

void TeamRequest::check_learners() {
  if (!has_said_lonely_ && begin_ != 0 && team_->learners.is_lonely(begin_)) {
    has_said_lonely_ = true;
    disagreement_ = formatted(
        "other members learn in the starts of this {}, and this member does not: {}",
        schedule::to_string(planner_.request().collective),
        what_to_do
    );
  }
  if (!disagreement_.empty()) {
    throw Error(ErrorCode::argument, std::exchange(disagreement_, {}));
  }
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
  if (learner_ != nullptr) {
    learner_->finish();
    learner_.reset();
  }
  bool const is_known = plan_.origin == Origin::remembered && !options.is_anew;
  if (plan_.origin == Origin::named || is_known) {
    return;
  }
  plan_ = TeamTuner(*team_, planner_, buffers_, options, exchange).run(plan_);
  take_names();
  if (plan_.origin == Origin::tuned) {
    team_->memory.remember(planner_.request(), planner_.named(), plan_.choice);
    keep();
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
  rename(
      plan_.choice.choice.text(),
      runs_natively(plan_.choice.choice) ? "native"
                                         : std::string(schedule::to_string(plan_.choice.mechanism))
  );
}

bool TeamRequest::can_learn() const noexcept {
  return plan_.origin == Origin::rule || plan_.origin == Origin::nearest;
}

template <typename Action> void TeamRequest::in_call(Action&& action) {
  if (learner_ == nullptr) {
    std::forward<Action>(action)();
    return;
  }
  plan::Clock::time_point const begin = plan::Clock::now();
  std::forward<Action>(action)();
  learner_->charge(plan::Clock::now() - begin);
}

/// What was started so far is what the other members started, and so is all that follows.
void TeamRequest::stop_learning(int other) {
  learner_.reset();
  disagreement_ = formatted(
      "this member learns in the starts of this {}, and member {} of the team does not: {}",
      schedule::to_string(planner_.request().collective),
      other,
      what_to_do
  );
}

/// The team does not take it over in this run: members plan without each other, and this happens in
/// a call.
void TeamRequest::take_winner() {
  plan_ = learner_->winner();
  learner_.reset();
  take_names();
  if (plan_.origin == Origin::tuned) {
    keep();
  }
}

void TeamRequest::keep() const {
  if (team_->team.rank() == 0) {
    team_->conduit->kept.keep(
        team_->team.members(),
        {.request = planner_.request(), .named = planner_.named(), .choice = plan_.choice}
    );
  }
}

bool TeamRequest::look() {
  is_active_ = is_active_ && !team_->team.test(ticket_);
  return !is_active_;
}

}  // namespace espalier::capi
