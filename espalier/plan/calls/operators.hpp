// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include <mpi.h>

#include "espalier/plan/calls/named_types.hpp"
#include "espalier/plan/settings/manner.hpp"

namespace espalier::plan {

/// What may be done with an operator on elements of a type; equal on all ranks, since both have to
/// be the same everywhere.
enum class Combining : std::uint8_t {
  unknown,      ///< not known to be defined: up to the MPI library
  commutative,  ///< operands may be swapped
  ordered,      ///< operands have to stay in the order of ranks
};

/// @param op not MPI_OP_NULL. Operators of the user are asked for each time: a handle may mean
///     another operator tomorrow.
/// @throws Error mpi.
[[nodiscard]] Combining combining(MPI_Op op, TypeFacts const& type);

/// False for operators of the user.
[[nodiscard]] bool is_predefined(MPI_Op op) noexcept;

/// What statistics call it; `none` for handles with which no reduction can be called.
/// @throws Error mpi.
[[nodiscard]] Operator operator_of(MPI_Op op);

/// False for handles with which no reduction can be called.
[[nodiscard]] bool is_operator(MPI_Op op) noexcept;

}  // namespace espalier::plan
