// SPDX-License-Identifier: Apache-2.0

/// @file
/// What Learning does for the next run when a program ends.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "espalier/learn/standings.hpp"
#include "espalier/plan/learning/learning.hpp"

namespace espalier::plan {
namespace {

/// A kind that takes less time in a whole run is not thought of ahead.
constexpr double least_stake = 1e-3;
/// A kind that takes less is not worth a thorough search, which takes a fifth of that at most.
constexpr double least_stake_of_search = 0.1;
/// So many calls are hardly slower for a race in some of them.
constexpr std::int64_t calls_of_loop = 200;
constexpr double longest_thought = 0.02;
constexpr double share_of_thought = 0.02;  ///< of the time of the program
/// Programs that end earlier gain nothing that anybody would notice.
constexpr double shortest_program = 0.5;
constexpr double shortest_thought = 0.001;  ///< also of who has nothing left: one kind a run

/// How many candidates a program has calls for.
int most_candidates(std::int64_t num_calls) {
  constexpr std::int64_t few = 10;
  constexpr std::int64_t several = 40;
  if (num_calls < few) {
    return 1;
  }
  return num_calls < several ? 2 : 3;
}

/// The least time that a model says of a candidate.
double best_predicted(Trials const& trials) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < trials.record.candidates.size(); ++i) {
    best = std::min(best, trials.record.candidates[i].predicted);
  }
  return best;
}

/// Whether a search found something that is clearly better than what was tried.
bool is_better(std::vector<learn::Proposal> const& proposals, Trials const& tried) {
  constexpr double clearly = 0.95;
  if (proposals.empty()) {
    return false;
  }
  learn::Proposal const& best = proposals.front();
  return std::ranges::find(tried.algorithms, best.choice.text()) == tried.algorithms.end() &&
         best.seconds < clearly * best_predicted(tried);
}

/// The candidate that is ahead, or has won.
int leader_of(Trials const& trials) {
  learn::Standings standings;
  standings.resume(trials.record);
  return standings.decision().value_or(standings.leader());
}

/// What is ahead becomes one more candidate, unless it is one or the native call.
void add_leader(Trials& trials, Trials const& known) {
  auto const leader = static_cast<std::size_t>(leader_of(known));
  if (leader == learn::Standings::native) {
    return;
  }
  std::string const& algorithm = known.algorithms[leader - 1];
  if (std::ranges::find(trials.algorithms, algorithm) == trials.algorithms.end()) {
    trials.add(algorithm, known.record.candidates[leader].predicted);
  }
}

}  // namespace

/// Where nobody knows what the native call takes, it is at least what the bytes take on a link, as
/// slow as it may be.
double Learning::stake_of(Noted const& noted) {
  Trials const& trials = noted.trials;
  double const stake = trials.stake();
  if (trials.is_native_known()) {
    return stake;
  }
  neighborhood::Links const found = links();
  machine::Link const& between = between_nodes_if_slow_.value_or(found.across);
  double const per_byte =
      trials.kind.shape.num_nodes > 1 ? between.per_byte : found.inside.per_byte;
  auto const num_bytes = static_cast<double>(noted.bytes) * static_cast<double>(trials.num_calls);
  return std::max(stake, num_bytes * per_byte);
}

/// Nobody looked for candidates; or what the calls of a program had time to find may not be the
/// best there is, and trials of others cost little of what is at stake.
bool Learning::wants_candidates(Noted const& noted) {
  KindOfCalls const& kind = noted.trials.kind;
  // Who is whose neighbour is known in calls only.
  if (profile::is_neighborhood(kind.call)) {
    return false;
  }
  Trials const known = trials(kind).value_or(noted.trials);
  if (!known.has_candidates()) {
    return !lessons_.contains(kind) && stake_of(noted) >= least_stake;
  }
  // A winner does not serve the calls of the race in which it meets others.
  bool const is_affordable =
      leader_of(known) == learn::Standings::native || known.num_calls >= calls_of_loop;
  return !known.is_thorough && is_affordable && stake_of(noted) >= least_stake_of_search;
}

bool Learning::wants_candidates_at_end(Trials const& now) const {
  std::optional<Trials> const known = trials(now.kind);
  bool const is_known = (known && known->has_candidates()) || lesson(now.kind);
  return !is_known && now.stake() >= least_stake && elapsed() >= shortest_program && left() > 0;
}

void Learning::look_for_candidates(Noted& noted) {
  KindOfCalls const kind = noted.trials.kind;
  Trials const known = trials(kind).value_or(noted.trials);
  Example const call{
      .bytes = noted.bytes,
      .world_ranks = noted.world_ranks,
      .native_seconds = known.is_native_known() ? known.seconds : 0,
  };
  bool const is_thorough = stake_of(noted) >= least_stake_of_search;
  auto const proposals = propose(
      kind,
      call,
      most_candidates(noted.trials.num_calls),
      is_thorough ? Search::thorough : Search::usual
  );
  noted.trials.is_thorough = is_thorough;
  if (known.has_candidates() && !is_better(proposals, known)) {
    return;
  }
  noted.trials.algorithms.clear();
  noted.trials.record = {};
  for (learn::Proposal const& proposal : proposals) {
    noted.trials.add(proposal.choice.text(), proposal.seconds);
  }
  // What was found without these is not known any more, but what is ahead stays in the race.
  lessons_.erase(kind);
  if (known.has_candidates()) {
    add_leader(noted.trials, known);
  }
}

void Learning::think_ahead() {
  if (elapsed() < shortest_program) {
    return;
  }
  std::vector<Noted*> open;
  for (auto& [kind, noted] : noted_) {
    if (wants_candidates(noted)) {
      open.push_back(&noted);
    }
  }
  std::ranges::stable_sort(open, std::greater<>(), [&](Noted const* one) {
    return stake_of(*one);
  });
  Clock::time_point const start = Clock::now();
  std::chrono::duration<double> const limit(std::clamp(
      std::min(left() / 2, share_of_thought * elapsed()), shortest_thought, longest_thought
  ));
  for (Noted* const noted : open) {
    if (Clock::now() - start >= limit) {
      break;
    }
    look_for_candidates(*noted);
  }
  charge(std::chrono::duration<double>(Clock::now() - start).count());
}

}  // namespace espalier::plan
