// SPDX-License-Identifier: Apache-2.0

/// @file
/// The object behind the handle of a shared array, of espalier_array.h.

#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "include/espalier_array.h"

#include <mpi.h>

#include "espalier/capi/onesided/team_object.hpp"
#include "espalier/onesided/array/distribution.hpp"

struct espalier_array {
  espalier_team* team;
  espalier::onesided::Distribution distribution;
  MPI_Datatype datatype;
  std::uint64_t element_bytes;
  std::uint64_t offset;  ///< in the segments of programs

  [[nodiscard]] std::uint64_t block_bytes() const noexcept {
    return static_cast<std::uint64_t>(distribution.block_elements()) * element_bytes;
  }
};

namespace espalier::capi {

/// The action on the array; what it throws is delivered to the handler of its team.
template <typename Array, typename Action>
  requires std::is_same_v<std::remove_const_t<Array>, espalier_array>
int on(Array* array, Action&& action) noexcept {
  if (array == nullptr) {
    return plan::raise(MPI_COMM_SELF, MPI_ERR_ARG);
  }
  return on(array->team, [&](espalier_team&) { std::forward<Action>(action)(*array); });
}

}  // namespace espalier::capi
