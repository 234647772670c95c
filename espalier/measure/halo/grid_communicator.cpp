// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/halo/grid_communicator.hpp"

#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "include/espalier_mpix.h"

#include "espalier/base/error.hpp"
#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/start_barrier.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure {
namespace {

/// What the calls take.
struct Request {
  MPI_Comm comm;
  int num_dimensions;
  std::vector<int> periods;
};

/// Makes the communicator and writes its extents.
using Maker = std::function<int(Request const&, int* dims, MPI_Comm* made)>;

int by_library(Request const& request, int num_ranks, int* dims, MPI_Comm* made) {
  int const code = PMPI_Dims_create(num_ranks, request.num_dimensions, dims);
  if (code != MPI_SUCCESS) {
    return code;
  }
  int const dimensions = request.num_dimensions;
  return PMPI_Cart_create(request.comm, dimensions, dims, request.periods.data(), 1, made);
}

Maker by_weights(std::vector<double> weights) {
  return [weights = std::move(weights)](Request const& request, int* dims, MPI_Comm* made) {
    double const* const given = weights.empty() ? MPIX_WEIGHTS_EQUAL : weights.data();
    return MPIX_Cart_weighted_create(
        request.comm,
        request.num_dimensions,
        given,
        request.periods.data(),
        MPI_INFO_NULL,
        dims,
        made
    );
  };
}

Maker by_levels(mapping::MultiLevelDims const& dims_ml) {
  std::vector<int> flat;
  for (std::vector<int> const& row : dims_ml) {
    flat.insert(flat.end(), row.begin(), row.end());
  }
  auto const num_levels = static_cast<int>(dims_ml.front().size());
  return [flat = std::move(flat), num_levels](Request const& request, int* dims, MPI_Comm* made) {
    return MPIX_Cart_ml_create(
        request.comm,
        request.num_dimensions,
        request.periods.data(),
        num_levels,
        flat.data(),
        MPI_INFO_NULL,
        dims,
        made
    );
  };
}

/// A wide halo is one point deep and a point costs the same in every direction.
std::vector<double> weights_of(std::vector<int> const& grid) {
  std::vector<double> weights;
  for (int const points : grid) {
    weights.push_back(1.0 / points);
  }
  return weights;
}

Maker maker_of(Job const& job, HaloGroup const& group, HaloCase const& one) {
  switch (one.method) {
  case HaloMethod::dims_create:
    return [num_ranks = job.num_ranks](Request const& request, int* dims, MPI_Comm* made) {
      return by_library(request, num_ranks, dims, made);
    };
  case HaloMethod::equal_weights:
    return by_weights({});
  case HaloMethod::grid_weights:
    return by_weights(weights_of(group.grid));
  case HaloMethod::given_weights:
    return by_weights(one.weights);
  case HaloMethod::given_levels:
    return by_levels(one.dims_ml);
  }
  throw Error(ErrorCode::argument, "expected a method of 1 to 5");
}

double slowest_us(Job const& job, double time_us) {
  mpi::require_success(
      PMPI_Allreduce(MPI_IN_PLACE, &time_us, 1, MPI_DOUBLE, MPI_MAX, job.comm), "MPI_Allreduce"
  );
  return time_us;
}

}  // namespace

// Delegating, so that what throws below leaves no communicator behind.
GridCommunicator::GridCommunicator(Job const& job, HaloGroup const& group, HaloCase const& one)
    : GridCommunicator() {
  Request const request{
      .comm = job.comm,
      .num_dimensions = group.num_dimensions(),
      .periods = {group.is_periodic.begin(), group.is_periodic.end()},
  };
  Maker const make = maker_of(job, group, one);
  std::vector<int> dims(group.grid.size(), 0);
  mpi::require_success(start_barrier(job.comm), "barrier");
  auto const start = Clock::now();
  mpi::require_success(make(request, dims.data(), &comm_), "making the communicator");
  creation_us_ = slowest_us(job, seconds_since(start) * 1e6);
  describe(job, dims, group);
}

void GridCommunicator::describe(
    Job const& job, std::vector<int> const& dims, HaloGroup const& group
) {
  grid_ = mapping::CartesianGrid(dims, group.is_periodic);
  if (grid_.num_positions() != job.num_ranks) {
    throw Error(
        ErrorCode::argument,
        "expected a grid of all " + std::to_string(job.num_ranks) + " ranks, got one of " +
            std::to_string(grid_.num_positions())
    );
  }
  PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  PMPI_Comm_rank(comm_, &position_);
  std::vector<int> positions(static_cast<std::size_t>(job.num_ranks));
  mpi::require_success(
      PMPI_Gather(&position_, 1, MPI_INT, positions.data(), 1, MPI_INT, 0, job.comm), "MPI_Gather"
  );
  if (job.rank == 0) {
    ranks_.resize(positions.size());
    for (std::size_t rank = 0; rank < positions.size(); ++rank) {
      ranks_[static_cast<std::size_t>(positions[rank])] = static_cast<int>(rank);
    }
  }
}

GridCommunicator::GridCommunicator(GridCommunicator&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)), grid_(std::move(other.grid_)),
      position_(other.position_), ranks_(std::move(other.ranks_)),
      creation_us_(other.creation_us_) {}

GridCommunicator::~GridCommunicator() {
  if (comm_ != MPI_COMM_NULL) {
    PMPI_Comm_free(&comm_);
  }
}

}  // namespace espalier::measure
