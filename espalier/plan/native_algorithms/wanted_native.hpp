// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/algorithms/catalog.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// An algorithm of the MPI library that a rule or the user names for a call.
struct WantedNative {
  profile::Call call;
  algorithms::Choice choice;

  friend bool operator==(WantedNative const&, WantedNative const&) = default;
};

}  // namespace espalier::plan
