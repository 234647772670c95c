// SPDX-License-Identifier: Apache-2.0

/// @file
/// All neighbours of a periodic grid, corners too, exchange blocks: time of a persistent exchange
/// with each algorithm, and of MPI_Neighbor_alltoall on the same graph where the MPI has it.
///
/// Usage: neighbor_exchange <extents, as 4x4x4> <repetitions> <bytes of a block>...
///
/// Rank 0 prints a line for each block size: bytes, then microseconds of direct, combining and
/// node_aware on the stencil as it is declared, of combining on the graph with the same edges, in
/// which it is recognised, and of native (-1: none); the median over repetitions of the slowest
/// rank. Algorithms take turns, so that all see the same noise.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "include/espalier_neighbor.h"

#include <mpi.h>

#ifdef ESPALIER_MPI_SIMULATED
#include "espalier/capi/neighbor_objects.hpp"
#endif

namespace {

constexpr std::array names{"direct", "combining", "node_aware"};
constexpr char const* recognised_algorithm = "combining";
constexpr std::size_t num_served = names.size() + 1;

std::vector<int> parse_extents(char const* text) {
  std::vector<int> extents;
  for (char* end = nullptr; *text != '\0'; text = *end == 'x' ? end + 1 : end) {
    extents.push_back(static_cast<int>(std::strtol(text, &end, 10)));
    if (end == text) {
      std::fprintf(stderr, "expected extents as in 4x4x4, got '%s'\n", text);
      MPI_Abort(MPI_COMM_WORLD, 2);
      return {};
    }
  }
  return extents;
}

/// Rows of -1 .. 1 in every dimension without the centre.
std::vector<int> full_stencil(std::size_t num_dimensions) {
  std::size_t num_rows = 1;
  for (std::size_t d = 0; d < num_dimensions; ++d) {
    num_rows *= 3;
  }
  std::vector<int> offsets;
  for (std::size_t row = 0; row < num_rows; ++row) {
    if (row == num_rows / 2) {
      continue;
    }
    std::size_t rest = row;
    for (std::size_t d = 0; d < num_dimensions; ++d) {
      offsets.push_back(static_cast<int>(rest % 3) - 1);
      rest /= 3;
    }
  }
  return offsets;
}

/// Whom a rank has as its neighbours.
struct Lists {
  std::vector<int> sources;
  std::vector<int> destinations;
};

/// The neighbours of any rank, in orders of its own.
Lists lists_of(
    MPI_Comm grid, int rank, std::vector<int> const& offsets, std::size_t num_dimensions
) {
  std::vector<int> here(num_dimensions);
  MPI_Cart_coords(grid, rank, static_cast<int>(num_dimensions), here.data());
  Lists lists;
  for (std::size_t k = 0; k < offsets.size(); k += num_dimensions) {
    for (int const sign : {-1, 1}) {
      std::vector<int> there = here;
      for (std::size_t d = 0; d < num_dimensions; ++d) {
        there[d] += sign * offsets[k + d];
      }
      int peer = 0;
      MPI_Cart_rank(grid, there.data(), &peer);
      (sign < 0 ? lists.sources : lists.destinations).push_back(peer);
    }
  }
  std::mt19937 random(static_cast<unsigned>(rank));
  std::ranges::shuffle(lists.sources, random);
  std::ranges::shuffle(lists.destinations, random);
  return lists;
}

/// The same exchange as MPI knows it; MPI_COMM_NULL where it has no graphs.
MPI_Comm graph_of(MPI_Comm grid, std::vector<int> const& offsets, std::size_t num_dimensions) {
#ifdef ESPALIER_MPI_SIMULATED
  static_cast<void>(grid);
  static_cast<void>(offsets);
  static_cast<void>(num_dimensions);
  return MPI_COMM_NULL;
#else
  int rank = 0;
  MPI_Comm_rank(grid, &rank);
  Lists const lists = lists_of(grid, rank, offsets, num_dimensions);
  MPI_Comm graph = MPI_COMM_NULL;
  auto const degree = static_cast<int>(lists.sources.size());
  MPI_Dist_graph_create_adjacent(
      grid,
      degree,
      lists.sources.data(),
      MPI_UNWEIGHTED,
      degree,
      lists.destinations.data(),
      MPI_UNWEIGHTED,
      MPI_INFO_NULL,
      0,
      &graph
  );
  return graph;
#endif
}

#ifdef ESPALIER_MPI_SIMULATED
/// SimGrid has no graphs: what espalier_neighborhood_of() makes of one, with all edges known.
espalier_neighborhood*
recognised(MPI_Comm grid, std::vector<int> const& offsets, std::size_t num_dimensions) {
  using espalier::neighborhood::Neighborhood;
  int num_ranks = 0;
  MPI_Comm_size(grid, &num_ranks);
  std::vector<std::vector<int>> sources;
  std::vector<std::vector<int>> destinations;
  for (int rank = 0; rank < num_ranks; ++rank) {
    Lists lists = lists_of(grid, rank, offsets, num_dimensions);
    sources.push_back(std::move(lists.sources));
    destinations.push_back(std::move(lists.destinations));
  }
  auto* const made = new espalier_neighborhood(
      grid,
      Neighborhood::recognised(Neighborhood::of_lists(sources, destinations)),
      {.algorithm = recognised_algorithm, .links = {}}
  );
  made->neighbors.prepare();
  return made;
}
#endif

/// Microseconds of the slowest rank.
template <typename Action> double timed(MPI_Comm comm, Action&& action) {
  MPI_Barrier(comm);
  double const start = MPI_Wtime();
  action();
  double const own = (MPI_Wtime() - start) * 1e6;
  double slowest = 0;
  MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
  return slowest;
}

double median(std::vector<double> samples) {
  if (samples.empty()) {
    return -1;
  }
  auto const middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

class Exchange {
public:
  explicit Exchange(std::vector<int> const& extents) : offsets_(full_stencil(extents.size())) {
    auto const num_dimensions = static_cast<int>(extents.size());
    std::vector<int> const periods(extents.size(), 1);
    MPI_Cart_create(MPI_COMM_WORLD, num_dimensions, extents.data(), periods.data(), 0, &grid_);
    degree_ = offsets_.size() / extents.size();
    graph_ = graph_of(grid_, offsets_, extents.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      espalier_neighbor_options options = ESPALIER_NEIGHBOR_OPTIONS_INIT;
      options.algorithm = names[i];
      espalier_neighborhood_create(
          grid_, static_cast<int>(degree_), offsets_.data(), &options, &neighborhoods_[i]
      );
    }
    make_recognised(extents.size());
  }

  void measure(int bytes, int num_repetitions) {
    std::vector<char> out(degree_ * static_cast<std::size_t>(bytes), 'a');
    std::vector<char> in(out.size());
    std::array<espalier_request*, num_served> requests{};
    for (std::size_t i = 0; i < num_served; ++i) {
      espalier_neighbor_alltoall_init(
          out.data(), bytes, MPI_CHAR, in.data(), bytes, MPI_CHAR, neighborhoods_[i], &requests[i]
      );
    }
    std::array<std::vector<double>, num_served + 1> samples;
    constexpr int num_warmups = 2;
    for (int k = 0; k < num_repetitions + num_warmups; ++k) {
      for (std::size_t i = 0; i < samples.size(); ++i) {
        if (i == num_served && graph_ == MPI_COMM_NULL) {
          continue;
        }
        double const time = timed(grid_, [&] {
          if (i == num_served) {
            native(out, in, bytes);
          } else {
            espalier_request_start(requests[i]);
            espalier_request_wait(requests[i]);
          }
        });
        if (k >= num_warmups) {
          samples[i].push_back(time);
        }
      }
    }
    print(bytes, samples);
    for (espalier_request*& request : requests) {
      espalier_request_free(&request);
    }
  }

  void free() {
    for (espalier_neighborhood*& neighborhood : neighborhoods_) {
      espalier_neighborhood_free(&neighborhood);
    }
    if (graph_ != MPI_COMM_NULL) {
      MPI_Comm_free(&graph_);
    }
    MPI_Comm_free(&grid_);
  }

private:
  void make_recognised(std::size_t num_dimensions) {
#ifdef ESPALIER_MPI_SIMULATED
    neighborhoods_.back() = recognised(grid_, offsets_, num_dimensions);
#else
    static_cast<void>(num_dimensions);
    espalier_neighbor_options options = ESPALIER_NEIGHBOR_OPTIONS_INIT;
    options.algorithm = recognised_algorithm;
    espalier_neighborhood_of(graph_, &options, &neighborhoods_.back());
#endif
  }

  void native(std::vector<char> const& out, std::vector<char>& in, int bytes) {
#ifndef ESPALIER_MPI_SIMULATED
    MPI_Neighbor_alltoall(out.data(), bytes, MPI_CHAR, in.data(), bytes, MPI_CHAR, graph_);
#else
    static_cast<void>(out);
    static_cast<void>(in);
    static_cast<void>(bytes);
#endif
  }

  template <typename Samples> void print(int bytes, Samples const& samples) const {
    int rank = 0;
    MPI_Comm_rank(grid_, &rank);
    if (rank == 0) {
      std::printf("%d", bytes);
      for (auto const& list : samples) {
        std::printf(" %.3f", median(list));
      }
      std::printf("\n");
    }
  }

  std::vector<int> offsets_;
  std::size_t degree_ = 0;
  MPI_Comm grid_ = MPI_COMM_NULL;
  MPI_Comm graph_ = MPI_COMM_NULL;
  std::array<espalier_neighborhood*, num_served> neighborhoods_{};
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 4) {
    std::fprintf(stderr, "usage: neighbor_exchange <extents> <repetitions> <bytes>...\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Exchange exchange(parse_extents(argv[1]));
  for (int i = 3; i < argc; ++i) {
    exchange.measure(std::atoi(argv[i]), std::atoi(argv[2]));
  }
  exchange.free();
  MPI_Finalize();
  return 0;
}
