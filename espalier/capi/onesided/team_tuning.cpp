// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a collective of a team was planned with, and how a program has it measured.

#include "espalier/capi/onesided/choices/team_memory.hpp"
#include "espalier/capi/onesided/team_request.hpp"
#include "espalier/capi/request.hpp"
#include "espalier/plan/failure.hpp"

namespace {

using espalier::capi::TeamRequest;

}  // namespace

extern "C" {

int espalier_request_tune(espalier_request* request, espalier_tuning_options const* options) {
  return espalier::capi::on(request, [&](espalier_request& self) {
    auto* const of_team = dynamic_cast<TeamRequest*>(&self);
    if (of_team == nullptr) {
      throw espalier::plan::ClassError(
          MPI_ERR_REQUEST, "expected a collective of a team, got one of a neighborhood"
      );
    }
    of_team->tune(options);
    return MPI_SUCCESS;
  });
}

char const* espalier_request_mechanism(espalier_request const* request) {
  return request == nullptr ? "" : request->mechanism().c_str();
}

char const* espalier_request_origin(espalier_request const* request) {
  auto const* const of_team = dynamic_cast<TeamRequest const*>(request);
  // Of a literal.
  return of_team == nullptr ? "" : espalier::capi::to_string(of_team->origin()).data();
}

}  // extern "C"
