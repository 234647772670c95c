// SPDX-License-Identifier: Apache-2.0

/// @file
/// What is done by hand for each neighborhood collective.

#pragma once

#include <concepts>

#include <mpi.h>

#include "espalier/exec/messages/mpi_executor.hpp"
#include "espalier/plan/calls/binding.hpp"
#include "espalier/plan/calls/named_types.hpp"
#include "espalier/plan/neighbors/neighbor_name.hpp"
#include "espalier/plan/neighbors/neighbor_structures.hpp"

namespace espalier::plan {

/// Edges of one rank, absent ends included.
struct Degrees {
  int in = 0;
  int out = 0;
};

template <typename Call>
concept AnyNeighborCall = requires {
  { Call::neighbor_call } -> std::convertible_to<NeighborCall>;
};

// For each call four functions, found by overloading.

/// The class of MPI for arguments that cannot be right on this rank, otherwise MPI_SUCCESS.
[[nodiscard]] int misuse(NeighborAllgatherCall const& call, Degrees degrees) noexcept;
[[nodiscard]] int misuse(NeighborAllgathervCall const& call, Degrees degrees) noexcept;
[[nodiscard]] int misuse(NeighborAlltoallCall const& call, Degrees degrees) noexcept;
[[nodiscard]] int misuse(NeighborAlltoallvCall const& call, Degrees degrees) noexcept;
[[nodiscard]] int misuse(NeighborAlltoallwCall const& call, Degrees degrees) noexcept;

/// What the caches of executors need to know; the algorithm is added by the caller.
/// @throws Error mpi.
[[nodiscard]] Binding bind(NeighborAllgatherCall const& call, Degrees degrees, NamedTypes& types);
[[nodiscard]] Binding bind(NeighborAllgathervCall const& call, Degrees degrees, NamedTypes& types);
[[nodiscard]] Binding bind(NeighborAlltoallCall const& call, Degrees degrees, NamedTypes& types);
[[nodiscard]] Binding bind(NeighborAlltoallvCall const& call, Degrees degrees, NamedTypes& types);
[[nodiscard]] Binding bind(NeighborAlltoallwCall const& call, Degrees degrees, NamedTypes& types);

/// Where the blocks are that the rank sends. @throws Error mpi, argument.
[[nodiscard]] exec::MpiBlocks sent_blocks(NeighborAllgatherCall const& call, Degrees degrees);
[[nodiscard]] exec::MpiBlocks sent_blocks(NeighborAllgathervCall const& call, Degrees degrees);
[[nodiscard]] exec::MpiBlocks sent_blocks(NeighborAlltoallCall const& call, Degrees degrees);
[[nodiscard]] exec::MpiBlocks sent_blocks(NeighborAlltoallvCall const& call, Degrees degrees);
[[nodiscard]] exec::MpiBlocks sent_blocks(NeighborAlltoallwCall const& call, Degrees degrees);

/// Where the blocks are that the rank receives. @throws Error mpi, argument.
[[nodiscard]] exec::MpiBlocks received_blocks(NeighborAllgatherCall const& call, Degrees degrees);
[[nodiscard]] exec::MpiBlocks received_blocks(NeighborAllgathervCall const& call, Degrees degrees);
[[nodiscard]] exec::MpiBlocks received_blocks(NeighborAlltoallCall const& call, Degrees degrees);
[[nodiscard]] exec::MpiBlocks received_blocks(NeighborAlltoallvCall const& call, Degrees degrees);
[[nodiscard]] exec::MpiBlocks received_blocks(NeighborAlltoallwCall const& call, Degrees degrees);

}  // namespace espalier::plan
