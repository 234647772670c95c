// SPDX-License-Identifier: Apache-2.0

/// @file
/// Neighborhoods as all languages make them. Collective over the communicator: what is wrong on one
/// rank, or not equal on all, is an error on all of them.

#pragma once

#include <optional>

#include <mpi.h>

#include "espalier/capi/neighbor_objects.hpp"

namespace espalier::capi {

/// `number` rows, with an entry for each dimension of the grid.
struct StencilOffsets {
  int number = 0;
  int const* rows = nullptr;
  std::optional<int> num_entries;  ///< of each row, where the language knows it
};

/// What both kinds of neighborhoods are made with.
struct NeighborhoodArguments {
  espalier_neighbor_options const* options = nullptr;
  char const* complaint = nullptr;  ///< what is wrong for the language; null: nothing
};

/// As espalier_neighborhood_create().
int create_stencil(
    MPI_Comm comm_cart,
    StencilOffsets const& offsets,
    NeighborhoodArguments const& arguments,
    espalier_neighborhood** neighborhood
) noexcept;

/// As espalier_neighborhood_of().
int create_own(
    MPI_Comm comm, NeighborhoodArguments const& arguments, espalier_neighborhood** neighborhood
) noexcept;

}  // namespace espalier::capi
