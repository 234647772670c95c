// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "include/espalier_mpix.h"

#include <mpi.h>

#include "espalier/capi/agreement.hpp"
#include "espalier/capi/barrier.hpp"
#include "espalier/capi/cart_call.hpp"
#include "espalier/capi/environment.hpp"
#include "espalier/capi/level_communicators.hpp"
#include "espalier/mapping/dims/dims.hpp"
#include "espalier/plan/topologies/cartesian.hpp"
#include "espalier/plan/topologies/places.hpp"

namespace espalier::capi {
namespace {

using mpi::OwnCommunicator;

/// Checks that all ranks agree on a call and on something more.
CartCall
agreed(OwnCommunicator const& own, CartArguments const& arguments, std::span<int const> more = {}) {
  CartCall call{};
  agree(own, [&] {
    call = checked(arguments, own.size());
    Fingerprint fingerprint = call.fingerprint;
    fingerprint.add(more);
    return fingerprint;
  });
  return call;
}

void weighted_create(MPI_Comm comm_old, CartArguments const& arguments) {
  OwnCommunicator const own = OwnCommunicator::duplicate(comm_old);
  CartCall const call = agreed(own, arguments);
  plan::MachineText machine;
  own.run_at_root([&] { machine = described_machine(); });
  std::optional<plan::FoundPlaces> const found = plan::find_places_at_root(comm_old, machine);
  decide_and_create(comm_old, own, call, arguments, [&] {
    return decide_by_levels(call, found->places, true);
  });
}

/// @param lowest of this rank, of all levels.
void create_by_parts(
    MPI_Comm comm_old,
    OwnCommunicator const& own,
    CartCall const& call,
    CartArguments const& arguments,
    std::span<int const> lowest
) {
  std::optional<mapping::Places> const places = gather_places(own, lowest);
  decide_and_create(comm_old, own, call, arguments, [&] {
    return decide_by_levels(call, *places, false);
  });
}

void check_levels(int nlevels, int least, void const* levels, char const* name) {
  if (nlevels < least) {
    throw plan::ClassError(
        MPI_ERR_ARG,
        "the number of " + std::string(name) + " must be at least " + std::to_string(least) +
            ", got " + std::to_string(nlevels)
    );
  }
  if (nlevels > 0) {
    check_pointer(levels, name);
  }
}

void create_from_types(
    MPI_Comm comm_old, CartArguments const& arguments, int nsplit_types, int const* split_types
) {
  OwnCommunicator const own = OwnCommunicator::duplicate(comm_old);
  CartCall call{};
  agree(own, [&] {
    check_levels(nsplit_types, 0, split_types, "split_types");
    call = checked(arguments, own.size());
    Fingerprint fingerprint = call.fingerprint;
    fingerprint.add(std::span(split_types, static_cast<std::size_t>(nsplit_types)));
    return fingerprint;
  });
  std::span const types(split_types, static_cast<std::size_t>(nsplit_types));
  std::vector<OwnCommunicator> const parts = split_by_types(own, types);
  std::vector<MPI_Comm> comms;
  std::ranges::transform(parts, std::back_inserter(comms), &OwnCommunicator::get);
  create_by_parts(comm_old, own, call, arguments, lowest_ranks(own, comms, nsplit_types));
}

void create_from_comms(int nlevels, MPI_Comm const* level_comms, CartArguments const& arguments) {
  OwnCommunicator const own = OwnCommunicator::duplicate(level_comms[0]);
  CartCall call{};
  agree(own, [&] {
    for (int level = 1; level < nlevels; ++level) {
      check_intracommunicator(level_comms[level]);
    }
    call = checked(arguments, own.size());
    Fingerprint fingerprint = call.fingerprint;
    fingerprint.add(std::span(&nlevels, 1));
    return fingerprint;
  });
  std::span const inner(level_comms + 1, static_cast<std::size_t>(nlevels - 1));
  create_by_parts(level_comms[0], own, call, arguments, lowest_ranks(own, inner, nlevels - 1));
}

/// dims_ml[dimension][level] of rows that stand one after the other.
mapping::MultiLevelDims rows_of(int const* dims_ml, int ndims, int nlevels) {
  std::vector<int> const all = checked_sizes(dims_ml, ndims * nlevels, "dims_ml");
  mapping::MultiLevelDims rows;
  for (int i = 0; i < ndims; ++i) {
    auto const begin = all.begin() + i * nlevels;
    rows.emplace_back(begin, begin + nlevels);
  }
  return rows;
}

void ml_create(MPI_Comm comm_old, CartArguments const& arguments, int nlevels, int const* dims_ml) {
  OwnCommunicator const own = OwnCommunicator::duplicate(comm_old);
  mapping::MultiLevelDims rows;
  std::vector<int> dims;
  std::vector<bool> periods;
  agree(own, [&] {
    check_count(arguments.ndims, "ndims");
    check_levels(nlevels, 1, dims_ml, "levels");
    check_pointer(arguments.dims, "dims");
    check_pointer(arguments.comm_cart, "comm_cart");
    periods = checked_periods(arguments.periods, arguments.ndims);
    (void)read_info(arguments.info);
    rows = rows_of(dims_ml, arguments.ndims, nlevels);
    Fingerprint fingerprint;
    for (std::vector<int> const& levels : rows) {
      dims.push_back(num_positions(levels, own.size()));
      fingerprint.add(levels);
    }
    (void)num_positions(dims, own.size());
    fingerprint.add(std::vector<int>(periods.begin(), periods.end()));
    return fingerprint;
  });
  MPI_Comm const made = plan::create_cartesian(
      comm_old, mapping::CartesianGrid(dims, periods), mapping::multi_level_order(rows)
  );
  std::ranges::copy(dims, arguments.dims);
  *arguments.comm_cart = made;
}

}  // namespace
}  // namespace espalier::capi

