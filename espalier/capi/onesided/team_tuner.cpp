// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_tuner.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

#include "espalier/capi/onesided/choices/every_choice.hpp"
#include "espalier/capi/onesided/choices/guided_choices.hpp"
#include "espalier/capi/onesided/team_network.hpp"
#include "espalier/learn/tournament.hpp"
#include "espalier/plan/clock.hpp"

namespace espalier::capi {
namespace {

using learn::Tournament;
using plan::Clock;

std::int64_t nanoseconds_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
}

double seconds_of(std::int64_t nanoseconds) noexcept {
  return static_cast<double>(nanoseconds) * 1e-9;
}

}  // namespace

TeamTuner::TeamTuner(
    espalier_team& team,
    TeamPlanner const& planner,
    TeamBuffers const& buffers,
    TuningOptions const& options,
    TeamExchange& exchange
)
    : team_(&team), planner_(&planner), buffers_(&buffers), options_(&options),
      exchange_(&exchange) {}

TeamPlan TeamTuner::run(TeamPlan const& current) {
  std::vector<Candidate> all = candidates(current);
  // The model takes long for many members, and leaves few candidates.
  Clock::time_point const begin = Clock::now();
  Tournament tournament(static_cast<int>(all.size()), options_->seconds);
  while (!tournament.is_over()) {
    Candidate& candidate = all[static_cast<std::size_t>(tournament.next())];
    if (!can_run(candidate)) {
      tournament.refuse();
      continue;
    }
    std::int64_t const own = trial(candidate);
    std::array<std::int64_t, TeamExchange::num_words> words{own, nanoseconds_since(begin)};
    exchange_->take_largest(words);
    if (tournament.num_runs() == 0) {
      num_runs_ = length_for(words[0]);
    }
    tournament.note(seconds_of(words[0]), seconds_of(words[1]));
  }
  if (!tournament.is_decided()) {
    return current;
  }
  Candidate& winner = all[static_cast<std::size_t>(tournament.winner())];
  return {
      .choice = std::move(winner.choice),
      .origin = Origin::tuned,
      .collective = std::move(winner.collective),
  };
}

std::vector<TeamTuner::Candidate> TeamTuner::candidates(TeamPlan const& current) const {
  std::vector<Candidate> all{{.choice = current.choice, .collective = current.collective}};
  for (SafeChoice& choice : choices()) {
    if (choice != current.choice) {
      all.push_back({.choice = std::move(choice), .collective = nullptr});
    }
  }
  return all;
}

std::vector<SafeChoice> TeamTuner::choices() const {
  SafeRequest const& request = planner_->request();
  std::vector<SafeChoice> all = every_choice(request, planner_->named(), team_->node_of_rank);
  bool const is_guided = !options_->is_exhaustive && request.num_ranks <= Guide::most_ranks &&
                         all.size() > static_cast<std::size_t>(Guide::usual_most);
  if (is_guided && !team_->network) {
    team_->network = measured_network(*team_, *exchange_);
  }
  if (is_guided && team_->network) {
    all = Guide(*team_->network).first_of(std::move(all), request);
  }
  if (std::optional<SafeChoice> native = planner_->native()) {
    all.insert(all.begin(), *std::move(native));
  }
  return all;
}

bool TeamTuner::can_run(Candidate& candidate) const {
  if (candidate.collective == nullptr) {
    auto planned = planner_->collective(candidate.choice);
    if (!team_->team.refusal(*planned).empty()) {
      return false;
    }
    candidate.collective = std::move(planned);
  }
  return true;
}

std::int64_t TeamTuner::trial(Candidate const& candidate) const {
  Clock::time_point const begin = Clock::now();
  for (int run = 0; run < num_runs_; ++run) {
    run_once(candidate);
  }
  return nanoseconds_since(begin) / num_runs_;
}

void TeamTuner::run_once(Candidate const& candidate) const {
  onesided::Ticket ticket = team_->team.start(candidate.collective, buffers_->own, buffers_->all);
  if (options_->meanwhile != nullptr) {
    options_->meanwhile(options_->context);
  }
  team_->conduit->wait([&] { return team_->team.test(ticket); });
}

/// The first trial warms up, so that its run takes longer than those that come.
int TeamTuner::length_for(std::int64_t run) const {
  schedule::Synchronization const mode = planner_->request().mode;
  if (mode.in == schedule::Sync::nosync || mode.out == schedule::Sync::nosync) {
    return 1;
  }
  double const fitting = options_->seconds / (most_trials * seconds_of(run));
  return static_cast<int>(std::clamp(fitting, 1.0, static_cast<double>(most_runs)));
}

}  // namespace espalier::capi
