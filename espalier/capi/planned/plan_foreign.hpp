// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>

#include "include/espalier_planned.h"

#include <mpi.h>

#include "espalier/capi/barrier.hpp"
#include "espalier/capi/datatype_lists.hpp"
#include "espalier/capi/planned/planner.hpp"

namespace espalier::capi {

/// What every function espalier_f_<collective>_init() is: what Fortran and Python call, with
/// handles of Fortran, which are numbers in every MPI. What their interface finds wrong with an
/// argument is a complaint here, so that other ranks, for which nothing is wrong, give up as well.
///
/// @param make_call  gives the arguments, with lists of DatatypeLists; not asked if something is
///     wrong
template <typename MakeCall>
int plan_foreign(MakeCall const& make_call, MPI_Fint comm, PlanOrder const& order) noexcept {
  if (order.request != nullptr) {
    *order.request = nullptr;
  }
  MPI_Comm const user = PMPI_Comm_f2c(comm);
  return on(user, [&] {
    Planner& planner = Planner::of(user);
    using Call = decltype(make_call(std::declval<DatatypeLists&>()));
    DatatypeLists lists(planner.num_ranks());
    planner.plan(order.complaint == nullptr ? make_call(lists) : Call{}, order);
  });
}

}  // namespace espalier::capi
