// SPDX-License-Identifier: Apache-2.0

#include "shim/traffic/lifecycle.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>

#include <mpi.h>

#include "espalier/base/mpi_library.hpp"
#include "espalier/base/whole_file.hpp"
#include "espalier/mpi/success.hpp"
#include "shim/library.hpp"
#include "shim/report.hpp"
#include "shim/traffic/amounts.hpp"
#include "shim/traffic/counting.hpp"
#include "shim/traffic/members.hpp"
#include "shim/traffic/next.hpp"
#include "shim/traffic/quietly.hpp"
#include "shim/traffic/report.hpp"

namespace espalier::shim::traffic {
namespace {

using mpi::require_success;
using Clock = std::chrono::steady_clock;

/// What is counted from the end of MPI_Init on.
struct Count {
  Count(Sender who, std::string where)
      : sender(std::move(who)), folder(std::move(where)),
        amounts(static_cast<std::size_t>(sender.num_ranks)) {}

  Sender sender;
  std::string folder;
  Amounts amounts;
  Clock::time_point start = Clock::now();
  pid_t process = getpid();
  std::atomic<bool> is_written{false};
};

/// Never destroyed: what runs at exit needs it, in whatever order.
constinit Count* count = nullptr;

/// Read before the program starts threads, or while they wait for MPI_Init.
std::string wanted_folder() {
  char const* const value = std::getenv("ESPALIER_TRAFFIC");  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr || *value == '\0') {
    return {};
  }
  std::error_code problem;
  std::filesystem::path const path = std::filesystem::absolute(value, problem);
  return problem ? value : path.string();
}

/// Ranks that were spawned must not write over the files of those who spawned them.
std::string own_folder(std::string folder, std::string const& host) {
  MPI_Comm parent = MPI_COMM_NULL;
  require_success(PMPI_Comm_get_parent(&parent), "MPI_Comm_get_parent");
  if (parent != MPI_COMM_NULL) {
    folder += "/spawned-" + host + "-" + std::to_string(getpid());
  }
  return folder;
}

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  require_success(PMPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return name.data();
}

void write(bool is_finalized) {
  count_in(nullptr);
  if (count->is_written.exchange(true)) {
    return;
  }
  std::chrono::duration<double> const elapsed = Clock::now() - count->start;
  int const problem = write_file(
      count->folder,
      "traffic-" + std::to_string(count->sender.rank) + ".json",
      to_json(count->sender, count->amounts, elapsed.count(), is_finalized)
  );
  // Whoever reads the files tells which are missing; a line from each rank would hide the rest.
  if (problem != 0 && count->sender.rank == 0) {
    print_line(
        "ESPALIER_TRAFFIC: rank 0 could not write to " + count->folder + ": " +
        std::generic_category().message(problem) + "; make room or name another folder"
    );
  }
}

/// Calls nothing of MPI. A child of fork() has nothing of its own to report.
void write_at_exit() noexcept {
  if (count != nullptr && count->process == getpid()) {
    quietly([] { write(false); });
  }
}

void start(std::string const& folder, MpiLibrary const& library) {
  Sender sender{.host = host_name(), .library_version = library.version};
  require_success(PMPI_Comm_rank(MPI_COMM_WORLD, &sender.rank), "MPI_Comm_rank");
  require_success(PMPI_Comm_size(MPI_COMM_WORLD, &sender.num_ranks), "MPI_Comm_size");
  prepare_members();
  std::string const own = own_folder(folder, sender.host);
  count = new Count(std::move(sender), own);
  static_cast<void>(std::atexit(write_at_exit));
  count_in(&count->amounts);
}

/// The end of a successful MPI_Init.
void start_if_wanted() noexcept {
  quietly([] {
    std::string const folder = wanted_folder();
    if (folder.empty() || count != nullptr) {
      return;
    }
    MpiLibrary const library = find_library();
    if (std::string const reason = why_native(library, ESPALIER_MPI_VENDOR); !reason.empty()) {
      if (may_be_rank_zero()) {
        print_line("ESPALIER_TRAFFIC: nothing is counted: " + reason);
      }
      return;
    }
    start(folder, library);
  });
}

}  // namespace

int init(int* argc, char*** argv) {
  static auto* const own = next<int(int*, char***)>("PMPI_Init");
  int const code = own(argc, argv);
  if (code == MPI_SUCCESS) {
    start_if_wanted();
  }
  return code;
}

int init_thread(int* argc, char*** argv, int required, int* provided) {
  static auto* const own = next<int(int*, char***, int, int*)>("PMPI_Init_thread");
  int const code = own(argc, argv, required, provided);
  if (code == MPI_SUCCESS) {
    start_if_wanted();
  }
  return code;
}

int finalize() {
  static auto* const own = next<int()>("PMPI_Finalize");
  if (count != nullptr) {
    quietly([] { write(true); });
  }
  return own();
}

int abort(Handle comm, int errorcode) {
  static auto* const own = next<int(Handle, int)>("PMPI_Abort");
  write_at_exit();
  return own(comm, errorcode);
}

}  // namespace espalier::shim::traffic
