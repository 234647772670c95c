// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the functions that make Cartesian communicators have in common.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/capi/arguments.hpp"
#include "espalier/capi/info_keys.hpp"
#include "espalier/capi/record.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/mapping/places.hpp"
#include "espalier/mpi/own_communicator.hpp"

namespace espalier::capi {

/// Arguments as the program passed them.
struct CartArguments {
  int ndims;
  double const* dim_weights;
  int const* periods;
  MPI_Info info;
  int* dims;
  MPI_Comm* comm_cart;
};

/// The same, checked.
struct CartCall {
  std::vector<double> weights;  ///< equal, if the program said so
  std::vector<bool> periods;
  InfoKeys keys;
  std::vector<int> dims;
  int num_positions;
  Fingerprint fingerprint;
};

/// Local.
/// @throws plan::ClassError.
[[nodiscard]] CartCall checked(CartArguments const& arguments, int num_ranks);

/// What rank 0 found: extents, an order, what it changed.
struct GridDecision {
  std::vector<int> dims{};
  mapping::RankVector rank_at{};
  MappingRecord record{};
  std::string line{};     ///< to be printed by rank 0, if it is not empty
  std::string refusal{};  ///< why there is nothing: the topology cannot serve
};

/// Lets rank 0 decide and makes the communicator. Collective. On success dims and comm_cart are
/// written.
/// @param decide called on rank 0 only.
/// @throws plan::ClassError of the class MPI_ERR_TOPOLOGY for a refusal; Error.
void decide_and_create(
    MPI_Comm comm_old,
    mpi::OwnCommunicator const& own,
    CartCall const& call,
    CartArguments const& out,
    std::function<GridDecision()> const& decide
);

/// Extents and order by levels; where parts of a level differ in size, a refusal, or with
/// `takes_any` the best of the portfolio.
[[nodiscard]] GridDecision
decide_by_levels(CartCall const& call, mapping::Places const& all, bool takes_any);

}  // namespace espalier::capi
