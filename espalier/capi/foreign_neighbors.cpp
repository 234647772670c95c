// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/foreign_neighbors.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include <mpi.h>

#include "espalier/base/format.hpp"
#include "espalier/capi/agreement.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/neighbors/neighbor_topology.hpp"

namespace espalier::capi {
namespace {

/// A function for what is a macro with a cast in some MPI libraries.
MPI_Comm comm_of(MPI_Fint handle) {
  return PMPI_Comm_f2c(handle);
}

/// On other communicators there is nothing to compare with; they are refused later, on all ranks.
void require_entries(MPI_Comm comm, int num_entries) {
  if (!plan::has_neighbors(comm) || plan::topology_of(comm) != MPI_CART) {
    return;
  }
  int num_dimensions = 0;
  mpi::require_success(PMPI_Cartdim_get(comm, &num_dimensions), "MPI_Cartdim_get");
  if (num_entries != num_dimensions) {
    throw plan::ClassError(
        MPI_ERR_ARG,
        formatted(
            "expected offsets with an entry for each of {} dimensions, got {}",
            num_dimensions,
            num_entries
        )
    );
  }
}

Fingerprint option_fingerprint(espalier_neighbor_options const* given) {
  Fingerprint fingerprint;
  fingerprint.add(read(given).algorithm);
  if (given != nullptr) {
    fingerprint.add(std::array{given->latency_us, given->bandwidth_gib_s});
  }
  return fingerprint;
}

/// Goes on on all ranks of a communicator, or on none.
template <typename Check> int agree_on(MPI_Comm user, Check const& check) noexcept {
  return on(user, [&] { agree(mpi::OwnCommunicator::duplicate(user), check); });
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
  *neighborhood = nullptr;
  MPI_Comm const user = espalier::capi::comm_of(comm_cart);
  int const code = espalier::capi::agree_on(user, [&] {
    espalier::capi::require_use(complaint, MPI_SUCCESS);
    if (num_offsets > 0) {
      espalier::capi::require_entries(user, num_entries);
    }
    auto fingerprint = espalier::capi::option_fingerprint(options);
    auto const size = static_cast<std::size_t>(num_offsets) * static_cast<std::size_t>(num_entries);
    fingerprint.add(std::array{num_offsets});
    fingerprint.add(std::span(offsets, size));
    return fingerprint;
  });
  return code != MPI_SUCCESS
             ? code
             : espalier_neighborhood_create(user, num_offsets, offsets, options, neighborhood);
}

/// What is wrong on one rank, or not equal on all, is an error on all.
int espalier_f_neighborhood_of(
    MPI_Fint comm,
    espalier_neighbor_options const* options,
    char const* complaint,
    espalier_neighborhood** neighborhood
) {
  *neighborhood = nullptr;
  MPI_Comm const user = espalier::capi::comm_of(comm);
  int const code = espalier::capi::agree_on(user, [&] {
    espalier::capi::require_use(complaint, MPI_SUCCESS);
    return espalier::capi::option_fingerprint(options);
  });
  return code != MPI_SUCCESS ? code : espalier_neighborhood_of(user, options, neighborhood);
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
