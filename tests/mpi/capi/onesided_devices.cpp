// SPDX-License-Identifier: Apache-2.0

/// @file
/// One-sided operations refuse device memory before they touch it, and leave collectives of it to
/// the MPI library where the program names that.

#include <cstdint>
#include <string>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/handled_errors.hpp"
#include "tests/mpi/capi/onesided_support.hpp"
#include "tests/support/stand_in_devices.h"

namespace {

using namespace espalier::test;

/// An allreduce of a number that may be on a device.
int plan(
    std::int32_t const* in,
    std::int32_t* out,
    char const* algorithm,
    espalier_team* team,
    espalier_request** request
) {
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.addresses = ESPALIER_ADDRESSES_LOCAL;
  options.algorithm = algorithm;
  return espalier_team_allreduce_init(in, out, 1, MPI_INT32_T, MPI_SUM, team, &options, request);
}

void expect_refused(Checks& checks, int code, std::string const& what) {
  expect_handled(checks, code, MPI_ERR_BUFFER, what);
  std::string const text = last_text();
  checks.expect(text.find("got memory of a device") != std::string::npos, what + ": " + text);
}

void transfer(Checks& checks, espalier_conduit* conduit, void* on_device) {
  espalier_remote const there{.rank = 0, .offset = 64};
  espalier_transfer transfer = {};
  expect_refused(checks, espalier_put(on_device, 4, there, conduit), "a put");
  expect_refused(checks, espalier_get(on_device, 4, there, conduit), "a get");
  expect_refused(checks, espalier_put_signal(on_device, 4, there, 0, 1, conduit), "a raising put");
  expect_refused(
      checks, espalier_start_put(on_device, 4, there, conduit, &transfer), "a put that starts"
  );
  expect_refused(
      checks, espalier_start_get(on_device, 4, there, conduit, &transfer), "a get that starts"
  );
  expect_refused(
      checks,
      espalier_start_put_signal(on_device, 4, there, 0, 1, conduit, &transfer),
      "a raising put that starts"
  );
  expect_refused(
      checks, espalier_post_put_signal(on_device, 4, there, 0, 1, conduit), "a posted raising put"
  );
  expect_refused(checks, espalier_post_put(on_device, 4, there, conduit), "a posted put");
  expect_refused(checks, espalier_post_get(on_device, 4, there, conduit), "a posted get");
}

/// The last member has its number on a device, and the others do not know.
void combine(Checks& checks, espalier_team* team, std::int32_t* on_device) {
  int const size = espalier_team_size(team);
  std::int32_t const ordinary = 5;
  std::int32_t sum = 0;
  espalier_request* request = nullptr;
  expect_refused(checks, plan(on_device, &sum, nullptr, team, &request), "a contribution");
  checks.expect(last_text().find("allreduce/native") != std::string::npos, last_text());
  expect_refused(checks, plan(&ordinary, on_device, nullptr, team, &request), "a result");
  checks.expect(request == nullptr, "nothing is planned of what is refused");
  bool const is_last = espalier_team_rank(team) == size - 1;
  int const code = plan(is_last ? on_device : &ordinary, &sum, "allreduce/native", team, &request);
  checks.expect(code == MPI_SUCCESS, "what the MPI library serves: " + text_of(code));
  espalier_request_start(request);
  checks.expect(espalier_request_wait(request) == MPI_SUCCESS, "wait");
  checks.expect(sum == 5 * size, "the sum: " + std::to_string(sum));
  espalier_request_free(&request);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Checks checks;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  {
    World const world(checks, 4096, "node");
    espalier_team* team = nullptr;
    int const code = espalier_team_create(world.conduit, MPI_COMM_WORLD, 0, &team);
    checks.expect(code == MPI_SUCCESS, "a team: " + text_of(code));
    auto* const on_device = static_cast<std::int32_t*>(stand_in_allocate(sizeof(std::int32_t)));
    *on_device = 5;
    stand_in_lock();
    transfer(checks, world.conduit, on_device);
    stand_in_unlock();
    combine(checks, team, on_device);
    stand_in_free(on_device);
    checks.expect(espalier_team_free(&team) == MPI_SUCCESS, "free the team");
  }
  MPI_Errhandler_free(&handler);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
