// SPDX-License-Identifier: Apache-2.0

#include "tests/support/parts.hpp"

#include <cstdlib>

#undef MPI_Init
#undef MPI_Init_thread
#undef MPI_Finalize
#undef main

namespace {

struct Passes {
  int number = 1;
  int done = 0;
  int smallest_part = 1;
  int threads = MPI_THREAD_SINGLE;
  MPI_Comm part = test_parts::whole_world();
};

Passes passes;

void count_passes() {
  if (char const* const smallest = std::getenv("ESPALIER_TEST_PARTS")) {
    int num_ranks = 0;
    MPI_Comm_size(test_parts::whole_world(), &num_ranks);
    passes.number = num_ranks / 2 + 1;
    passes.smallest_part = std::atoi(smallest);
  }
}

void take_next_part() {
  if (passes.done > 1) {
    MPI_Comm_free(&passes.part);
  }
  int rank = 0;
  MPI_Comm_rank(test_parts::whole_world(), &rank);
  int const color = rank < passes.done ? 0 : 1;
  MPI_Comm_split(test_parts::whole_world(), color, rank, &passes.part);
}

bool is_too_small(MPI_Comm comm) {
  int num_ranks = 0;
  MPI_Comm_size(comm, &num_ranks);
  return num_ranks < passes.smallest_part;
}

}  // namespace

MPI_Comm test_parts::world() {
  return passes.part;
}

int test_parts::begin(int* argc, char*** argv) {
  if (passes.done > 0) {
    return MPI_SUCCESS;
  }
  int const code = MPI_Init(argc, argv);
  count_passes();
  return code;
}

int test_parts::begin_with_threads(int* argc, char*** argv, int required, int* provided) {
  int code = MPI_SUCCESS;
  if (passes.done == 0) {
    code = MPI_Init_thread(argc, argv, required, &passes.threads);
    count_passes();
  }
  *provided = passes.threads;
  return code;
}

int test_parts::end() {
  ++passes.done;
  if (passes.done == passes.number) {
    return MPI_Finalize();
  }
  take_next_part();
  return is_too_small(passes.part) ? end() : MPI_SUCCESS;
}

int main(int argc, char** argv) {
  // A program that fails may leave MPI as it is.
  int code = 0;
  for (bool goes_on = true; goes_on;) {
    int const before = passes.done;
    code = run_on_part(argc, argv);
    goes_on = code == 0 && passes.done > before && passes.done < passes.number;
  }
  return code;
}
