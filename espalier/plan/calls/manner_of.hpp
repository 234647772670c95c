// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>

#include "espalier/plan/calls/operators.hpp"
#include "espalier/plan/settings/manner.hpp"

namespace espalier::plan {

/// How this rank makes a call. Roots of intercommunicators are none.
/// @throws Error mpi.
template <typename Call> Manner manner_of(Call const& call) {
  Manner manner;
  if constexpr (requires { call.root; }) {
    manner.root = std::max<std::int32_t>(call.root, Manner::no_root);
  }
  if constexpr (requires { call.op; }) {
    manner.op = operator_of(call.op);
  }
  if constexpr (requires { call.is_in_place(); }) {
    manner.is_in_place = call.is_in_place();
  }
  return manner;
}

}  // namespace espalier::plan
