// SPDX-License-Identifier: Apache-2.0

/// @file
/// Planned collectives with displacements beyond 2^31, in memory of which few pages are touched.

#include <array>
#include <cstddef>
#include <string>
#include <sys/mman.h>
#include <vector>

#include "include/espalier.h"
#include "include/espalier_planned.h"

#include <mpi.h>

#include "tests/mpi/capi/handled_errors.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

constexpr MPI_Aint beyond = (MPI_Aint{1} << 31) + 8;
constexpr std::size_t num_bytes = static_cast<std::size_t>(beyond) + 64;

/// A byte of each rank at the root, the last one beyond 2^31.
class Gathering {
public:
  Gathering() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &num_ranks_);
    constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const start = mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, kind, -1, 0);
    memory_ = start == MAP_FAILED ? nullptr : static_cast<char*>(start);
    for (int i = 0; i < num_ranks_; ++i) {
      counts_.push_back(1);
      places_.push_back(i == num_ranks_ - 1 ? beyond : i);
    }
  }

  Gathering(Gathering const&) = delete;
  Gathering& operator=(Gathering const&) = delete;
  Gathering(Gathering&&) = delete;
  Gathering& operator=(Gathering&&) = delete;

  ~Gathering() { munmap(memory_, num_bytes); }

  int plan(char const* algorithm, espalier_request** request) {
    espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
    options.algorithm = algorithm;
    return espalier_gatherv_init_c(
        &own_,
        1,
        MPI_CHAR,
        memory_,
        counts_.data(),
        places_.data(),
        MPI_CHAR,
        0,
        MPI_COMM_WORLD,
        &options,
        request
    );
  }

  void run(Checks& checks, espalier_request* request, std::string const& what) {
    for (int turn = 1; turn <= 2; ++turn) {
      own_ = static_cast<char>(10 * turn + rank_);
      checks.expect(espalier_request_start(request) == MPI_SUCCESS, what + ": start");
      checks.expect(espalier_request_wait(request) == MPI_SUCCESS, what + ": wait");
      for (int i = 0; rank_ == 0 && i < num_ranks_; ++i) {
        char const found = memory_[places_[static_cast<std::size_t>(i)]];
        checks.expect(found == static_cast<char>(10 * turn + i), what);
      }
    }
  }

private:
  int rank_ = 0;
  int num_ranks_ = 1;
  char own_ = 0;
  char* memory_ = nullptr;
  std::vector<MPI_Count> counts_;
  std::vector<MPI_Aint> places_;
};

/// The native collective of libraries without large counts serves none, on no rank: only the root
/// sees displacements.
void try_native(Checks& checks, Gathering& gathering) {
  espalier_request* request = nullptr;
  int const code = gathering.plan("native", &request);
#if MPI_VERSION >= 4
  checks.expect(code == MPI_SUCCESS, "native");
  gathering.run(checks, request, "native");
  espalier_request_free(&request);
#else
  expect_handled(checks, code, MPI_ERR_COUNT, "native");
  checks.expect(request == nullptr, "no request");
  std::array<char, 512> text{};
  espalier_last_error(text.data(), static_cast<int>(text.size()));
  checks.expect(text[0] != '\0', "a reason");
#endif
}

int run() {
  Checks checks;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_create_errhandler(count_error, &handler);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  {
    Gathering gathering;
    espalier_request* request = nullptr;
    checks.expect(gathering.plan("flat", &request) == MPI_SUCCESS, "init");
    gathering.run(checks, request, "flat");
    espalier_request_free(&request);
    try_native(checks, gathering);
  }
  PMPI_Errhandler_free(&handler);
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
