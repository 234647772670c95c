// SPDX-License-Identifier: Apache-2.0

/// @file
/// Errors of persistent collectives: of starts, of completions, and what goes on after them.

#include <vector>

#include <mpi.h>

#include "tests/shim/persistent_calls.hpp"
#include "tests/shim/support.hpp"

namespace {

using namespace shim_test;

/// Rank 0 sends more than the others expect: they are told when they complete the request, whose
/// errors are those of MPI_COMM_WORLD.
void check_long_messages() {
  int const p = size_of(MPI_COMM_WORLD);
  bool const is_first = rank_of(MPI_COMM_WORLD) == 0;
  std::vector<int> const send_counts(at(p), is_first ? 2 : 1);
  std::vector<int> receive_counts(at(p), 1);
  std::vector<int> displacements(at(p));
  for (int r = 0; r < p; ++r) {
    displacements[at(r)] = 2 * r;
  }
  receive_counts[0] = is_first ? 2 : 1;
  Numbers const input(2 * at(p), 5);
  Numbers output(2 * at(p));
  MPI_Request request = MPI_REQUEST_NULL;
  ESPALIER_PERSISTENT(Alltoallv)
  (input.data(),
   send_counts.data(),
   displacements.data(),
   MPI_UNSIGNED,
   output.data(),
   receive_counts.data(),
   displacements.data(),
   MPI_UNSIGNED,
   MPI_COMM_WORLD,
   MPI_INFO_NULL,
   &request);
  for (int number = 0; number < 3 && request != MPI_REQUEST_NULL; ++number) {
    int error_class = MPI_SUCCESS;
    MPI_Start(&request);
    MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &error_class);
    require(is_first || error_class == MPI_ERR_TRUNCATE, "a message was too long");
    // Open MPI frees requests that fail.
    int has_request = request == MPI_REQUEST_NULL ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &has_request, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (has_request == 0 && request != MPI_REQUEST_NULL) {
      MPI_Request_free(&request);
    }
  }
  if (request != MPI_REQUEST_NULL) {
    MPI_Request_free(&request);
  }
}

/// What is wrong with a request of ours is told, and it goes on.
void check_errors() {
  if (size_of(MPI_COMM_WORLD) == 1) {
    return;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Collective call(MPI_COMM_WORLD, Kind::allreduce, 100);
  MPI_Request request = call.request();
  call.fill(1);
  int error_class = MPI_SUCCESS;
  if (rank_of(MPI_COMM_WORLD) == 0) {
    // Nobody else has started it, so it is underway.
    MPI_Start(&request);
    MPI_Error_class(MPI_Start(&request), &error_class);
    require(error_class == MPI_ERR_REQUEST, "an active request cannot be started");
    MPI_Error_class(MPI_Cancel(&request), &error_class);
    require(error_class == MPI_ERR_REQUEST, "a collective cannot be cancelled");
  }
  int token = 0;
  MPI_Bcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank_of(MPI_COMM_WORLD) != 0) {
    MPI_Start(&request);
  }
  MPI_Status status;
  MPI_Wait(&request, &status);
  int number = 1;
  MPI_Get_count(&status, MPI_BYTE, &number);
  require(number == 0, "the status of a collective is empty");
  MPI_Test_cancelled(&status, &number);
  require(number == 0, "a collective was not cancelled");
  call.check(1);
  check_long_messages();
  Collective other(MPI_COMM_WORLD, Kind::scan, 100);
  for (Collective* const next : {&call, &other}) {
    MPI_Request again = next->request();
    next->fill(2);
    MPI_Start(&again);
    MPI_Wait(&again, MPI_STATUS_IGNORE);
    next->check(2);
    next->free();
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  check_errors();
  MPI_Finalize();
  return 0;
}
