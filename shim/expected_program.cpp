// SPDX-License-Identifier: Apache-2.0

#include "shim/expected_program.hpp"

#include <array>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

#include "espalier/plan/failure.hpp"
#include "shim/library.hpp"
#include "shim/report.hpp"

namespace espalier::shim {
namespace {

/// The process that has to call MPI_Init, 0 if this is not its program.
constinit pid_t expected = 0;
constinit std::atomic<bool> has_started{false};

/// Takes the variable away, so that a process that the program starts is not expected to call MPI.
[[gnu::constructor]] void look_at_program() {
  // NOLINTBEGIN(concurrency-mt-unsafe): before main()
  char const* const program = std::getenv("ESPALIER_PROGRAM");
  if (program == nullptr) {
    return;
  }
  std::array<char, PATH_MAX> path{};
  ssize_t const size = readlink("/proc/self/exe", path.data(), path.size());
  if (size > 0 && std::string_view(path.data(), static_cast<std::size_t>(size)) == program) {
    expected = getpid();
    unsetenv("ESPALIER_PROGRAM");
  }
  // NOLINTEND(concurrency-mt-unsafe)
}

/// Whether this process waited for others, as scripts do.
bool had_children() noexcept {
  rusage used{};
  return getrusage(RUSAGE_CHILDREN, &used) == 0 && used.ru_maxrss > 0;
}

[[gnu::destructor]] void look_back() {
  if (expected != getpid() || has_started || !may_be_rank_zero()) {
    return;
  }
  static_cast<void>(plan::guard([] {
    print_line(
        std::string(
            "expected a program that calls MPI_Init of a shared MPI library, it ended without: it "
            "does not use MPI, uses it by sessions only, looks its functions up in the library "
            "itself, or MPI is linked into it; it ran natively"
        ) +
        (had_children() ? ", which says nothing of programs that it started" : "")
    );
    return 0;
  }));
}

}  // namespace

void note_start_of_mpi() noexcept {
  has_started = true;
}

}  // namespace espalier::shim
