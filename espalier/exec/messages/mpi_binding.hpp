// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "espalier/exec/messages/mpi_executor.hpp"
#include "espalier/exec/messages/mpi_program.hpp"

namespace espalier::exec {

/// The largest tag that a message may have, the same for all communicators.
[[nodiscard]] int largest_tag() noexcept;

/// Binds a program to the memory and datatypes of a call. Own handles of the datatypes of the user
/// are kept in the result.
/// @throws Error unsupported, mpi or argument as the constructor of MpiExecutor.
[[nodiscard]] MpiProgram bind_mpi(schedule::RankProgram const& program, MpiSpec const& spec);

/// The copy between the message of the user and the same data as bytes, which stand in the place of
/// scratch; empty if the message does not have to be packed. Datatypes are added to `program`.
/// @throws Error mpi.
[[nodiscard]] std::optional<MpiTransfer> make_packing(MpiSpec const& spec, MpiProgram& program);

}  // namespace espalier::exec
