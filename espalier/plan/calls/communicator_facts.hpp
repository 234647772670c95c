// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::plan {

/// Where a call is made: facts of the communicator that are equal on all of its ranks, and the
/// rank.
struct CommunicatorFacts {
  int num_ranks = 1;
  /// Ranks whose contributions are gathered: of the other group for an intercommunicator.
  int num_sources = 1;
  int rank = 0;
  bool is_intercommunicator = false;
};

}  // namespace espalier::plan
