// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a collective of a team was planned with, and how a program has it measured.

#include "espalier/capi/onesided/arrays/array_request.hpp"
#include "espalier/capi/onesided/choices/team_memory.hpp"
#include "espalier/capi/onesided/team_request.hpp"
#include "espalier/capi/request.hpp"
#include "espalier/plan/failure.hpp"

namespace {

using espalier::capi::ArrayRequest;
using espalier::capi::TeamRequest;

/// What the team runs; null for collectives of others, and for members that do nothing.
TeamRequest const* of_team(espalier_request const* request) {
  auto const* const of_arrays = dynamic_cast<ArrayRequest const*>(request);
  return of_arrays == nullptr ? dynamic_cast<TeamRequest const*>(request) : of_arrays->collective();
}

}  // namespace

extern "C" {

int espalier_request_tune(espalier_request* request, espalier_tuning_options const* options) {
  return espalier::capi::on(request, [&](espalier_request& self) {
    if (auto* const of_arrays = dynamic_cast<ArrayRequest*>(&self); of_arrays != nullptr) {
      of_arrays->tune(options);
    } else if (auto* const of_one = dynamic_cast<TeamRequest*>(&self); of_one != nullptr) {
      of_one->tune(options);
    } else {
      throw espalier::plan::ClassError(
          MPI_ERR_REQUEST, "expected a collective of a team, got one of a neighborhood"
      );
    }
    return MPI_SUCCESS;
  });
}

char const* espalier_request_mechanism(espalier_request const* request) {
  return request == nullptr ? "" : request->mechanism().c_str();
}

char const* espalier_request_origin(espalier_request const* request) {
  TeamRequest const* const found = of_team(request);
  // Of a literal.
  return found == nullptr ? "" : espalier::capi::to_string(found->origin()).data();
}

}  // extern "C"
