// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>
#include <string>

#include "include/espalier.h"
#include "include/espalier_mpix.h"

#include <mpi.h>

#include "espalier/capi/agreement.hpp"
#include "espalier/capi/barrier.hpp"
#include "espalier/capi/cart_call.hpp"
#include "espalier/capi/cart_options.hpp"
#include "espalier/capi/environment.hpp"
#include "espalier/capi/record.hpp"
#include "espalier/mapping/dims/fitted_grid.hpp"
#include "espalier/plan/topologies/mapping_report.hpp"
#include "espalier/plan/topologies/places.hpp"

namespace espalier::capi {
namespace {

using mapping::CartesianGrid;
using mapping::Mapping;
using mapping::Places;
using mapping::Stencil;
using mpi::OwnCommunicator;

GridDecision decide(CartCall const& call, CartOptions const& options, Places const& all) {
  Places const places = with_costs(first_places(all, call.num_positions), options.level_costs);
  mapping::FittedDims const fitted = fit_dims(places, {.dims = call.dims, .weights = call.weights});
  CartesianGrid const grid(fitted.dims, call.periods);
  Stencil const stencil =
      options.stencil.value_or(mapping::weighted_stencil(fitted.dims, call.weights));
  Mapping mapping = map_by({.grid = grid, .stencil = stencil, .places = places}, options);
  GridDecision decision{.dims = fitted.dims, .record = make_record(mapping, places)};
  if (options.is_verbose) {
    decision.line =
        "espalier_cart_create " + plan::mapping_report(plan::extents_text(grid), mapping, places);
  }
  decision.rank_at = std::move(mapping.rank_at);
  return decision;
}

void cart_create(
    MPI_Comm comm_old, CartArguments const& arguments, espalier_cart_options const* wanted
) {
  OwnCommunicator const own = OwnCommunicator::duplicate(comm_old);
  CartCall call{};
  CartOptions options;
  agree(own, [&] {
    call = checked(arguments, own.size());
    options = checked(wanted, arguments.ndims);
    Fingerprint fingerprint = call.fingerprint;
    options.add_to(fingerprint);
    return fingerprint;
  });
  plan::MachineText machine;
  own.run_at_root([&] { machine = described_machine(); });
  std::optional<plan::FoundPlaces> const found = plan::find_places_at_root(comm_old, machine);
  decide_and_create(comm_old, own, call, arguments, [&] {
    return decide(call, options, found->places);
  });
}

void report(
    MPI_Comm comm, int max_levels, espalier_cart_level* levels, int* num_levels, char* algorithm
) {
  check_pointer(num_levels, "num_levels");
  if (max_levels < 0) {
    throw plan::ClassError(
        MPI_ERR_ARG, "max_levels must be at least 0, got " + std::to_string(max_levels)
    );
  }
  if (max_levels > 0) {
    check_pointer(levels, "levels");
  }
  MappingRecord const* const record = find_record(comm);
  if (record == nullptr) {
    throw plan::ClassError(
        MPI_ERR_TOPOLOGY,
        "expected a communicator as espalier_cart_create or MPIX_Cart_weighted_create returned it"
    );
  }
  *num_levels = static_cast<int>(record->levels.size());
  std::copy_n(record->levels.begin(), std::min(max_levels, *num_levels), levels);
  if (algorithm != nullptr) {
    std::string const name = record->algorithm.substr(0, ESPALIER_NAME_LEN - 1);
    *std::ranges::copy(name, algorithm).out = '\0';
  }
}

}  // namespace
}  // namespace espalier::capi

extern "C" {

int espalier_cart_create(
    MPI_Comm comm_old,
    int ndims,
    int dims[],
    int const periods[],
    espalier_cart_options const* options,
    MPI_Comm* comm_cart
) {
  return espalier::capi::on(comm_old, [&] {
    double const* const given = options == nullptr ? nullptr : options->dim_weights;
    double const* const weights = given == nullptr ? MPIX_WEIGHTS_EQUAL : given;
    espalier::capi::cart_create(
        comm_old, {ndims, weights, periods, MPI_INFO_NULL, dims, comm_cart}, options
    );
  });
}

int espalier_cart_report(
    MPI_Comm comm_cart,
    int max_levels,
    espalier_cart_level levels[],
    int* num_levels,
    char algorithm[]
) {
  return espalier::capi::on(comm_cart, [&] {
    espalier::capi::report(comm_cart, max_levels, levels, num_levels, algorithm);
  });
}

}  // extern "C"
