// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <span>
#include <vector>

#include "espalier/plan/learning/kind_of_calls.hpp"
#include "espalier/plan/learning/lesson.hpp"
#include "espalier/plan/learning/started_trials.hpp"
#include "espalier/plan/learning/trials.hpp"
#include "espalier/plan/settings/settings.hpp"

namespace espalier::plan {

/// The kinds of nonblocking calls of which this run tries something. It is fixed before the program
/// begins, equal on all ranks, as no rank may wait in a start for what others have to say.
class StartedKinds {
public:
  /// What trials may lose.
  struct Budget {
    double seconds = 0;
    double share = 0;  ///< of what calls take that an earlier run has tried something for
  };

  StartedKinds() = default;
  /// What is most at stake comes first. Kinds that somebody else's rules serve have no trials, and
  /// those with a rule that was learned have checks of it.
  StartedKinds(
      std::map<KindOfCalls, Trials> const& earlier, Settings const& settings, Budget const& budget
  );

  /// Seconds that the trials are expected to lose at most, without those of checks.
  [[nodiscard]] double cost() const noexcept { return cost_; }

  /// Null if nothing is tried for such calls.
  [[nodiscard]] StartedTrials const* find(KindOfCalls const& kind) const;

  /// Whether something is tried on communicators of a shape.
  [[nodiscard]] bool tries(profile::Shape const& shape) const;

  /// Of all trials, as this rank saw them; as many numbers on all ranks.
  [[nodiscard]] std::vector<double> seconds() const;

  /// Seconds that trials cost, compared to native calls, as this rank saw them.
  [[nodiscard]] double lost() const;

  struct Found {
    std::vector<Trials> trials;
    std::vector<Lesson> lessons;
  };

  /// @param seconds  as of seconds(), the longest of all ranks
  [[nodiscard]] Found found(std::span<double const> seconds) const;

private:
  std::map<KindOfCalls, StartedTrials> kinds_;
  double cost_ = 0;
};

}  // namespace espalier::plan
