// SPDX-License-Identifier: Apache-2.0

/// @file
/// The same calls many times over, on several communicators and with late ranks: whatever is tried
/// meanwhile, each result is right.
///
/// Usage: learning [num_calls [num_calls_on_short_lived]]

#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <unistd.h>
#include <vector>

#include <mpi.h>

#include "tests/shim/support.hpp"

namespace {

using shim_test::rank_of;
using shim_test::require;
using shim_test::size_of;

/// One call with contributions that depend on rank and salt, and a look at the result.
struct Exchange {
  MPI_Comm comm;
  int count;  ///< integers of a block
  int salt;
  int rank = rank_of(comm);
  int num_ranks = size_of(comm);

  [[nodiscard]] std::size_t blocks(int number) const {
    return static_cast<std::size_t>(number) * static_cast<std::size_t>(count);
  }

  /// What a rank contributes for another one.
  [[nodiscard]] int value(int from, int to, int place) const {
    return salt + 1000 * from + 10 * to + place % 7;
  }

  [[nodiscard]] std::vector<int> contribution(int to) const {
    std::vector<int> block(blocks(1));
    for (int i = 0; i < count; ++i) {
      block[static_cast<std::size_t>(i)] = value(rank, to, i);
    }
    return block;
  }

  /// Of this rank for all others, block after block.
  [[nodiscard]] std::vector<int> all_contributions() const {
    std::vector<int> all;
    for (int to = 0; to < num_ranks; ++to) {
      std::vector<int> const block = contribution(to);
      all.insert(all.end(), block.begin(), block.end());
    }
    return all;
  }

  void check(std::vector<int> const& block, std::string const& call, auto const& expected) const {
    for (int i = 0; i < count; ++i) {
      require(block[static_cast<std::size_t>(i)] == expected(i), call + ": wrong result");
    }
  }

  /// Sum over the ranks before `end`, as all contribute for rank 0.
  [[nodiscard]] int sum(int end, int place) const {
    int total = 0;
    for (int from = 0; from < end; ++from) {
      total += value(from, 0, place);
    }
    return total;
  }

  void check_parts(std::vector<int> const& parts, int to, std::string const& call) const {
    for (int from = 0; from < num_ranks; ++from) {
      auto const first = parts.begin() + static_cast<std::ptrdiff_t>(blocks(from));
      check({first, first + count}, call, [&](int i) { return value(from, to, i); });
    }
  }
};

void allgather(Exchange const& x) {
  std::vector<int> all(x.blocks(x.num_ranks));
  MPI_Allgather(x.contribution(0).data(), x.count, MPI_INT, all.data(), x.count, MPI_INT, x.comm);
  x.check_parts(all, 0, "allgather");
}

void alltoall(Exchange const& x) {
  std::vector<int> all(x.blocks(x.num_ranks));
  std::vector<int> const own = x.all_contributions();
  MPI_Alltoall(own.data(), x.count, MPI_INT, all.data(), x.count, MPI_INT, x.comm);
  x.check_parts(all, x.rank, "alltoall");
}

void alltoallv(Exchange const& x) {
  std::vector<int> all(x.blocks(x.num_ranks));
  std::vector<int> const own = x.all_contributions();
  std::vector<int> const counts(static_cast<std::size_t>(x.num_ranks), x.count);
  std::vector<int> places(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  MPI_Alltoallv(
      own.data(),
      counts.data(),
      places.data(),
      MPI_INT,
      all.data(),
      counts.data(),
      places.data(),
      MPI_INT,
      x.comm
  );
  x.check_parts(all, x.rank, "alltoallv");
}

void bcast(Exchange const& x) {
  int const root = x.salt % x.num_ranks;
  std::vector<int> block = x.contribution(0);
  MPI_Bcast(block.data(), x.count, MPI_INT, root, x.comm);
  x.check(block, "bcast", [&](int i) { return x.value(root, 0, i); });
}

void gather(Exchange const& x) {
  std::vector<int> all(x.blocks(x.num_ranks));
  MPI_Gather(x.contribution(0).data(), x.count, MPI_INT, all.data(), x.count, MPI_INT, 0, x.comm);
  if (x.rank == 0) {
    x.check_parts(all, 0, "gather");
  }
}

void scatter(Exchange const& x) {
  std::vector<int> block(x.blocks(1));
  std::vector<int> const all = x.all_contributions();
  MPI_Scatter(all.data(), x.count, MPI_INT, block.data(), x.count, MPI_INT, 0, x.comm);
  x.check(block, "scatter", [&](int i) { return x.value(0, x.rank, i); });
}

void allreduce(Exchange const& x) {
  std::vector<int> block = x.contribution(0);
  MPI_Allreduce(MPI_IN_PLACE, block.data(), x.count, MPI_INT, MPI_SUM, x.comm);
  x.check(block, "allreduce", [&](int i) { return x.sum(x.num_ranks, i); });
}

void reduce(Exchange const& x) {
  std::vector<int> block(x.blocks(1));
  MPI_Reduce(x.contribution(0).data(), block.data(), x.count, MPI_INT, MPI_SUM, 0, x.comm);
  if (x.rank == 0) {
    x.check(block, "reduce", [&](int i) { return x.sum(x.num_ranks, i); });
  }
}

void scan(Exchange const& x) {
  std::vector<int> block(x.blocks(1));
  MPI_Scan(x.contribution(0).data(), block.data(), x.count, MPI_INT, MPI_SUM, x.comm);
  x.check(block, "scan", [&](int i) { return x.sum(x.rank + 1, i); });
}

void barrier(Exchange const& x) {
  MPI_Barrier(x.comm);
}

using Call = void (*)(Exchange const&);
constexpr Call calls[] = {
    allgather, allreduce, alltoall, alltoallv, barrier, bcast, gather, reduce, scan, scatter
};

/// Each call on the communicator, now and then with a rank that comes late.
void use(MPI_Comm comm, int num_calls) {
  for (int salt = 0; salt < num_calls; ++salt) {
    for (Call const call : calls) {
      if (salt % 16 == 5 && rank_of(comm) == salt % size_of(comm)) {
        usleep(500);
      }
      call({.comm = comm, .count = salt % 2 == 0 ? 1 : 500, .salt = salt});
    }
  }
}

void use_short_lived(int number, int num_calls) {
  for (int i = 0; i < number; ++i) {
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    use(own, num_calls);
    MPI_Comm_free(&own);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int const num_calls = argc > 1 ? std::atoi(argv[1]) : 60;
  int const num_calls_on_short_lived = argc > 2 ? std::atoi(argv[2]) : 12;
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  use(MPI_COMM_WORLD, num_calls);
  MPI_Comm half = MPI_COMM_NULL;
  int const rank = rank_of(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  use(half, num_calls);
  use_short_lived(5, num_calls_on_short_lived);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
