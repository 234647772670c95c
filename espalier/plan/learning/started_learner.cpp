// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/started_learner.hpp"

#include <chrono>

#include "espalier/neighborhood/catalog.hpp"
#include "espalier/plan/clock.hpp"
#include "espalier/plan/neighbors/neighbor_name.hpp"
#include "espalier/plan/neighbors/neighbors.hpp"

namespace espalier::plan {
namespace {

/// To know how long a program waits for calls, some of them are enough.
constexpr std::int64_t first_calls = 8;
constexpr std::int64_t one_in = 16;

bool is_looked_at(std::int64_t call) {
  return call < first_calls || call % one_in == 0;
}

}  // namespace

StartedTrials::Turn StartedLearner::next(
    profile::Call call, std::int64_t bytes, profile::Decision const& stands, bool may_try
) {
  Calls& calls = calls_of(call, bytes);
  calls.stands = &stands;
  std::int64_t const number = calls.count++;
  if (calls.trials != nullptr && may_try) {
    StartedTrials::Turn turn = calls.trials->turn(number);
    if (turn.decision != nullptr) {
      return turn;
    }
  }
  StartedTrials::Turn turn{.decision = &stands};
  if (is_looked_at(number)) {
    turn.counts = calls.timed;
  }
  return turn;
}

StartedLearner::Calls& StartedLearner::calls_of(profile::Call call, std::int64_t bytes) {
  std::unique_ptr<OfSizes>& row = calls_[profile::index_of(call)];
  if (row == nullptr) {
    row = std::make_unique<OfSizes>();
  }
  std::unique_ptr<Calls>& place = (*row)[size_class(bytes)];
  if (place == nullptr) {
    profile::Shape const& shape = profile::is_neighborhood(call) ? neighbor_shape_ : ranks_.shape;
    KindOfCalls const kind = kind_of(call, shape, bytes, profile::Form::nonblocking);
    place = std::make_unique<Calls>(
        Calls{.kind = kind, .bytes = bytes, .trials = learning_->started().find(kind)}
    );
  }
  return *place;
}

/// What stands is known by its time only if it is the native call.
Trials StartedLearner::trials_of(Calls const& calls) const {
  Trials trials{.kind = calls.kind, .num_calls = calls.count};
  Completed const timed = calls.timed->so_far();
  if (timed.count > 0 && calls.stands->is_native()) {
    trials.seconds = timed.waiting_seconds / static_cast<double>(timed.count);
  }
  return trials;
}

/// Candidates for the next run: when it is over, the communicator may be gone.
void StartedLearner::add_neighbors(Calls const& calls, Trials& trials) const {
  if (!learning_->wants_candidates_at_end(trials)) {
    return;
  }
  Clock::time_point const start = Clock::now();
  auto const proposals =
      neighbors_->propose(neighbor_call(calls.kind.call), calls.bytes, learning_->links());
  for (NeighborProposal const& proposal : proposals) {
    trials.add(neighborhood::full_name(*proposal.algorithm), proposal.seconds);
  }
  learning_->charge(std::chrono::duration<double>(Clock::now() - start).count());
}

void StartedLearner::leave(Calls const& calls) const {
  if (!calls.stands->is_native()) {
    double const saved = learning_->saved(calls.kind, calls.stands->algorithm_text());
    learning_->gain(static_cast<double>(calls.count) * saved);
  }
  if (ranks_.rank != 0) {
    return;
  }
  Trials trials = trials_of(calls);
  if (profile::is_neighborhood(calls.kind.call)) {
    add_neighbors(calls, trials);
  }
  learning_->note(trials, calls.bytes, *ranks_.world_ranks);
}

void StartedLearner::leave() const {
  for (auto const& row : calls_) {
    if (row == nullptr) {
      continue;
    }
    for (auto const& calls : *row) {
      if (calls != nullptr) {
        leave(*calls);
      }
    }
  }
}

std::size_t StartedLearner::memory_bytes() const noexcept {
  std::size_t total = sizeof(*this);
  for (auto const& row : calls_) {
    if (row == nullptr) {
      continue;
    }
    total += sizeof(*row);
    for (auto const& calls : *row) {
      total += calls != nullptr ? sizeof(*calls) + sizeof(Completions) : 0;
    }
  }
  return total;
}

}  // namespace espalier::plan
