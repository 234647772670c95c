// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "include/espalier_mpix.h"

#include <mpi.h>

#include "espalier/capi/arguments.hpp"
#include "espalier/capi/barrier.hpp"
#include "espalier/capi/info_keys.hpp"
#include "espalier/mapping/dims/dims.hpp"
#include "espalier/mapping/places.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {
namespace {

std::vector<double> weights_or_equal(double const* weights, int ndims) {
  std::vector<double> result = checked_weights(weights, ndims);
  if (result.empty()) {
    result.assign(static_cast<std::size_t>(ndims), 1.0);
  }
  return result;
}

void check_product(std::vector<int> const& sizes, int nnodes) {
  std::int64_t product = 1;
  for (int const size : sizes) {
    product = std::min<std::int64_t>(product * size, std::int64_t{nnodes} + 1);
  }
  if (product != nnodes) {
    throw plan::ClassError(
        MPI_ERR_DIMS,
        "expected sizes whose product is nnodes, " + std::to_string(nnodes) + ", got " +
            (product > nnodes ? "more" : std::to_string(product))
    );
  }
}

/// Costs of all levels: each that is not given is a part of the one outside.
std::vector<double> costs_of(InfoKeys const& keys, std::size_t num_levels) {
  std::vector<double> costs = keys.level_costs;
  costs.resize(std::min(costs.size(), num_levels));
  while (costs.size() < num_levels) {
    costs.push_back(costs.empty() ? 1 : costs.back() * mapping::Places::inner_cost);
  }
  return costs;
}

void dims_weighted(int nnodes, int ndims, double const* dim_weights, MPI_Info info, int* dims) {
  check_count(nnodes, "nnodes");
  check_count(ndims, "ndims");
  std::vector<double> const weights = weights_or_equal(dim_weights, ndims);
  std::vector<int> const wanted = checked_dims(dims, ndims);
  (void)read_info(info);
  if (num_positions(wanted, nnodes) != nnodes) {
    throw plan::ClassError(
        MPI_ERR_DIMS,
        "expected entries of dims whose product is nnodes, " + std::to_string(nnodes) +
            "; choose others, or 0 for free ones"
    );
  }
  std::ranges::copy(mapping::weighted_dims(nnodes, weights, wanted), dims);
}

}  // namespace
}  // namespace espalier::capi

extern "C" {

int MPIX_Dims_weighted_create(
    int nnodes,
    int ndims,
    double const* dim_weights,
    int const /*periods*/[],
    MPI_Info info,
    int dims[]
) {
  return espalier::capi::on(MPI_COMM_WORLD, [&] {
    espalier::capi::dims_weighted(nnodes, ndims, dim_weights, info, dims);
  });
}

int MPIX_Dims_ml_create(
    int nnodes,
    int ndims,
    double const* dim_weights,
    int nlevels,
    int const sizes[],
    int const /*periods*/[],
    MPI_Info info,
    int dims_ml[]
) {
  using namespace espalier;
  return capi::on(MPI_COMM_WORLD, [&] {
    capi::check_count(nnodes, "nnodes");
    capi::check_count(ndims, "ndims");
    capi::check_count(nlevels, "nlevels");
    capi::check_pointer(dims_ml, "dims_ml");
    std::vector<double> const weights = capi::weights_or_equal(dim_weights, ndims);
    std::vector<int> const parts = capi::checked_sizes(sizes, nlevels, "sizes");
    capi::InfoKeys const keys = capi::read_info(info);
    capi::check_product(parts, nnodes);
    mapping::MultiLevelDims const rows =
        keys.is_joint ? mapping::joint_dims(parts, capi::costs_of(keys, parts.size()), weights)
                      : mapping::multi_level_dims(parts, weights);
    for (std::vector<int> const& levels : rows) {
      dims_ml = std::ranges::copy(levels, dims_ml).out;
    }
  });
}

}  // extern "C"
