// SPDX-License-Identifier: Apache-2.0

/// @file
/// What every function espalier_f_neighbor_<collective>() and .._init() is: what Fortran and Python
/// call, with handles of Fortran. `make_call` gives the arguments, with datatypes of the blocks
/// that are sent and of those that are received. What a language finds wrong with an argument is a
/// complaint; then `make_call` is not asked.

#pragma once

#include <utility>

#include <mpi.h>

#include "espalier/capi/datatype_lists.hpp"
#include "espalier/capi/neighbor_calls.hpp"
#include "espalier/capi/neighbor_objects.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {

template <typename MakeCall>
using CallOf = decltype(std::declval<MakeCall>()(
    std::declval<DatatypeLists&>(), std::declval<DatatypeLists&>()
));

/// As in C, what is wrong on one rank is an error of this rank: to ask the others would take longer
/// than most exchanges. @see espalier_f_neighborhood_agree()
template <typename MakeCall>
int run_foreign_neighbors(
    MakeCall const& make_call, espalier_neighborhood* self, char const* complaint
) noexcept {
  return on(self, [&] {
    if (complaint != nullptr) {
      throw plan::ClassError(MPI_ERR_ARG, complaint);
    }
    plan::Degrees const degrees = self->neighbors.degrees();
    DatatypeLists sent(degrees.out);
    DatatypeLists received(degrees.in);
    return run_call(*self, make_call(sent, received));
  });
}

template <typename MakeCall>
int plan_foreign_neighbors(
    MakeCall const& make_call,
    espalier_neighborhood* self,
    char const* complaint,
    espalier_request** request
) noexcept {
  return on(self, [&] {
    *request = nullptr;
    plan::Degrees const degrees = self->neighbors.degrees();
    DatatypeLists sent(degrees.out);
    DatatypeLists received(degrees.in);
    bool const is_right = complaint == nullptr;
    auto const call = is_right ? make_call(sent, received) : CallOf<MakeCall>{};
    *request = planned(*self, call, complaint);
    return MPI_SUCCESS;
  });
}

}  // namespace espalier::capi
