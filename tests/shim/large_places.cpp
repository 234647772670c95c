// SPDX-License-Identifier: Apache-2.0

/// @file
/// Large counts where they matter: displacements beyond 2^31 elements, in memory of which few pages
/// are touched.
///
/// Usage: shim_large_places [message]. With `message`, a bcast of more than 2^31 bytes, which takes
/// as much memory on each rank.

#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/mman.h>
#include <vector>

#include <mpi.h>

#include "tests/shim/support.hpp"

namespace {

using shim_test::rank_of;
using shim_test::require;
using shim_test::size_of;

constexpr std::int64_t beyond = (std::int64_t{1} << 31) + 8;

/// Memory that takes none until it is touched.
class Sparse {
public:
  explicit Sparse(std::int64_t num_bytes) : num_bytes_(static_cast<std::size_t>(num_bytes)) {
    constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const start = mmap(nullptr, num_bytes_, PROT_READ | PROT_WRITE, kind, -1, 0);
    require(start != MAP_FAILED, "address space of the test");
    start_ = static_cast<char*>(start);
  }

  Sparse(Sparse const&) = delete;
  Sparse& operator=(Sparse const&) = delete;
  Sparse(Sparse&&) = delete;
  Sparse& operator=(Sparse&&) = delete;

  ~Sparse() { munmap(start_, num_bytes_); }

  [[nodiscard]] char* at(std::int64_t place) const { return start_ + place; }

private:
  std::size_t num_bytes_;
  char* start_ = nullptr;
};

char mark(int from, int to) {
  return static_cast<char>(1 + 11 * from + to);
}

/// One byte for or from each rank, the last one beyond 2^31.
struct Far {
  explicit Far(int num_ranks) : memory(beyond + num_ranks) {
    for (int i = 0; i < num_ranks; ++i) {
      displacements.push_back(i == num_ranks - 1 ? beyond : i);
    }
    counts.assign(displacements.size(), 1);
  }

  [[nodiscard]] char& byte(int rank) const {
    return *memory.at(displacements[static_cast<std::size_t>(rank)]);
  }

  Sparse memory;
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> displacements;
};

void check_received(Far const& far, int to, bool is_for_one, std::string const& what) {
  for (std::size_t from = 0; from < far.counts.size(); ++from) {
    auto const rank = static_cast<int>(from);
    require(far.byte(rank) == mark(rank, is_for_one ? to : 0), what);
  }
}

void check_gathers(MPI_Comm comm) {
  int const rank = rank_of(comm);
  char const own = mark(rank, 0);
  Far const all(size_of(comm));
  char* const place = all.memory.at(0);
  MPI_Count const* const counts = all.counts.data();
  MPI_Aint const* const displacements = all.displacements.data();
  MPI_Allgatherv_c(&own, 1, MPI_CHAR, place, counts, displacements, MPI_CHAR, comm);
  check_received(all, rank, false, "allgatherv");
  Far const root(size_of(comm));
  MPI_Gatherv_c(&own, 1, MPI_CHAR, root.memory.at(0), counts, displacements, MPI_CHAR, 0, comm);
  if (rank == 0) {
    check_received(root, rank, false, "gatherv");
  }
  char back = 0;
  MPI_Scatterv_c(place, counts, displacements, MPI_CHAR, &back, 1, MPI_CHAR, 0, comm);
  require(back == own, "scatterv");
}

void check_exchanges(MPI_Comm comm) {
  int const rank = rank_of(comm);
  int const num_ranks = size_of(comm);
  Far const sent(num_ranks);
  for (int to = 0; to < num_ranks; ++to) {
    sent.byte(to) = mark(rank, to);
  }
  MPI_Count const* const counts = sent.counts.data();
  MPI_Aint const* const places = sent.displacements.data();
  Far const v(num_ranks);
  MPI_Alltoallv_c(
      sent.memory.at(0), counts, places, MPI_CHAR, v.memory.at(0), counts, places, MPI_CHAR, comm
  );
  check_received(v, rank, true, "alltoallv");
  Far const w(num_ranks);
  std::vector<MPI_Datatype> const types(sent.counts.size(), MPI_CHAR);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoallw_c(
      sent.memory.at(0),
      counts,
      places,
      types.data(),
      w.memory.at(0),
      counts,
      places,
      types.data(),
      comm,
      &request
  );
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_received(w, rank, true, "ialltoallw");
}

/// Errors are those of the MPI library.
void check_errors(MPI_Comm comm) {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int value = 0;
  int error_class = MPI_SUCCESS;
  MPI_Error_class(MPI_Bcast_c(&value, -1, MPI_INT, 0, comm), &error_class);
  require(error_class == MPI_ERR_COUNT, "the class of a negative count");
  MPI_Error_class(MPI_Bcast_c(&value, 1, MPI_INT, size_of(comm), comm), &error_class);
  require(error_class == MPI_ERR_ROOT, "the class of a root that is not there");
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

void check_message(MPI_Comm comm) {
  Sparse const message(beyond);
  auto* const words = reinterpret_cast<std::uint64_t*>(message.at(0));
  auto const num_words = static_cast<std::uint64_t>(beyond) / sizeof(std::uint64_t);
  for (std::uint64_t i = 0; rank_of(comm) == 0 && i < num_words; ++i) {
    words[i] = (i + 1) * 0x9E3779B97F4A7C15U;
  }
  MPI_Bcast_c(words, beyond, MPI_BYTE, 0, comm);
  std::uint64_t num_wrong = 0;
  for (std::uint64_t i = 0; i < num_words; ++i) {
    num_wrong += words[i] == (i + 1) * 0x9E3779B97F4A7C15U ? 0U : 1U;
  }
  require(num_wrong == 0, std::to_string(num_wrong) + " wrong words of a long message");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  if (argc > 1) {
    check_message(MPI_COMM_WORLD);
  } else {
    check_gathers(MPI_COMM_WORLD);
    check_exchanges(MPI_COMM_WORLD);
    check_errors(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
