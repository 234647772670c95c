// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <vector>

#include "espalier/capi/arguments.hpp"
#include "espalier/capi/onesided/team_buffers.hpp"
#include "espalier/capi/onesided/team_object.hpp"

namespace espalier::capi {

/// What members tell each other of one call: where the buffers of each are, and whether its
/// arguments are right and equal to those of the others.
///
/// Runs a local check on every member, and then asks for its offsets. Collective, in the order in
/// which members start collectives; waits for all of them while everything of the conduit goes on.
/// @returns by rank
/// @throws plan::ClassError, on all members and of one class, if the check throws on one of them or
///     fingerprints differ; Error no_memory, on all members, if the scratch space of the team is
///     too small.
[[nodiscard]] std::vector<BufferOffsets> told_by_all(
    espalier_team& team,
    std::function<Fingerprint()> const& check,
    std::function<BufferOffsets()> const& offsets
);

}  // namespace espalier::capi
