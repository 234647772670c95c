// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_learner.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

#include "espalier/capi/onesided/choices/every_choice.hpp"
#include "espalier/capi/onesided/choices/guided_choices.hpp"

namespace espalier::capi {
namespace {

using learn::Turns;
using plan::Clock;

/// Of a network that nobody has measured. What Guide chooses depends little on it.
constexpr cost::LogGP within_node{.latency = 3e-7, .overhead = 0, .gap = 1e-7, .per_byte = 1e-10};
constexpr cost::LogGP between_nodes{.latency = 1e-5, .overhead = 0, .gap = 2e-6, .per_byte = 1e-9};

TeamNetwork network_of(espalier_team const& team) {
  bool const is_within = team.conduit->transport.name == "node";
  return team.network.value_or(TeamNetwork{
      .between = is_within ? within_node : between_nodes,
      .within = within_node,
      .node_of_rank = team.node_of_rank,
  });
}

/// A plan should not take as long as the model does for more members.
constexpr int most_modelled_ranks = 64;

/// Best first, as far as it is known.
std::vector<SafeChoice> choices_of(espalier_team const& team, TeamPlanner const& planner) {
  std::vector<SafeChoice> all = every_choice(planner.request(), planner.named(), team.node_of_rank);
  if (planner.request().num_ranks > most_modelled_ranks) {
    return all;
  }
  return Guide(network_of(team), TeamLearner::most_candidates)
      .first_of(std::move(all), planner.request());
}

/// What runs otherwise comes first. Those without scratch space are left out.
std::vector<TeamPlan>
candidates_of(espalier_team const& team, TeamPlanner const& planner, TeamPlan const& current) {
  std::vector<TeamPlan> result{current};
  if (std::optional<SafeChoice> native = planner.native(); native && *native != current.choice) {
    auto planned = planner.collective(*native);
    result.push_back(
        {.choice = *std::move(native), .origin = Origin::tuned, .collective = std::move(planned)}
    );
  }
  for (SafeChoice const& choice : choices_of(team, planner)) {
    if (choice == current.choice || result.size() > TeamLearner::most_candidates) {
      continue;
    }
    auto planned = planner.collective(choice);
    if (team.team.refusal(*planned).empty()) {
      result.push_back({.choice = choice, .origin = Origin::tuned, .collective = std::move(planned)}
      );
    }
  }
  return result;
}

std::int64_t nanoseconds(Clock::duration duration) noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}

double seconds(std::int64_t nanoseconds) noexcept {
  return static_cast<double>(nanoseconds) * 1e-9;
}

}  // namespace

TeamLearner::TeamLearner(espalier_team& team, TeamPlanner const& planner, TeamPlan const& current)
    : team_(&team), out_(planner.request().mode.out),
      candidates_(candidates_of(team, planner, current)), exchange_(team),
      turns_(static_cast<int>(candidates_.size())) {}

std::shared_ptr<onesided::TeamCollective const> TeamLearner::next(std::uint64_t begin) {
  if (is_exchanging_) {
    conclude();
  }
  Turns::Turn const turn = turns_.next();
  is_timed_ = turn.is_timed;
  if (turn.is_exchanged && !is_agreed_) {
    other_ = team_->learners.other(begin);
    is_agreed_ = !other_;
  }
  if (turn.is_exchanged && is_agreed_) {
    std::int64_t const trial = trial_ns_ / Turns::calls_of_trial;
    // The largest of the numbers below 0 is that of the smallest time. Who comes last to an
    // exchange sees what it costs, others wait for that one.
    exchange_.start({word_of(trial), -exchange_ns_, word_of(total_ns_)});
    is_exchanging_ = true;
    trial_ns_ = 0;
  }
  return candidates_[static_cast<std::size_t>(turn.candidate)].collective;
}

void TeamLearner::charge(Clock::duration in_call) noexcept {
  std::int64_t const more = nanoseconds(in_call);
  trial_ns_ += is_timed_ ? more : 0;
  total_ns_ += more;
}

void TeamLearner::finish() {
  if (is_exchanging_) {
    conclude();
  }
}

void TeamLearner::conclude() {
  Clock::time_point const begin = Clock::now();
  TeamExchange::Numbers const largest = exchange_.finish();
  exchange_ns_ = nanoseconds(Clock::now() - begin);
  is_exchanging_ = false;
  turns_.conclude({
      .trial = seconds(word_of(largest[0])),
      .exchange = seconds(-largest[1]),
      .total = seconds(word_of(largest[2])),
  });
}

TeamPlan TeamLearner::winner() const {
  TeamPlan winner = candidates_[static_cast<std::size_t>(turns_.winner())];
  winner.origin = turns_.is_decided() ? Origin::tuned : candidates_.front().origin;
  return winner;
}

}  // namespace espalier::capi
