// SPDX-License-Identifier: Apache-2.0

/// @file
/// Calls that carry nothing, as their counts say.

#pragma once

#include <mpi.h>

#include "espalier/plan/calls/call_words.hpp"

namespace espalier::plan {

/// Whether all counts of a call are 0 on this rank. Then all ranks know that no rank has data,
/// whatever the types: what they would decide is the native call. Nothing else is looked at. Calls
/// with counts that are not significant here, or with lists of them, may be without data as well.
/// In neighborhood collectives no count of this rank tells what ranks that are not its neighbours
/// have.
template <typename Call>
[[gnu::always_inline]] inline bool is_without_data(Call const& call) noexcept {
  if constexpr (!is_all_in_words<Call> || requires { Call::neighbor_call; }) {
    return false;
  } else if constexpr (requires { call.count; }) {
    return call.count == 0;
  } else if constexpr (requires { call.sendcount; }) {
    bool const sends = call.sendcount != 0 && call.sendbuf != MPI_IN_PLACE;
    bool const receives = call.recvcount != 0 && call.recvbuf != MPI_IN_PLACE;
    return !sends && !receives;
  } else if constexpr (requires { call.recvcount; }) {
    return call.recvcount == 0;
  } else {
    return false;
  }
}

}  // namespace espalier::plan
