// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>
#include <vector>

#include "espalier/capi/onesided/choices/safe_choice.hpp"
#include "espalier/cost/forms/loggp.hpp"

namespace espalier::capi {

/// What joins the members of a team; times in seconds.
struct TeamNetwork {
  cost::LogGP between;            ///< nodes
  cost::LogGP within{};           ///< between members on a node
  std::vector<int> node_of_rank;  ///< counted from 0 as they first occur; empty: only one matters
};

/// The few candidates of a request that a search in the order of a model times: section 9.6 of
/// [nishtala2009]. The model is that of cost/one_sided, in which messages take ports and processors
/// one at a time.
///
/// A model errs, above all by factors that are the same for similar candidates. So what it finds
/// several times as slow as its first one is dropped, and of the rest there are the first ones, but
/// no more than `most_of_algorithm` of one algorithm as long as others are left: radices of one
/// tree and mechanisms are near each other, and would leave no room for another idea.
///
/// Equal wherever the same numbers are given.
class Guide {
public:
  static constexpr int usual_most = 12;
  static constexpr int most_of_algorithm = 4;
  /// Times the predicted time of the first candidate.
  static constexpr double farthest = 4;
  /// To replay the schedules of so many ranks takes 0.1 to 1 s, and of more of them too long.
  static constexpr int most_ranks = 256;

  explicit Guide(TeamNetwork network, int most = usual_most)
      : network_(std::move(network)), most_(most) {}

  /// @param candidates  every_choice(), of which those that the model does not know are dropped
  /// @return best first; all candidates, in their order, if there are so few of them, or more
  /// ranks.
  [[nodiscard]] std::vector<SafeChoice>
  first_of(std::vector<SafeChoice> candidates, SafeRequest const& request) const;

private:
  TeamNetwork network_;
  int most_;
};

}  // namespace espalier::capi
