// SPDX-License-Identifier: Apache-2.0

/// @file
/// MPI_Alltoallv on three communicators of all ranks: one that the program keeps native, one of
/// which nothing is said, and one of which it promises that sizes stay. Knows nothing of Espalier;
/// preloaded, with rules for alltoallv and for alltoallv_init, it shows what the promise gains.
///
/// Usage: fixed_sizes <repetitions> <mean bytes of a block>...
///
/// Sizes are those of uneven_exchange. Rank 0 prints a line for each distribution and size:
/// microseconds on each communicator, the median over repetitions of the slowest rank. They take
/// turns, so that all see the same noise. First calls are not timed; their times are `first`.

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <mpi.h>

#include "benchmarks/uneven/distributions.hpp"

namespace {

using uneven::Counts;

MPI_Comm duplicate_with(char const* key, char const* value) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, value);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &made);
  MPI_Info_free(&info);
  return made;
}

void measure(uneven::Distribution const& distribution, int size, int num_repetitions) {
  int rank = 0;
  int num_ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  Counts counts(static_cast<std::size_t>(num_ranks));
  for (int i = 0; i < num_ranks; ++i) {
    counts[static_cast<std::size_t>(i)] =
        distribution.bytes((rank + i) % num_ranks, num_ranks, size);
  }
  Counts const places = uneven::places_of(counts);
  auto const room = static_cast<std::size_t>(places.back() + counts.back()) + 1;
  std::vector<char> const from(room, 1);
  std::vector<char> to(room, 0);
  std::array comms{
      duplicate_with("espalier_tune", "false"),
      duplicate_with("espalier_tune", "true"),
      duplicate_with("espalier_fixed_sizes", "true"),
  };
  std::array<std::vector<double>, comms.size()> samples;
  for (int i = 0; i <= num_repetitions; ++i) {
    for (std::size_t k = 0; k < comms.size(); ++k) {
      samples[k].push_back(uneven::timed([&] {
        MPI_Alltoallv(
            from.data(),
            counts.data(),
            places.data(),
            MPI_BYTE,
            to.data(),
            counts.data(),
            places.data(),
            MPI_BYTE,
            comms[k]
        );
      }));
    }
  }
  std::array<double, comms.size()> first{};
  for (std::size_t k = 0; k < comms.size(); ++k) {
    first[k] = samples[k].front();
    samples[k].erase(samples[k].begin());
    MPI_Comm_free(&comms[k]);
  }
  if (rank == 0) {
    std::printf(
        "%s %d native=%.1f without=%.1f with=%.1f first=%.1f,%.1f,%.1f\n",
        distribution.name,
        size,
        uneven::median(samples[0]),
        uneven::median(samples[1]),
        uneven::median(samples[2]),
        first[0],
        first[1],
        first[2]
    );
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::span<char*> const arguments(argv, static_cast<std::size_t>(argc));
  int num_ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  if (argc < 3 || num_ranks < 2) {
    std::fprintf(stderr, "usage: fixed_sizes <repetitions> <bytes>... on 2 or more ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  for (char const* const size : arguments.subspan(2)) {
    for (uneven::Distribution const& distribution : uneven::distributions) {
      measure(distribution, std::atoi(size), std::atoi(arguments[1]));
    }
  }
  MPI_Finalize();
  return 0;
}
