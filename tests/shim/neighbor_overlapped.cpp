// SPDX-License-Identifier: Apache-2.0

/// @file
/// The same nonblocking calls between neighbours over and over, as in programs with work beside
/// them: several in flight, on a line of all ranks and on a duplicate of it, completed in three
/// ways. Whatever is tried meanwhile, each result is right.
///
/// Usage: neighbor_overlapped [num_calls [num_calls_on_duplicate [milliseconds_at_the_end]]]

#include <array>
#include <cstddef>
#include <string>
#include <unistd.h>
#include <vector>

#include <mpi.h>

#include "tests/shim/support.hpp"

namespace {

using shim_test::rank_of;
using shim_test::require;
using shim_test::size_of;

constexpr int count = 16;  ///< integers of a block
constexpr int num_neighbors = 2;
constexpr int untouched = -1;

/// A line whose ends do not meet.
MPI_Comm make_line() {
  int const extent = size_of(MPI_COMM_WORLD);
  int const is_periodic = 0;
  MPI_Comm line = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &extent, &is_periodic, 0, &line);
  return line;
}

/// An ineighbor_alltoall, an ineighbor_allgather and an ineighbor_alltoallv in flight together.
class Calls {
public:
  Calls(MPI_Comm comm, int salt) : comm_(comm), salt_(salt), rank_(rank_of(comm)) {
    for (std::vector<int>& received : received_) {
      received.assign(std::size_t{num_neighbors} * count, untouched);
    }
    own_.assign(std::size_t{num_neighbors} * count, salt + rank_);
  }

  void start() {
    static constexpr std::array<int, num_neighbors> counts{count, count};
    static constexpr std::array<int, num_neighbors> places{0, count};
    int const* const own = own_.data();
    MPI_Ineighbor_alltoall(
        own, count, MPI_INT, received_[0].data(), count, MPI_INT, comm_, &requests_[0]
    );
    MPI_Ineighbor_allgather(
        own, count, MPI_INT, received_[1].data(), count, MPI_INT, comm_, &requests_[1]
    );
    MPI_Ineighbor_alltoallv(
        own,
        counts.data(),
        places.data(),
        MPI_INT,
        received_[2].data(),
        counts.data(),
        places.data(),
        MPI_INT,
        comm_,
        &requests_[2]
    );
  }

  void complete() {
    auto const num_requests = static_cast<int>(requests_.size());
    switch (salt_ % 3) {
    case 0:
      MPI_Waitall(num_requests, requests_.data(), MPI_STATUSES_IGNORE);
      break;
    case 1:
      for (MPI_Request& request : requests_) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      break;
    default:
      for (int is_complete = 0; is_complete == 0;) {
        MPI_Testall(num_requests, requests_.data(), &is_complete, MPI_STATUSES_IGNORE);
      }
    }
    check();
  }

private:
  void check() const {
    std::array<int, num_neighbors> const neighbors{rank_ - 1, rank_ + 1};
    for (std::size_t i = 0; i < num_neighbors; ++i) {
      bool const is_there = neighbors[i] >= 0 && neighbors[i] < size_of(comm_);
      int const expected = is_there ? salt_ + neighbors[i] : untouched;
      for (std::vector<int> const& received : received_) {
        for (std::size_t place = i * count; place < (i + 1) * count; ++place) {
          require(received[place] == expected, "a block of call " + std::to_string(salt_));
        }
      }
    }
  }

  MPI_Comm comm_;
  int salt_;
  int rank_;
  std::vector<int> own_;
  std::array<std::vector<int>, 3> received_;
  std::array<MPI_Request, 3> requests_{};
};

/// Those of two rounds are in flight together.
void call_often(MPI_Comm comm, int num_calls) {
  constexpr useconds_t work = 20;
  for (int i = 0; i + 1 < num_calls; i += 2) {
    Calls first(comm, i);
    Calls second(comm, i + 1);
    first.start();
    second.start();
    usleep(work);
    second.complete();
    first.complete();
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr useconds_t one_millisecond = 1000;
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  MPI_Comm line = make_line();
  call_often(line, argc > 1 ? std::stoi(argv[1]) : 100);
  MPI_Comm duplicate = MPI_COMM_NULL;
  MPI_Comm_dup(line, &duplicate);
  call_often(duplicate, argc > 2 ? std::stoi(argv[2]) : 0);
  usleep(one_millisecond * (argc > 3 ? static_cast<useconds_t>(std::stoi(argv[3])) : 0));
  MPI_Comm_free(&duplicate);
  MPI_Comm_free(&line);
  MPI_Finalize();
  return 0;
}
