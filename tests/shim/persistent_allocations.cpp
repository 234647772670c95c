// SPDX-License-Identifier: Apache-2.0

/// @file
/// Starts of persistent collectives allocate nothing.

#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/shim/persistent_calls.hpp"
#include "tests/shim/support.hpp"

extern "C" void* __libc_malloc(std::size_t bytes);

namespace {

bool is_counting = false;
long num_allocations = 0;

}  // namespace

// All memory of the process comes from here. What the MPI library takes is not counted: its lists
// grow when messages come early. The C++ library is part of the shim.
extern "C" void* malloc(std::size_t bytes) {
  if (is_counting) {
    Dl_info info{};
    bool const is_known = dladdr(__builtin_return_address(0), &info) != 0;
    bool const is_ours = is_known && std::strstr(info.dli_fname, "libespalier-") != nullptr;
    num_allocations += is_ours ? 1 : 0;
  }
  return __libc_malloc(bytes);
}

namespace {

using namespace shim_test;

/// Initialisations allocate; a start and its completion do not, from the first one on.
void check_allocations() {
  constexpr int num_runs = 1000;
  MPI_Comm ring = ring_of(MPI_COMM_WORLD);
  is_counting = true;
  Collectives calls = make(ring, static_cast<int>(Kind::num_kinds));
  is_counting = false;
  require(num_allocations > 0 || size_of(MPI_COMM_WORLD) == 1, "what is bound is allocated");
  num_allocations = 0;
  std::vector<MPI_Request> requests;
  for (auto const& call : calls) {
    requests.push_back(call->request());
  }
  for (int number = 0; number < num_runs; ++number) {
    for (auto const& call : calls) {
      call->fill(number);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    is_counting = true;
    MPI_Startall(static_cast<int>(requests.size()), requests.data());
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    is_counting = false;
  }
  require(
      num_allocations == 0,
      std::to_string(num_allocations) + " allocations in " +
          std::to_string(num_runs * requests.size()) + " starts"
  );
  for (auto const& call : calls) {
    call->free();
  }
  MPI_Comm_free(&ring);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  check_allocations();
  MPI_Finalize();
  return 0;
}
