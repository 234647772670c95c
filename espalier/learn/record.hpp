// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/learn/evidence.hpp"

namespace espalier::learn {

/// How far a race has come that is not decided: what another race of the same candidates needs to
/// go on with it, on another communicator or in another run. Times are in seconds.
struct Record {
  struct Candidate {
    double predicted = 0;  ///< by a model; 0 for the native call
    double seconds = 0;    ///< middle of its times; 0: it was never timed
    double in_round = 0;   ///< its time in the round that is not complete; 0: not yet
    Evidence against_native;
    Evidence against_leader;
    bool is_out = false;  ///< has lost
    bool may_run = true;  ///< fits the call, as far as one knows

    friend bool operator==(Candidate const&, Candidate const&) = default;
  };

  std::vector<Candidate> candidates;  ///< the native call first; empty: nobody thought of any yet
  int num_rounds = 0;                 ///< that are complete and count
  bool is_of_loop = false;            ///< times are paces of loops in which ranks run ahead

  friend bool operator==(Record const&, Record const&) = default;
};

/// What came to `later` since it was `earlier`. Both have the same candidates, or `earlier` has
/// none.
[[nodiscard]] Record since(Record const& later, Record const& earlier);

/// `earlier` with what came to it: the inverse of since(). Where both have a time, the later one
/// stays. Evidence of several races adds up. If only one of them is of a loop, it is that one:
/// times of single calls say nothing of a loop.
[[nodiscard]] Record joined(Record const& earlier, Record const& more);

}  // namespace espalier::learn
