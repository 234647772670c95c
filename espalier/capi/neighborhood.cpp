// SPDX-License-Identifier: Apache-2.0

/// @file
/// Neighborhoods of espalier_neighbor.h: made and freed.

#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/capi/barrier.hpp"
#include "espalier/capi/neighbor_objects.hpp"
#include "espalier/neighborhood/catalog.hpp"
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

using espalier::capi::read;
using espalier::neighborhood::Neighborhood;
using espalier::plan::guard;
using espalier::plan::Neighbors;
using espalier::plan::raise;

/// A new neighborhood; all that is collective about it is done.
template <typename Make>
int create(MPI_Comm comm, espalier_neighborhood** neighborhood, Make&& make_it) noexcept {
  return espalier::capi::delivering(
      [&] { return comm; },
      [&] {
        if (neighborhood == nullptr) {
          return MPI_ERR_ARG;
        }
        *neighborhood = nullptr;
        std::unique_ptr<espalier_neighborhood> made = std::forward<Make>(make_it)();
        espalier::capi::complete(*made);
        *neighborhood = made.release();
        return MPI_SUCCESS;
      }
  );
}

/// MPI_SUCCESS, or the class of what is wrong with a communicator.
int misuse(MPI_Comm comm, bool is_grid_needed) noexcept {
  if (comm == MPI_COMM_NULL) {
    return MPI_ERR_COMM;
  }
  return guard([&] {
    int const topology =
        espalier::plan::has_neighbors(comm) ? espalier::plan::topology_of(comm) : MPI_UNDEFINED;
    bool const is_right = is_grid_needed ? topology == MPI_CART : topology != MPI_UNDEFINED;
    return is_right ? MPI_SUCCESS : MPI_ERR_TOPOLOGY;
  });
}

std::vector<std::vector<int>> rows(int num_offsets, int const* offsets, int num_dimensions) {
  if (num_offsets < 0 || (num_offsets > 0 && offsets == nullptr)) {
    throw espalier::Error(
        espalier::ErrorCode::argument,
        "expected num_offsets >= 0 and as many offsets, got " + std::to_string(num_offsets)
    );
  }
  std::vector<std::vector<int>> result;
  for (int i = 0; i < num_offsets; ++i) {
    int const* const row = offsets + static_cast<std::ptrdiff_t>(i) * num_dimensions;
    result.emplace_back(row, row + num_dimensions);
  }
  return result;
}

int raise_early(MPI_Comm comm, int code) noexcept {
  return raise(comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm, code);
}

}  // namespace

extern "C" {

int espalier_neighborhood_create(
    MPI_Comm comm_cart,
    int num_offsets,
    int const offsets[],
    espalier_neighbor_options const* options,
    espalier_neighborhood** neighborhood
) {
  if (int const code = misuse(comm_cart, true); code != MPI_SUCCESS) {
    return raise_early(comm_cart, code);
  }
  return create(comm_cart, neighborhood, [&] {
    auto grid = espalier::plan::grid_of(comm_cart);
    auto stencil = rows(num_offsets, offsets, grid.num_dimensions());
    return std::unique_ptr<espalier_neighborhood>(new espalier_neighborhood{
        .neighbors = {comm_cart, Neighborhood::of_stencil(std::move(grid), std::move(stencil))},
        .options = read(options),
    });
  });
}

int espalier_neighborhood_of(
    MPI_Comm comm, espalier_neighbor_options const* options, espalier_neighborhood** neighborhood
) {
  if (int const code = misuse(comm, false); code != MPI_SUCCESS) {
    return raise_early(comm, code);
  }
  return create(comm, neighborhood, [&] {
    return std::unique_ptr<espalier_neighborhood>(
        new espalier_neighborhood{.neighbors = Neighbors(comm), .options = read(options)}
    );
  });
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
