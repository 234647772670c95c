// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
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

/// Where the buffers of a member are, from the beginning of what a program has of its segment; they
/// may lie outside of it. Anything of a buffer that counts nowhere on this member.
struct BufferOffsets {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
};

[[nodiscard]] BufferOffsets offsets_of(espalier_team const& team, TeamCall const& call);

/// The buffers of this member, of which it alone knows where they are. Checks them; local.
/// @throws plan::ClassError of the class MPI_ERR_BUFFER.
[[nodiscard]] TeamBuffers
own_buffers(espalier_team const& team, TeamCall const& call, TeamElements const& elements);

/// The same after members have told each other where theirs are. What is wrong on one of them, each
/// of them sees.
/// @param told  by rank
/// @throws Error argument.
[[nodiscard]] TeamBuffers told_buffers(
    espalier_team const& team,
    TeamCall const& call,
    TeamElements const& elements,
    std::span<BufferOffsets const> told
);

/// What symmetric addresses promise: each buffer is at the same offset on all members. What is
/// wrong on one of them, each of them sees.
/// @param told  by rank
/// @throws Error argument.
void check_symmetric(
    espalier_team const& team,
    TeamCall const& call,
    TeamElements const& elements,
    std::span<BufferOffsets const> told
);

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
