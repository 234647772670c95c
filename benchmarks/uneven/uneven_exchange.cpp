// SPDX-License-Identifier: Apache-2.0

/// @file
/// Blocks of different sizes: time of a planned alltoallv, gatherv and scatterv with algorithms
/// that hand blocks over directly or forward them, and of the blocking call of the MPI library.
///
/// Usage: uneven_exchange <repetitions> <mean bytes of a block>...
///
/// Sizes are distributed as in [loch2021], see benchmarks/reproduce/sparbit/distributions.py; what
/// rank r sends to rank i in an alltoallv has the size of block (r + i) mod p. `sparse` has data in
/// three blocks only. Rank 0 prints a line for each call, distribution and size: microseconds of
/// the native call and of each algorithm, the median over repetitions of the slowest rank. They
/// take turns, so that all see the same noise. The initialisation is not timed.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "include/espalier_planned.hpp"

#include <mpi.h>

#include "benchmarks/uneven/distributions.hpp"

namespace {

using uneven::Counts;
using uneven::Distribution;
using uneven::distributions;
using uneven::median;
using uneven::places_of;
using uneven::timed;

/// One row of the table.
struct Row {
  std::string call;
  std::function<void()> native;
  std::function<espalier::Request(char const* algorithm)> plan;
  std::vector<char const*> algorithms;
};

void measure(Row const& row, std::string const& sizes, int num_repetitions) {
  std::vector<espalier::Request> requests;
  requests.reserve(row.algorithms.size());
  for (char const* const algorithm : row.algorithms) {
    requests.push_back(row.plan(algorithm));
  }
  std::vector<std::vector<double>> samples(requests.size() + 1);
  for (int i = 0; i < num_repetitions; ++i) {
    samples[0].push_back(timed(row.native));
    for (std::size_t k = 0; k < requests.size(); ++k) {
      samples[k + 1].push_back(timed([&] {
        requests[k].start();
        requests[k].wait();
      }));
    }
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::printf("%s %s native=%.1f", row.call.c_str(), sizes.c_str(), median(samples[0]));
    for (std::size_t k = 0; k < requests.size(); ++k) {
      std::printf(" %s=%.1f", row.algorithms[k], median(samples[k + 1]));
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}

/// Blocks of one distribution and size, and the memory of all calls.
class Blocks {
public:
  Blocks(Distribution const& distribution, int size) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &num_ranks_);
    for (int i = 0; i < num_ranks_; ++i) {
      counts_.push_back(distribution.bytes(i, num_ranks_, size));
      sent_.push_back(distribution.bytes((rank_ + i) % num_ranks_, num_ranks_, size));
    }
    places_ = places_of(counts_);
    sent_at_ = places_of(sent_);
    auto const room = [](Counts const& counts, Counts const& places) {
      return static_cast<std::size_t>(counts.back()) + static_cast<std::size_t>(places.back()) + 1;
    };
    std::size_t const most = std::max(room(counts_, places_), room(sent_, sent_at_));
    from_.assign(most, 1);
    to_.assign(most, 0);
  }

  [[nodiscard]] Row alltoallv() {
    return {
        .call = "alltoallv",
        .native =
            [this] {
              PMPI_Alltoallv(
                  from_.data(),
                  sent_.data(),
                  sent_at_.data(),
                  MPI_BYTE,
                  to_.data(),
                  sent_.data(),
                  sent_at_.data(),
                  MPI_BYTE,
                  MPI_COMM_WORLD
              );
            },
        .plan =
            [this](char const* algorithm) {
              return espalier::alltoallv_init(
                  from_.data(),
                  sent_.data(),
                  sent_at_.data(),
                  MPI_BYTE,
                  to_.data(),
                  sent_.data(),
                  sent_at_.data(),
                  MPI_BYTE,
                  MPI_COMM_WORLD,
                  algorithm
              );
            },
        .algorithms = {"pairwise", "linear", "bruck", "bruck[k=4]", "torus", "node_aware"},
    };
  }

  [[nodiscard]] Row gatherv() {
    int const own = counts_[static_cast<std::size_t>(rank_)];
    return {
        .call = "gatherv",
        .native =
            [this, own] {
              PMPI_Gatherv(
                  from_.data(),
                  own,
                  MPI_BYTE,
                  to_.data(),
                  counts_.data(),
                  places_.data(),
                  MPI_BYTE,
                  0,
                  MPI_COMM_WORLD
              );
            },
        .plan =
            [this, own](char const* algorithm) {
              return espalier::gatherv_init(
                  from_.data(),
                  own,
                  MPI_BYTE,
                  to_.data(),
                  counts_.data(),
                  places_.data(),
                  MPI_BYTE,
                  0,
                  MPI_COMM_WORLD,
                  algorithm
              );
            },
        .algorithms = {"flat", "binomial", "k_nomial[k=4]", "orthogonal"},
    };
  }

  [[nodiscard]] Row scatterv() {
    int const own = counts_[static_cast<std::size_t>(rank_)];
    return {
        .call = "scatterv",
        .native =
            [this, own] {
              PMPI_Scatterv(
                  from_.data(),
                  counts_.data(),
                  places_.data(),
                  MPI_BYTE,
                  to_.data(),
                  own,
                  MPI_BYTE,
                  0,
                  MPI_COMM_WORLD
              );
            },
        .plan =
            [this, own](char const* algorithm) {
              return espalier::scatterv_init(
                  from_.data(),
                  counts_.data(),
                  places_.data(),
                  MPI_BYTE,
                  to_.data(),
                  own,
                  MPI_BYTE,
                  0,
                  MPI_COMM_WORLD,
                  algorithm
              );
            },
        .algorithms = {"flat", "binomial", "k_nomial[k=4]", "orthogonal"},
    };
  }

private:
  int rank_ = 0;
  int num_ranks_ = 1;
  Counts counts_;
  Counts places_;
  Counts sent_;
  Counts sent_at_;
  std::vector<char> from_;
  std::vector<char> to_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::span<char*> const arguments(argv, static_cast<std::size_t>(argc));
  int num_ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  if (argc < 3 || num_ranks < 4) {
    std::fprintf(stderr, "usage: uneven_exchange <repetitions> <bytes>..., with 4 ranks or more\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  auto const num_repetitions = static_cast<int>(std::strtol(arguments[1], nullptr, 10));
  for (char const* const text : arguments.subspan(2)) {
    auto const size = static_cast<int>(std::strtol(text, nullptr, 10));
    for (Distribution const& distribution : distributions) {
      Blocks blocks(distribution, size);
      std::string const sizes = std::string(distribution.name) + " " + text;
      for (Row const& row : {blocks.alltoallv(), blocks.gatherv(), blocks.scatterv()}) {
        measure(row, sizes, num_repetitions);
      }
    }
  }
  MPI_Finalize();
  return 0;
}
