// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the Fortran modules and the Python module call: the same functions with handles of Fortran,
/// which are numbers in every MPI. The Fortran modules turn logicals into int and rows into
/// columns.

#include <cstddef>
#include <vector>

#include "include/espalier.h"
#include "include/espalier_mpix.h"

#include <mpi.h>

namespace {

/// Writes the handle of Fortran that belongs to one of C.
class CommHandle {
public:
  explicit CommHandle(MPI_Fint* handle) : handle_(handle) {}

  CommHandle(CommHandle const&) = delete;
  CommHandle& operator=(CommHandle const&) = delete;
  CommHandle(CommHandle&&) = delete;
  CommHandle& operator=(CommHandle&&) = delete;

  ~CommHandle() { *handle_ = PMPI_Comm_c2f(comm_); }

  [[nodiscard]] MPI_Comm* get() noexcept { return &comm_; }

private:
  MPI_Fint* handle_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// A null pointer is the Fortran module's MPIX_WEIGHTS_EQUAL.
double const* weights_of(double const* weights) noexcept {
  return weights == nullptr ? MPIX_WEIGHTS_EQUAL : weights;
}

}  // namespace

extern "C" {

int espalier_f_cart_weighted_create(
    MPI_Fint comm_old,
    int ndims,
    double const* dim_weights,
    int const* periods,
    MPI_Fint info,
    int* dims,
    MPI_Fint* comm_cart
) {
  CommHandle cart(comm_cart);
  return MPIX_Cart_weighted_create(
      PMPI_Comm_f2c(comm_old),
      ndims,
      weights_of(dim_weights),
      periods,
      PMPI_Info_f2c(info),
      dims,
      cart.get()
  );
}

int espalier_f_cart_ml_create_from_types(
    MPI_Fint comm_old,
    int ndims,
    double const* dim_weights,
    int const* periods,
    int nsplit_types,
    int const* split_types,
    MPI_Fint info,
    int* dims,
    MPI_Fint* comm_cart
) {
  CommHandle cart(comm_cart);
  return MPIX_Cart_ml_create_from_types(
      PMPI_Comm_f2c(comm_old),
      ndims,
      weights_of(dim_weights),
      periods,
      nsplit_types,
      split_types,
      PMPI_Info_f2c(info),
      dims,
      cart.get()
  );
}

int espalier_f_cart_ml_create_from_comms(
    int nlevels,
    MPI_Fint const* level_comms,
    int ndims,
    double const* dim_weights,
    int const* periods,
    MPI_Fint info,
    int* dims,
    MPI_Fint* comm_cart
) {
  CommHandle cart(comm_cart);
  std::vector<MPI_Comm> comms;
  for (int level = 0; level < nlevels; ++level) {
    comms.push_back(PMPI_Comm_f2c(level_comms[level]));
  }
  return MPIX_Cart_ml_create_from_comms(
      nlevels,
      comms.data(),
      ndims,
      weights_of(dim_weights),
      periods,
      PMPI_Info_f2c(info),
      dims,
      cart.get()
  );
}

int espalier_f_cart_ml_create(
    MPI_Fint comm_old,
    int ndims,
    int const* periods,
    int nlevels,
    int const* dims_ml,
    MPI_Fint info,
    int* dims,
    MPI_Fint* comm_cart
) {
  CommHandle cart(comm_cart);
  return MPIX_Cart_ml_create(
      PMPI_Comm_f2c(comm_old),
      ndims,
      periods,
      nlevels,
      dims_ml,
      PMPI_Info_f2c(info),
      dims,
      cart.get()
  );
}

int espalier_f_dims_ml_create(
    int nnodes,
    int ndims,
    double const* dim_weights,
    int nlevels,
    int const* sizes,
    int const* periods,
    MPI_Fint info,
    int* dims_ml
) {
  return MPIX_Dims_ml_create(
      nnodes, ndims, weights_of(dim_weights), nlevels, sizes, periods, PMPI_Info_f2c(info), dims_ml
  );
}

int espalier_f_dims_weighted_create(
    int nnodes, int ndims, double const* dim_weights, int const* periods, MPI_Fint info, int* dims
) {
  return MPIX_Dims_weighted_create(
      nnodes, ndims, weights_of(dim_weights), periods, PMPI_Info_f2c(info), dims
  );
}

int espalier_f_cart_create(
    MPI_Fint comm_old,
    int ndims,
    int* dims,
    int const* periods,
    int num_neighbors,
    int const* offsets,
    double const* weights,
    double const* dim_weights,
    char const* objective,
    char const* algorithm,
    MPI_Fint* comm_cart
) {
  CommHandle cart(comm_cart);
  espalier_cart_options options = ESPALIER_CART_OPTIONS_INIT;
  options.num_neighbors = num_neighbors;
  options.offsets = offsets;
  options.weights = weights;
  options.dim_weights = dim_weights;
  options.objective = objective;
  options.algorithm = algorithm;
  return espalier_cart_create(PMPI_Comm_f2c(comm_old), ndims, dims, periods, &options, cart.get());
}

int espalier_f_cart_report(
    MPI_Fint comm_cart,
    int max_levels,
    espalier_cart_level* levels,
    int* num_levels,
    char* algorithm
) {
  return espalier_cart_report(PMPI_Comm_f2c(comm_cart), max_levels, levels, num_levels, algorithm);
}

// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_f_order_create(
    MPI_Fint comm,
    char const* collective,
    int root,
    std::size_t bytes,
    espalier_order_options const* options,
    MPI_Fint* newcomm,
    espalier_order_report* report
) {
  CommHandle made(newcomm);
  return espalier_order_create(
      PMPI_Comm_f2c(comm), collective, root, bytes, options, made.get(), report
  );
}

int espalier_f_order_ranks(MPI_Fint comm, MPI_Fint newcomm, int* ranks) {
  return espalier_order_ranks(PMPI_Comm_f2c(comm), PMPI_Comm_f2c(newcomm), ranks);
}

// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_f_order_steps(
    MPI_Fint comm,
    char const* collective,
    std::size_t bytes,
    int num_calls,
    int max_steps,
    double* mean_us,
    double* sd_us,
    int* num_steps
) {
  return espalier_order_steps(
      PMPI_Comm_f2c(comm), collective, bytes, num_calls, max_steps, mean_us, sd_us, num_steps
  );
}

}  // extern "C"
