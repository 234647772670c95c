// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "espalier/plan/learning/learning.hpp"
#include "espalier/plan/learning/started_trials.hpp"
#include "espalier/plan/settings/completions.hpp"
#include "espalier/plan/settings/statistics.hpp"
#include "espalier/profile/call.hpp"
#include "espalier/profile/decision.hpp"

namespace espalier::plan {

class Neighbors;

/// The nonblocking calls of one communicator, of which a program learns from run to run. Used by
/// one thread at a time.
class StartedLearner {
public:
  /// What the calls have in common.
  struct Ranks {
    int rank = 0;
    profile::Shape shape;
    std::vector<int> const* world_ranks = nullptr;  ///< as State::Facts::world_ranks
  };

  /// @param learning  must outlive this object
  StartedLearner(Ranks const& ranks, Learning& learning) : ranks_(ranks), learning_(&learning) {}

  /// As Learner::use(), before the first call of a neighborhood.
  void use(profile::Shape shape, Neighbors& neighbors) noexcept {
    neighbor_shape_ = shape;
    neighbors_ = &neighbors;
  }

  /// Counts a call that rules, or their absence, leave to what is learned. The same on all ranks,
  /// except for what is timed: some of the calls that are no trials are, too.
  /// @param stands  what rules say, which runs outside of trials
  /// @param may_try  there can be trials. The same on all ranks.
  [[nodiscard]] StartedTrials::Turn
  next(profile::Call call, std::int64_t bytes, profile::Decision const& stands, bool may_try);

  /// Notes what is known of the calls, before this object goes, and on rank 0 what the next run may
  /// try in calls of neighborhoods. Local.
  void leave() const;

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  /// The calls of one kind.
  struct Calls {
    KindOfCalls kind;
    std::int64_t bytes = 0;                 ///< of the first one
    StartedTrials const* trials = nullptr;  ///< null: there are none in this run
    profile::Decision const* stands = nullptr;
    std::int64_t count = 0;
    std::shared_ptr<Completions> timed = std::make_shared<Completions>();  ///< of what stands
  };

  using OfSizes = std::array<std::unique_ptr<Calls>, num_size_classes>;

  [[nodiscard]] Calls& calls_of(profile::Call call, std::int64_t bytes);
  [[nodiscard]] Trials trials_of(Calls const& calls) const;
  void leave(Calls const& calls) const;
  void add_neighbors(Calls const& calls, Trials& trials) const;

  Ranks ranks_;
  Learning* learning_;
  profile::Shape neighbor_shape_;
  Neighbors* neighbors_ = nullptr;
  std::array<std::unique_ptr<OfSizes>, profile::num_rule_calls> calls_;
};

}  // namespace espalier::plan
