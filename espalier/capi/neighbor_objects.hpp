// SPDX-License-Identifier: Apache-2.0

/// @file
/// The objects behind the handles of espalier_neighbor.h.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "include/espalier_neighbor.h"

#include <mpi.h>

#include "espalier/capi/barrier.hpp"
#include "espalier/capi/device_buffers.hpp"
#include "espalier/neighborhood/choice.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/neighbors/neighbors.hpp"

namespace espalier::capi {

/// espalier_neighbor_options, checked and copied.
struct NeighborOptions {
  std::string algorithm;  ///< empty: chosen by the links
  std::optional<neighborhood::Links> links;
};

/// @throws Error argument.
[[nodiscard]] NeighborOptions read(espalier_neighbor_options const* options);

/// The algorithm that was chosen last for a call, and for blocks of which size.
struct LastChoice {
  neighborhood::Algorithm const* algorithm = nullptr;
  std::int64_t bytes = 0;
};

}  // namespace espalier::capi

struct espalier_neighborhood {
  /// That of the communicator itself.
  espalier_neighborhood(MPI_Comm comm, espalier::capi::NeighborOptions wanted)
      : neighbors(comm), options(std::move(wanted)) {}

  /// Another one on its ranks.
  espalier_neighborhood(
      MPI_Comm comm,
      espalier::neighborhood::Neighborhood neighborhood,
      espalier::capi::NeighborOptions wanted
  )
      : neighbors(comm, std::move(neighborhood)), options(std::move(wanted)) {}

  espalier::plan::Neighbors neighbors;
  espalier::capi::NeighborOptions options;
  espalier::capi::DeviceBuffers devices;
  std::array<espalier::capi::LastChoice, espalier::plan::num_neighbor_calls> last{};
};

namespace espalier::capi {

/// The action on the neighborhood; what fails is delivered to the handler of its communicator.
template <typename Action> int on(espalier_neighborhood* neighborhood, Action&& action) noexcept {
  if (neighborhood == nullptr) {
    return plan::raise(MPI_COMM_SELF, MPI_ERR_ARG);
  }
  return delivering([&] { return neighborhood->neighbors.user(); }, std::forward<Action>(action));
}

}  // namespace espalier::capi
