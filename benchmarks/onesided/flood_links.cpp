// SPDX-License-Identifier: Apache-2.0

/// @file
/// A flood from one simulated node to some of its neighbours, by nonblocking puts and by messages:
/// `flood_links <bytes> <num_transfers> <neighbour> ..`, with a rank on each node. Rank 0 sends to
/// these ranks in turns:
///
///     puts        put a  put b  put c  put a  put b ..                              fence
///     messages    Isend a  Isend b  Isend c  ..  Waitall  Isend a  Isend b  ..  Waitall
///                 |<------------- a window ----------->|
///
/// Receivers post the receives of a window before they complete the last one, and the best of
/// windows (powers of two, like the number of transfers) counts, as in figure 3.3 of
/// [nishtala2009]. Rank 0 prints a line of JSON for both, with the seconds of all transfers.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "benchmarks/simulated_time.hpp"

namespace espalier::benchmarks {
namespace {

struct Flood {
  int num_bytes = 0;
  int num_transfers = 0;
  std::vector<int> neighbours;
  int rank = 0;

  /// Where a transfer of rank 0 goes.
  [[nodiscard]] int target(int transfer) const {
    return neighbours[static_cast<std::size_t>(transfer) % neighbours.size()];
  }

  [[nodiscard]] bool is_possible(int num_ranks) const {
    return num_bytes > 0 && num_transfers > 0 &&
           std::has_single_bit(static_cast<unsigned>(num_transfers)) && !neighbours.empty() &&
           std::ranges::all_of(neighbours, [&](int one) { return 0 < one && one < num_ranks; });
  }
};

double seconds_of_puts(Flood const& flood, espalier_conduit* conduit, std::byte const* data) {
  return simulated_seconds([&] {
    for (int i = 0; flood.rank == 0 && i < flood.num_transfers; ++i) {
      auto const num_bytes = static_cast<std::uint64_t>(flood.num_bytes);
      espalier_post_put(data, num_bytes, {.rank = flood.target(i), .offset = 0}, conduit);
    }
    espalier_fence(conduit);
  });
}

/// Starts what this rank sends or receives of so many transfers.
void start(Flood const& flood, std::byte* data, int first, std::vector<MPI_Request>& window) {
  for (std::size_t i = 0; i < window.size(); ++i) {
    int const target = flood.target(first + static_cast<int>(i));
    window[i] = MPI_REQUEST_NULL;
    if (flood.rank == 0) {
      MPI_Isend(data, flood.num_bytes, MPI_BYTE, target, 0, MPI_COMM_WORLD, &window[i]);
    } else if (flood.rank == target) {
      MPI_Irecv(data, flood.num_bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &window[i]);
    }
  }
}

/// Receivers have the next window posted before they complete the last one.
double seconds_of_messages(Flood const& flood, std::byte* data, int window) {
  std::vector<MPI_Request> now(static_cast<std::size_t>(window), MPI_REQUEST_NULL);
  std::vector<MPI_Request> next = now;
  if (flood.rank != 0) {
    start(flood, data, 0, now);
  }
  return simulated_seconds([&] {
    for (int first = 0; first < flood.num_transfers; first += window) {
      if (flood.rank == 0) {
        start(flood, data, first, now);
      } else if (first + window < flood.num_transfers) {
        start(flood, data, first + window, next);
      }
      MPI_Waitall(window, now.data(), MPI_STATUSES_IGNORE);
      now.swap(next);
    }
  });
}

void compare(Flood const& flood) {
  espalier_conduit* conduit = nullptr;
  auto const num_bytes = static_cast<std::uint64_t>(flood.num_bytes);
  espalier_conduit_attach(MPI_COMM_WORLD, num_bytes, nullptr, &conduit);
  std::vector<std::byte> data(num_bytes);
  double const puts = seconds_of_puts(flood, conduit, data.data());
  double messages = std::numeric_limits<double>::infinity();
  for (int window = 1; window <= flood.num_transfers; window *= 2) {
    messages = std::min(messages, seconds_of_messages(flood, data.data(), window));
  }
  if (flood.rank == 0) {
    std::printf(
        "{\"bytes\": %d, \"links\": %zu, \"transfers\": %d, \"puts\": %.9f, \"messages\": %.9f}\n",
        flood.num_bytes,
        flood.neighbours.size(),
        flood.num_transfers,
        puts,
        messages
    );
  }
  espalier_conduit_detach(&conduit);
}

}  // namespace
}  // namespace espalier::benchmarks

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  espalier::benchmarks::Flood flood;
  int num_ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &flood.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  if (argc > 3) {
    flood.num_bytes = std::atoi(argv[1]);
    flood.num_transfers = std::atoi(argv[2]);
    std::transform(argv + 3, argv + argc, std::back_inserter(flood.neighbours), [](char* text) {
      return std::atoi(text);
    });
  }
  bool const is_good = flood.is_possible(num_ranks);
  if (is_good) {
    compare(flood);
  } else if (flood.rank == 0) {
    std::fprintf(stderr, "flood_links: expected BYTES, TRANSFERS (a power of two) and ranks\n");
  }
  MPI_Finalize();
  return is_good ? 0 : 2;
}