using espalier::capi::on;

extern "C" {

int MPIX_Cart_weighted_create(
    MPI_Comm comm_old,
    int ndims,
    double const* dim_weights,
    int const periods[],
    MPI_Info info,
    int dims[],
    MPI_Comm* comm_cart
) {
  return on(comm_old, [&] {
    espalier::capi::weighted_create(comm_old, {ndims, dim_weights, periods, info, dims, comm_cart});
  });
}

int MPIX_Cart_ml_create_from_types(
    MPI_Comm comm_old,
    int ndims,
    double const* dim_weights,
    int const periods[],
    int nsplit_types,
    int const split_types[],
    MPI_Info info,
    int dims[],
    MPI_Comm* comm_cart
) {
  return on(comm_old, [&] {
    espalier::capi::create_from_types(
        comm_old, {ndims, dim_weights, periods, info, dims, comm_cart}, nsplit_types, split_types
    );
  });
}

int MPIX_Cart_ml_create_from_comms(
    int nlevels,
    MPI_Comm const level_comms[],
    int ndims,
    double const* dim_weights,
    int const periods[],
    MPI_Info info,
    int dims[],
    MPI_Comm* comm_cart
) {
  bool const has_first = nlevels >= 1 && level_comms != nullptr;
  return on(has_first ? level_comms[0] : MPI_COMM_WORLD, [&] {
    espalier::capi::check_levels(nlevels, 1, level_comms, "level_comms");
    espalier::capi::create_from_comms(
        nlevels, level_comms, {ndims, dim_weights, periods, info, dims, comm_cart}
    );
  });
}

int MPIX_Cart_ml_create(
    MPI_Comm comm_old,
    int ndims,
    int const periods[],
    int nlevels,
    int const dims_ml[],
    MPI_Info info,
    int dims[],
    MPI_Comm* comm_cart
) {
  return on(comm_old, [&] {
    espalier::capi::ml_create(
        comm_old, {ndims, MPIX_WEIGHTS_EQUAL, periods, info, dims, comm_cart}, nlevels, dims_ml
    );
  });
}

}  // extern "C"
