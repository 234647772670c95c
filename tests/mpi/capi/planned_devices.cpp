// SPDX-License-Identifier: Apache-2.0

/// @file
/// A planned collective whose buffer is in device memory on one rank is left to the MPI library on
/// all, and is an error on all if the program asks for an algorithm of ours.

#include <string>

#include "include/espalier.h"

#include <mpi.h>

#include "tests/mpi/capi/handled_errors.hpp"
#include "tests/mpi/exec/support.hpp"
#include "tests/support/stand_in_devices.h"

namespace {

using espalier::test::Checks;
using espalier::test::expect_handled;

/// An allreduce of one int from a buffer to another.
int plan(int const* input, int* output, char const* algorithm, espalier_request** request) {
  espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
  options.algorithm = algorithm;
  return espalier_allreduce_init(
      input, output, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &options, request
  );
}

int run() {
  Checks checks;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(espalier::test::count_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  int const ordinary = 1;
  int output = 0;
  auto* const on_device = static_cast<int*>(stand_in_allocate(sizeof(int)));
  for (int const* const there : {static_cast<int const*>(on_device), &ordinary}) {
    int const* const input = rank == 0 ? there : &ordinary;
    std::string const expected = there == on_device ? "allreduce/native" : "allreduce/ring";
    espalier_request* request = nullptr;
    // ESPALIER_FORCE=allreduce=ring.
    checks.expect(plan(input, &output, nullptr, &request) == MPI_SUCCESS, expected + " is planned");
    std::string const algorithm = espalier_request_algorithm(request);
    checks.expect(algorithm == expected, "expected " + expected + ", got " + algorithm);
    espalier_request_free(&request);
  }
  espalier_request* request = nullptr;
  int const code = plan(rank == 0 ? on_device : &ordinary, &output, "ring", &request);
  expect_handled(checks, code, MPI_ERR_ARG, "an algorithm of ours in device memory");
  checks.expect(request == nullptr, "nothing is planned");
  stand_in_free(on_device);
  MPI_Errhandler_free(&handler);
  return checks.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, run);
}
