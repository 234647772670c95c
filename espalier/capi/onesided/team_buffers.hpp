// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/capi/onesided/team_call.hpp"
#include "espalier/capi/onesided/team_object.hpp"
#include "espalier/onesided/program/program_runner.hpp"
#include "espalier/schedule/one_sided.hpp"

namespace espalier::capi {

/// Where the buffers of a collective are.
struct TeamBuffers {
  onesided::UserBuffers own;
  std::vector<onesided::UserPlaces> all;  ///< by rank; empty where nobody knows those of others
};

/// Checks addresses. Those that all members know have to be right on all members, which each of
/// them sees. Local.
/// @throws plan::ClassError of the class MPI_ERR_BUFFER; Error argument.
[[nodiscard]] TeamBuffers buffers_of(
    espalier_team const& team,
    TeamCall const& call,
    TeamElements const& elements,
    schedule::AddressMode addresses
);

}  // namespace espalier::capi
