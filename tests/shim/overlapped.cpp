// SPDX-License-Identifier: Apache-2.0

/// @file
/// The same nonblocking calls over and over, as in programs with work beside them: several in
/// flight, on MPI_COMM_WORLD and on a duplicate of it, completed in three ways. Whatever is tried
/// meanwhile, each result is right.
///
/// Usage: overlapped [num_calls [num_calls_on_duplicate]]

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

/// An iallreduce, an iallgather and an ibcast that are in flight together.
class Calls {
public:
  Calls(MPI_Comm comm, int salt) : comm_(comm), salt_(salt), rank_(rank_of(comm)) {
    auto const num_ranks = static_cast<std::size_t>(size_of(comm));
    own_.assign(count, salt + rank_);
    gathered_.resize(num_ranks * count);
    if (rank_ == root()) {
      sent_.assign(count, 7 * salt);
    }
  }

  void start() {
    MPI_Iallreduce(own_.data(), sum_.data(), count, MPI_INT, MPI_SUM, comm_, &requests_[0]);
    MPI_Iallgather(
        own_.data(), count, MPI_INT, gathered_.data(), count, MPI_INT, comm_, &requests_[1]
    );
    MPI_Ibcast(sent_.data(), count, MPI_INT, root(), comm_, &requests_[2]);
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
  [[nodiscard]] int root() const { return salt_ % size_of(comm_); }

  void check() const {
    std::string const which = " of call " + std::to_string(salt_);
    int const num_ranks = size_of(comm_);
    for (int i = 0; i < count; ++i) {
      auto const place = static_cast<std::size_t>(i);
      require(sum_[place] == num_ranks * salt_ + num_ranks * (num_ranks - 1) / 2, "a sum" + which);
      require(sent_[place] == 7 * salt_, "what the root sent" + which);
      for (int from = 0; from < num_ranks; ++from) {
        require(
            gathered_[static_cast<std::size_t>(from * count + i)] == salt_ + from, "a block" + which
        );
      }
    }
  }

  MPI_Comm comm_;
  int salt_;
  int rank_;
  std::vector<int> own_;
  std::vector<int> sum_ = std::vector<int>(count);
  std::vector<int> gathered_;
  std::vector<int> sent_ = std::vector<int>(count);
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
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  call_often(MPI_COMM_WORLD, argc > 1 ? std::stoi(argv[1]) : 100);
  MPI_Comm duplicate = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  call_often(duplicate, argc > 2 ? std::stoi(argv[2]) : 0);
  MPI_Comm_free(&duplicate);
  MPI_Finalize();
  return 0;
}
