// SPDX-License-Identifier: Apache-2.0

/// @file
/// Communicators of every kind come and go.
///
/// Usage: shim_communicators [ways]. With `ways`, those that are made by rarer functions.

#include <string>
#include <vector>

#include <mpi.h>

#include "tests/shim/completing.hpp"
#include "tests/shim/support.hpp"
#include "tests/shim/used.hpp"

namespace {

using shim_test::rank_of;
using shim_test::require;
using shim_test::size_of;
using shim_test::use_blocking;
using shim_test::use_fully;

void come_and_go(int num_communicators) {
  for (int i = 0; i < num_communicators; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    if (i % 2 == 0) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    } else {
      MPI_Comm_split(MPI_COMM_WORLD, rank_of(MPI_COMM_WORLD) % 2, 0, &comm);
    }
    use_blocking(comm);
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
  use_blocking(MPI_COMM_WORLD);
  MPI_Comm first = MPI_COMM_NULL;
  MPI_Comm second = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  use_blocking(first);
  MPI_Comm_dup(first, &second);
  MPI_Comm_free(&first);
  use_blocking(second);
  MPI_Comm_free(&second);
  use_blocking(MPI_COMM_WORLD);
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
  use_blocking(comm);
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
  use_blocking(merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

/// Made while other calls go on, and used while others are made.
MPI_Comm made_at_leisure(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup(comm, &made, &request);
  use_blocking(comm);
  require(shim_test::complete(request) == MPI_SUCCESS, "a duplicate that is made at leisure");
  return made;
}

/// The ranks of a node, without rank 0.
MPI_Comm made_of_a_node(MPI_Comm comm) {
  int const type = rank_of(comm) == 0 ? int{MPI_UNDEFINED} : int{MPI_COMM_TYPE_SHARED};
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, type, -rank_of(comm), MPI_INFO_NULL, &made);
  bool const is_left_out = made == MPI_COMM_NULL;
  require(is_left_out == (rank_of(comm) == 0), "a rank that takes no part has no communicator");
  return made;
}

/// Every second rank, the last one first; the others do not take part.
MPI_Comm made_by_a_group(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  if (rank_of(comm) % 2 == 0) {
    int const last = (size_of(comm) - 1) / 2 * 2;
    int range[1][3] = {{last, 0, -2}};
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group some = MPI_GROUP_NULL;
    MPI_Comm_group(comm, &all);
    MPI_Group_range_incl(all, 1, range, &some);
    MPI_Comm_create_group(comm, some, 5, &made);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    require(rank_of(made) == (last - rank_of(comm)) / 2, "the order of the group");
  }
  return made;
}

/// Handles come back: the state of a communicator must not be that of the one before.
void check_ways(int num_rounds) {
  for (int round = 0; round < num_rounds; ++round) {
    MPI_Comm const first = made_at_leisure(MPI_COMM_WORLD);
    MPI_Comm const second = made_at_leisure(first);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(second, &copy);
    for (MPI_Comm one :
         {made_by_a_group(copy), made_of_a_node(copy), made_by_a_group(first), second, copy, first
         }) {
      if (one != MPI_COMM_NULL) {
        use_fully(one);
        static_cast<void>((round % 2 == 0 ? MPI_Comm_free : MPI_Comm_disconnect)(&one));
        require(one == MPI_COMM_NULL, "what was freed is null");
      }
    }
  }
}

/// What is used does not grow.
void check_ways() {
  if (size_of(MPI_COMM_WORLD) > 2) {
    check_ways(10);
    return;
  }
  check_ways(60);
  long const before = shim_test::resident_kib();
  check_ways(300);
  long const grown = shim_test::resident_kib() - before;
  require(grown < 4096, "memory grew by " + std::to_string(grown) + " KiB");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  if (argc > 1) {
    check_ways();
    MPI_Finalize();
    return 0;
  }
  check_duplicates();
  check_attributes();
  check_intercommunicator();
  use_blocking(MPI_COMM_SELF);
  check_leaks();
  // Left to MPI_Finalize, as many programs do.
  MPI_Comm forgotten = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &forgotten);
  use_blocking(forgotten);
  MPI_Finalize();
  return 0;
}
