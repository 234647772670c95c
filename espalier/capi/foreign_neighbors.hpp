// SPDX-License-Identifier: Apache-2.0

/// @file
/// What every function espalier_f_neighbor_<collective>() and .._init() is: what Fortran and Python
/// call, with handles of Fortran. `make_call` gives the arguments, with datatypes of the blocks
/// that are sent and of those that are received. What a language finds wrong with an argument is a
/// complaint; then `make_call` is not asked.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <mpi.h>

#include "espalier/capi/datatype_lists.hpp"
#include "espalier/capi/neighbor_calls.hpp"
#include "espalier/capi/neighbor_objects.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {

/// Goes on on all ranks, or throws on all if something is wrong on one of them or they call
/// different functions. Collective over the neighborhood.
/// @param function   what is called
/// @param complaint  null if nothing is wrong for the language
/// @param misuse     the class of what is wrong for MPI
/// @throws plan::ClassError, Error mpi.
void agree_on_call(
    espalier_neighborhood& self, std::string_view function, char const* complaint, int misuse
);

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

/// All ranks get a request, or all an error.
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
    std::string function(plan::to_string(CallOf<MakeCall>::neighbor_call));
    function.append("_init");
    agree_on_call(*self, function, complaint, is_right ? misuse(call, degrees) : MPI_SUCCESS);
    *request = planned(*self, call);
    return MPI_SUCCESS;
  });
}

}  // namespace espalier::capi
