// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/cart_call.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>

#include "espalier/mapping/dims/fitted_grid.hpp"
#include "espalier/mapping/graph.hpp"
#include "espalier/mapping/score.hpp"
#include "espalier/mapping/search/portfolio.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/topologies/cartesian.hpp"

namespace espalier::capi {
namespace {

using mapping::CartesianGrid;
using mapping::FittedDims;
using mapping::Mapping;
using mapping::Places;
using mapping::RankVector;
using mapping::Stencil;

/// The order that the levels make, with what it changes.
Mapping by_levels(FittedDims const& fitted, mapping::Problem const& problem) {
  mapping::Graph const graph = make_graph(problem.grid, problem.stencil);
  RankVector identity(static_cast<std::size_t>(problem.places.num_ranks()));
  std::iota(identity.begin(), identity.end(), 0);
  Mapping result{.rank_at = lay_levels(fitted.dims_ml, problem.places), .algorithm = "levels"};
  result.before = score(graph, problem.places, identity);
  result.after = score(graph, problem.places, result.rank_at);
  return result;
}

}  // namespace

CartCall checked(CartArguments const& arguments, int num_ranks) {
  int const ndims = arguments.ndims;
  check_count(ndims, "ndims");
  check_pointer(arguments.comm_cart, "comm_cart");
  CartCall call{
      .weights = checked_weights(arguments.dim_weights, ndims),
      .periods = checked_periods(arguments.periods, ndims),
      .keys = read_info(arguments.info),
      .dims = checked_dims(arguments.dims, ndims),
      .num_positions = 0,
      .fingerprint = {},
  };
  call.num_positions = num_positions(call.dims, num_ranks);
  call.fingerprint.add(call.weights);
  call.fingerprint.add(call.dims);
  call.fingerprint.add(call.keys.level_costs);
  std::vector<int> flags(call.periods.begin(), call.periods.end());
  flags.push_back(call.keys.is_joint ? 1 : 0);
  call.fingerprint.add(flags);
  if (call.weights.empty()) {
    call.weights.assign(static_cast<std::size_t>(ndims), 1.0);
  }
  return call;
}

GridDecision decide_by_levels(CartCall const& call, Places const& all, bool takes_any) {
  Places const places = first_places(all, call.num_positions);
  FittedDims const fitted = fit_dims(
      places,
      {.dims = call.dims,
       .weights = call.weights,
       .is_joint = call.keys.is_joint,
       .costs = call.keys.level_costs}
  );
  if (fitted.dims_ml.empty() && !takes_any) {
    return {
        .refusal = "expected parts of equal size on each level, got others; use "
                   "MPIX_Cart_weighted_create, which takes any"
    };
  }
  CartesianGrid const grid(fitted.dims, call.periods);
  Stencil const stencil = mapping::weighted_stencil(fitted.dims, call.weights);
  mapping::Problem const problem{.grid = grid, .stencil = stencil, .places = places};
  Mapping mapping = fitted.dims_ml.empty() ? map_grid(problem) : by_levels(fitted, problem);
  MappingRecord record = make_record(mapping, places);
  return {.dims = fitted.dims, .rank_at = std::move(mapping.rank_at), .record = std::move(record)};
}

void decide_and_create(
    MPI_Comm comm_old,
    mpi::OwnCommunicator const& own,
    CartCall const& call,
    CartArguments const& out,
    std::function<GridDecision()> const& decide
) {
  GridDecision decision;
  own.run_at_root([&] { decision = decide(); });
  std::string const refusal = own.from_root(std::move(decision.refusal));
  if (!refusal.empty()) {
    throw plan::ClassError(MPI_ERR_TOPOLOGY, refusal);
  }
  std::vector<int> const dims = own.from_root(std::move(decision.dims));
  RankVector const rank_at = own.from_root(std::move(decision.rank_at));
  MappingRecord record = from_root(own, decision.record);
  MPI_Comm const made =
      plan::create_cartesian(comm_old, CartesianGrid(dims, call.periods), rank_at);
  if (made != MPI_COMM_NULL) {
    attach(made, std::move(record));
  }
  std::copy(dims.begin(), dims.end(), out.dims);
  *out.comm_cart = made;
  if (!decision.line.empty()) {
    std::fprintf(stderr, "espalier: %s\n", decision.line.c_str());
  }
}

}  // namespace espalier::capi
