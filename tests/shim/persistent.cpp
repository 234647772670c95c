// SPDX-License-Identifier: Apache-2.0

/// @file
/// Persistent collectives among persistent messages of the program: started thousands of times, in
/// orders of their own on each rank, completed by any function, on communicators that are freed.
///
/// Usage: shim_persistent starts | lives | many | end

#include <algorithm>
#include <iterator>
#include <random>
#include <string>

#include <mpi.h>

#include "tests/shim/persistent_calls.hpp"
#include "tests/shim/support.hpp"

namespace {

using namespace shim_test;

/// Ranks whose schedules need each other start them in opposite orders, and wait in between.
void check_opposite_orders() {
  MPI_Comm comm = ring_of(MPI_COMM_WORLD);
  Collectives calls = make(comm, 2);
  bool const is_even = rank_of(comm) % 2 == 0;
  for (int number = 0; number < 50; ++number) {
    MPI_Request first = calls[is_even ? 0 : 1]->request();
    MPI_Request second = calls[is_even ? 1 : 0]->request();
    calls[0]->fill(number);
    calls[1]->fill(number);
    MPI_Start(&first);
    MPI_Start(&second);
    MPI_Wait(&first, MPI_STATUS_IGNORE);
    MPI_Wait(&second, MPI_STATUS_IGNORE);
    calls[0]->check(number);
    calls[1]->check(number);
  }
  for (auto const& call : calls) {
    call->free();
  }
  MPI_Comm_free(&comm);
}

void check_many_starts() {
  std::mt19937 random(static_cast<unsigned>(rank_of(MPI_COMM_WORLD)) + 1U);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank_of(MPI_COMM_WORLD) % 2, 0, &half);
  Messages messages(MPI_COMM_WORLD);
  MPI_Comm ring = ring_of(MPI_COMM_WORLD);
  MPI_Comm half_ring = ring_of(half);
  Collectives calls = make(ring, 13);
  Collectives of_half = make(half_ring, 8);
  std::ranges::move(of_half, std::back_inserter(calls));
  for (int number = 0; number < 200; ++number) {
    run(calls, messages, random, number);
  }
  for (auto const& call : calls) {
    call->free();
  }
  messages.free();
  for (MPI_Comm* const comm : {&half_ring, &ring, &half}) {
    MPI_Comm_free(comm);
  }
  check_opposite_orders();
}

/// Requests outlive their communicators, and are made and freed again and again. Open MPI
/// 4.1 needs the communicators of its own ones, which are those of one rank.
void check_short_lives() {
  std::mt19937 random(static_cast<unsigned>(rank_of(MPI_COMM_WORLD)) + 7U);
  Messages messages(MPI_COMM_WORLD);
  bool const may_outlive = size_of(MPI_COMM_WORLD) > 1;
  for (int round = 0; round < 12; ++round) {
    MPI_Comm comm = ring_of(MPI_COMM_WORLD);
    Collectives calls = make(comm, 1 + round % 9);
    for (int number = 0; number < 6; ++number) {
      run(calls, messages, random, number);
      if (number == 3 && may_outlive) {
        MPI_Comm_free(&comm);
      }
    }
    std::ranges::shuffle(calls, random);
    for (auto const& call : calls) {
      call->free();
    }
    if (!may_outlive) {
      MPI_Comm_free(&comm);
    }
  }
  messages.free();
}

/// More requests than a communicator has room for: the last ones are native.
void check_many_requests() {
  std::mt19937 random(5);
  Messages messages(MPI_COMM_WORLD);
  MPI_Comm ring = ring_of(MPI_COMM_WORLD);
  Collectives calls = make(ring, 150);
  for (int number = 0; number < 3; ++number) {
    run(calls, messages, random, number);
  }
  for (auto const& call : calls) {
    call->free();
  }
  messages.free();
  MPI_Comm_free(&ring);
}

/// What check_end() leaves, until MPI_Finalize deletes the attributes of MPI_COMM_SELF.
Collectives left;

int free_left(MPI_Comm /*self*/, int /*key*/, void* /*value*/, void* /*extra*/) {
  for (auto const& call : left) {
    call->free();
  }
  return MPI_SUCCESS;
}

/// Libraries free their requests in MPI_Finalize; others never do.
void check_end() {
  std::mt19937 random(3);
  Messages messages(MPI_COMM_WORLD);
  MPI_Comm ring = ring_of(MPI_COMM_WORLD);
  left = make(ring, 8);
  run(left, messages, random, 1);
  static Collectives forgotten;
  forgotten = make(ring, 2);
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_left, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  MPI_Comm_free_keyval(&key);
  messages.free();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  std::string const what = argc > 1 ? argv[1] : "starts";
  if (what == "starts") {
    check_many_starts();
  } else if (what == "lives") {
    check_short_lives();
  } else if (what == "end") {
    check_end();
  } else {
    check_many_requests();
  }
  MPI_Finalize();
  return 0;
}
