// SPDX-License-Identifier: Apache-2.0

/// @file
/// Neighborhoods of espalier_neighbor.h: made and freed.

#include "espalier/capi/neighborhood.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/capi/agreement.hpp"
#include "espalier/capi/arguments.hpp"
#include "espalier/capi/barrier.hpp"
#include "espalier/capi/neighbor_agreement.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/neighborhood/catalog.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/neighbors/neighbor_topology.hpp"

namespace espalier::capi {
namespace {

[[noreturn]] void reject(std::string const& text) {
  throw Error(ErrorCode::argument, text);
}

machine::Link link_of(espalier_neighbor_options const& options) {
  constexpr double bytes_per_gib = 1024.0 * 1024.0 * 1024.0;
  return {
      .latency = options.latency_us * 1e-6,
      .per_byte = 1.0 / (options.bandwidth_gib_s * bytes_per_gib),
  };
}

}  // namespace

NeighborOptions read(espalier_neighbor_options const* given) {
  NeighborOptions options;
  if (given == nullptr) {
    return options;
  }
  if (given->size != sizeof(espalier_neighbor_options) || given->flags != 0) {
    reject("expected options set by ESPALIER_NEIGHBOR_OPTIONS_INIT with flags 0");
  }
  bool const is_number = given->latency_us >= 0 && given->bandwidth_gib_s >= 0 &&
                         given->latency_us <= std::numeric_limits<double>::max() &&
                         given->bandwidth_gib_s <= std::numeric_limits<double>::max();
  if (!is_number) {
    reject("expected a latency and a bandwidth that are finite and not negative");
  }
  if (given->algorithm != nullptr) {
    options.algorithm = given->algorithm;
    // Both collectives have the same names.
    static_cast<void>(
        neighborhood::find(neighborhood::Collective::neighbor_alltoall, given->algorithm)
    );
  }
  if (given->latency_us > 0 && given->bandwidth_gib_s > 0) {
    options.links = {.across = link_of(*given), .inside = link_of(*given)};
  }
  return options;
}

namespace {

/// Whether an algorithm that forwards blocks may be chosen. The same on all ranks.
bool may_forward(NeighborOptions const& options) {
  if (options.algorithm.empty()) {
    return options.links.has_value();
  }
  return neighborhood::find(neighborhood::Collective::neighbor_alltoall, options.algorithm)
      .forwards;
}

/// What is collective about a new neighborhood.
void complete(espalier_neighborhood& made) {
  made.neighbors.prepare();
  if (plan::DeviceMemory::of_process().is_present()) {
    made.neighbors.leave_copies_to_mpi();
  }
  if (may_forward(made.options)) {
    made.devices = DeviceBuffers::among(made.neighbors.own_comm());
  }
}

}  // namespace
}  // namespace espalier::capi

