// SPDX-License-Identifier: Apache-2.0

/// @file
/// Communicators of every kind come and go.

#include <string>
#include <vector>

#include <mpi.h>

#include "tests/shim/support.hpp"

namespace {

using shim_test::rank_of;
using shim_test::require;
using shim_test::size_of;

/// One call of each kind; all ranks of the communicator take part.
void use(MPI_Comm comm) {
  int const p = size_of(comm);
  int const rank = rank_of(comm);
  std::vector<int> all(static_cast<std::size_t>(2 * p));
  int const mine[] = {rank, 100 + rank};
  MPI_Allgather(mine, 2, MPI_INT, all.data(), 2, MPI_INT, comm);
  std::vector<int> const counts(static_cast<std::size_t>(p), 1);
  std::vector<int> displacements;
  for (int r = 0; r < p; ++r) {
    require(all[static_cast<std::size_t>(2 * r + 1)] == 100 + r, "allgather");
    displacements.push_back(p - 1 - r);
  }
  std::vector<int> reversed(static_cast<std::size_t>(p));
  MPI_Allgatherv(
      &rank, 1, MPI_INT, reversed.data(), counts.data(), displacements.data(), MPI_INT, comm
  );
  for (int r = 0; r < p; ++r) {
    require(reversed[static_cast<std::size_t>(p - 1 - r)] == r, "allgatherv");
  }
  double message = rank == p - 1 ? 2.5 : 0.0;
  MPI_Bcast(&message, 1, MPI_DOUBLE, p - 1, comm);
  require(message == 2.5, "bcast");
}

void come_and_go(int num_communicators) {
  for (int i = 0; i < num_communicators; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    if (i % 2 == 0) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    } else {
      MPI_Comm_split(MPI_COMM_WORLD, rank_of(MPI_COMM_WORLD) % 2, 0, &comm);
    }
    use(comm);
    MPI_Comm_free(&comm);
  }
}

/// More than MPICH has context identifiers, so that a communicator that is not freed shows. With
/// more ranks than cores making one can take milliseconds, so there only a few are made.
void check_leaks() {
  if (size_of(MPI_COMM_WORLD) > 2) {
    come_and_go(40);
    return;
  }
  come_and_go(300);
  long const before = shim_test::resident_kib();
  come_and_go(3000);
  long const grown = shim_test::resident_kib() - before;
  require(grown < 4096, "memory grew by " + std::to_string(grown) + " KiB over 3000 communicators");
}

/// A duplicate starts anew: it must not share the state of what it was made from.
void check_duplicates() {
  use(MPI_COMM_WORLD);
  MPI_Comm first = MPI_COMM_NULL;
  MPI_Comm second = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  use(first);
  MPI_Comm_dup(first, &second);
  MPI_Comm_free(&first);
  use(second);
  MPI_Comm_free(&second);
  use(MPI_COMM_WORLD);
}

int num_copied = 0;

int on_copy(MPI_Comm, int, void*, void*, void*, int* flag) {
  ++num_copied;
  *flag = 0;
  return MPI_SUCCESS;
}

/// Attributes of the user are copied when he duplicates, not when we do.
void check_attributes() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(on_copy, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Comm_set_attr(comm, keyval, &num_copied);
  use(comm);
  require(num_copied == 0, "the copy function of a user's attribute was called");
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&keyval);
}

void check_intercommunicator() {
  int const rank = rank_of(MPI_COMM_WORLD);
  int const p = size_of(MPI_COMM_WORLD);
  if (p < 2) {
    return;
  }
  bool const is_low = rank < (p + 1) / 2;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, is_low ? 0 : 1, rank, &half);
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_low ? (p + 1) / 2 : 0, 7, &inter);
  int num_remote = 0;
  MPI_Comm_remote_size(inter, &num_remote);
  std::vector<int> all(static_cast<std::size_t>(num_remote));
  MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, inter);
  for (int r = 0; r < num_remote; ++r) {
    int const expected = is_low ? (p + 1) / 2 + r : r;
    require(all[static_cast<std::size_t>(r)] == expected, "allgather between groups");
  }
  int message = is_low ? 42 : 0;
  int const root = is_low ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
  MPI_Bcast(&message, 1, MPI_INT, root, inter);
  require(message == 42, "bcast between groups");
  MPI_Comm merged = MPI_COMM_NULL;
  MPI_Intercomm_merge(inter, is_low ? 1 : 0, &merged);
  use(merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  check_duplicates();
  check_attributes();
  check_intercommunicator();
  use(MPI_COMM_SELF);
  check_leaks();
  // Left to MPI_Finalize, as many programs do.
  MPI_Comm forgotten = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &forgotten);
  use(forgotten);
  MPI_Finalize();
  return 0;
}
