// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <limits>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/schedule/one_sided.hpp"

namespace espalier::cost {

/// A one-sided collective that somebody wants, and what may be used for it. Equal on all ranks.
struct OneSidedRequest {
  static constexpr double unlimited = std::numeric_limits<double>::infinity();

  schedule::Collective collective = schedule::Collective::bcast;
  int num_ranks = 1;
  int root = 0;          ///< 0 where the collective has none
  double num_bytes = 0;  ///< of the whole result, as in Sizes
  schedule::Synchronization mode{};
  schedule::AddressMode addresses = schedule::AddressMode::single;
  /// Reductions: what the operator needs. `any` if it is commutative, `rank` if it is not, `left`
  /// if all schedules are to give the same bits.
  schedule::OperandOrder order = schedule::OperandOrder::any;
  double largest_medium = unlimited;  ///< bytes of an eager message
  double scratch_bytes = unlimited;   ///< of one rank
  std::vector<int> node_of_rank;      ///< as in OneSidedForm
};

/// One way to serve a request.
struct OneSidedCandidate {
  algorithms::Choice choice;
  schedule::OneSidedForm form;

  friend bool operator==(OneSidedCandidate const&, OneSidedCandidate const&) = default;
};

}  // namespace espalier::cost