namespace {

using espalier::capi::Fingerprint;
using espalier::capi::NeighborhoodArguments;
using espalier::capi::read;
using espalier::capi::StencilOffsets;
using espalier::neighborhood::Neighborhood;
using espalier::plan::ClassError;
using espalier::plan::raise;

void check_topology(MPI_Comm comm, bool is_grid_needed) {
  int const topology =
      espalier::plan::has_neighbors(comm) ? espalier::plan::topology_of(comm) : MPI_UNDEFINED;
  if (is_grid_needed ? topology != MPI_CART : topology == MPI_UNDEFINED) {
    throw ClassError(
        MPI_ERR_TOPOLOGY,
        is_grid_needed ? "expected a communicator with a Cartesian topology, got another one"
                       : "expected a communicator with a topology, got one without"
    );
  }
}

Fingerprint fingerprint_of(espalier_neighbor_options const* options) {
  Fingerprint result;
  result.add(read(options).algorithm);
  if (options != nullptr) {
    result.add(std::array{options->latency_us, options->bandwidth_gib_s});
  }
  return result;
}

/// A new neighborhood. What is wrong on one rank, or not equal on all, is an error on all; what is
/// collective about the neighborhood is done.
/// @param make  a neighborhood, whose arguments it adds to the fingerprint; local
template <typename Make>
int create(
    MPI_Comm comm,
    NeighborhoodArguments const& arguments,
    bool is_grid_needed,
    espalier_neighborhood** neighborhood,
    Make const& make
) noexcept {
  if (neighborhood != nullptr) {
    *neighborhood = nullptr;
  }
  if (comm == MPI_COMM_NULL) {
    return raise(MPI_COMM_SELF, MPI_ERR_COMM);
  }
  return espalier::capi::on(comm, [&] {
    std::unique_ptr<espalier_neighborhood> made;
    espalier::capi::agree(espalier::mpi::OwnCommunicator::duplicate(comm), [&] {
      espalier::capi::require_use(arguments.complaint, MPI_SUCCESS);
      check_topology(comm, is_grid_needed);
      if (neighborhood == nullptr) {
        throw ClassError(MPI_ERR_ARG, "expected a place for the neighborhood, got a null pointer");
      }
      Fingerprint known = fingerprint_of(arguments.options);
      made = make(known);
      return known;
    });
    espalier::capi::complete(*made);
    *neighborhood = made.release();
  });
}

std::vector<std::vector<int>> rows(StencilOffsets const& offsets, int num_dimensions) {
  if (offsets.number < 0 || (offsets.number > 0 && offsets.rows == nullptr)) {
    throw espalier::Error(
        espalier::ErrorCode::argument,
        "expected num_offsets >= 0 and as many offsets, got " + std::to_string(offsets.number)
    );
  }
  int const num_entries = offsets.num_entries.value_or(num_dimensions);
  if (offsets.number > 0 && num_entries != num_dimensions) {
    throw ClassError(
        MPI_ERR_ARG,
        espalier::formatted(
            "expected offsets with an entry for each of {} dimensions, got {}",
            num_dimensions,
            num_entries
        )
    );
  }
  std::vector<std::vector<int>> result;
  for (int i = 0; i < offsets.number; ++i) {
    int const* const row = offsets.rows + static_cast<std::ptrdiff_t>(i) * num_dimensions;
    result.emplace_back(row, row + num_dimensions);
  }
  return result;
}

}  // namespace

namespace espalier::capi {

int create_stencil(
    MPI_Comm comm_cart,
    StencilOffsets const& offsets,
    NeighborhoodArguments const& arguments,
    espalier_neighborhood** neighborhood
) noexcept {
  return create(comm_cart, arguments, true, neighborhood, [&](Fingerprint& known) {
    auto grid = plan::grid_of(comm_cart);
    auto stencil = rows(offsets, grid.num_dimensions());
    for (std::vector<int> const& row : stencil) {
      known.add(row);
    }
    return std::make_unique<espalier_neighborhood>(
        comm_cart,
        Neighborhood::of_stencil(std::move(grid), std::move(stencil)),
        read(arguments.options)
    );
  });
}

int create_own(
    MPI_Comm comm, NeighborhoodArguments const& arguments, espalier_neighborhood** neighborhood
) noexcept {
  return create(comm, arguments, false, neighborhood, [&](Fingerprint& /*known*/) {
    return std::make_unique<espalier_neighborhood>(comm, read(arguments.options));
  });
}

}  // namespace espalier::capi

extern "C" {

int espalier_neighborhood_create(
    MPI_Comm comm_cart,
    int num_offsets,
    int const offsets[],
    espalier_neighbor_options const* options,
    espalier_neighborhood** neighborhood
) {
  return espalier::capi::create_stencil(
      comm_cart, {.number = num_offsets, .rows = offsets}, {.options = options}, neighborhood
  );
}

int espalier_neighborhood_of(
    MPI_Comm comm, espalier_neighbor_options const* options, espalier_neighborhood** neighborhood
) {
  return espalier::capi::create_own(comm, {.options = options}, neighborhood);
}

int espalier_neighborhood_free(espalier_neighborhood** neighborhood) {
  if (neighborhood == nullptr || *neighborhood == nullptr) {
    return raise(MPI_COMM_SELF, MPI_ERR_ARG);
  }
  delete *neighborhood;
  *neighborhood = nullptr;
  return MPI_SUCCESS;
}

}  // extern "C"
