// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/foreign_neighbors.hpp"

#include <mpi.h>

#include "espalier/capi/neighbor_agreement.hpp"
#include "espalier/capi/neighborhood.hpp"

namespace espalier::capi {
namespace {

/// A function for what is a macro with a cast in some MPI libraries.
MPI_Comm comm_of(MPI_Fint handle) {
  return PMPI_Comm_f2c(handle);
}

}  // namespace
}  // namespace espalier::capi

extern "C" {

/// `offsets` has num_offsets rows of num_entries each. What is wrong on one rank, or not equal on
/// all, is an error on all.
// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_f_neighborhood_create(
    MPI_Fint comm_cart,
    int num_offsets,
    int num_entries,
    int const offsets[],
    espalier_neighbor_options const* options,
    char const* complaint,
    espalier_neighborhood** neighborhood
) {
  return espalier::capi::create_stencil(
      espalier::capi::comm_of(comm_cart),
      {.number = num_offsets, .rows = offsets, .num_entries = num_entries},
      {.options = options, .complaint = complaint},
      neighborhood
  );
}

/// What is wrong on one rank, or not equal on all, is an error on all.
int espalier_f_neighborhood_of(
    MPI_Fint comm,
    espalier_neighbor_options const* options,
    char const* complaint,
    espalier_neighborhood** neighborhood
) {
  return espalier::capi::create_own(
      espalier::capi::comm_of(comm), {.options = options, .complaint = complaint}, neighborhood
  );
}

/// Neighbours that a rank receives from, and that it sends to, absent ones included.
void espalier_f_neighborhood_degrees(espalier_neighborhood const* neighborhood, int* in, int* out) {
  espalier::plan::Degrees const degrees = neighborhood->neighbors.degrees();
  *in = degrees.in;
  *out = degrees.out;
}

/// Before a blocking call whose arguments may be wrong on one rank: an error on all ranks, or on
/// none. Collective over the neighborhood.
int espalier_f_neighborhood_agree(
    espalier_neighborhood* neighborhood, char const* function, char const* complaint
) {
  return espalier::capi::on(neighborhood, [&] {
    espalier::capi::agree_on_call(*neighborhood, function, complaint, MPI_SUCCESS);
    return MPI_SUCCESS;
  });
}

}  // extern "C"
