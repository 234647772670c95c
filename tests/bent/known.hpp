// SPDX-License-Identifier: Apache-2.0

/// @file
/// What is known of plain MPI libraries: programs that hang or crash without us show nothing.

#pragma once

#include <string>

#include "tests/bent/calls.hpp"

namespace bent {

/// A function bent in some way (a kind, or a mistake in arguments) on so many ranks.
struct Bend {
  std::string name;
  Function function;
  int num_ranks;
};

/// Whether the plain program is known to end.
bool plain_ends(Bend const& bend);

/// Whether plain calls on the same communicator are known to end after that.
bool plain_goes_on(Bend const& bend);

/// Ranks that find equal buffers return an error; others would wait for them.
bool must_alias_everywhere(Function function);

/// Whether ranks may describe the same data by types of other sizes, as the standard allows.
bool tolerates_other_types(Function function);

/// Libraries choose an algorithm by the size they see. Integers a broadcast may have, and those it
/// may grow by on some ranks, so that all choose the same.
struct Broadcast {
  int max_elements;
  int max_growth;
};

Broadcast tolerated_broadcast();

}  // namespace bent
