// SPDX-License-Identifier: Apache-2.0

/// @file
/// Times rooted collectives in simulation, those of a team along trees and those of the library:
/// `tree_times <bytes of a block> [tree ...]`, such as `tree_times 1024 k_ary[k=4]`. For each
/// collective and manner, rank 0 prints a line of JSON with the mean microseconds of a call for
/// the library, and by signaling puts along each tree. All ranks begin at once, and a time ends
/// when the last one has left. The simulator says whose the library's algorithms are.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "benchmarks/onesided/calls.hpp"
#include "benchmarks/simulated_time.hpp"

namespace espalier::benchmarks {
namespace {

/// How calls follow each other.
struct Manner {
  char const* name;
  espalier_sync in;
  espalier_sync out;
  bool has_barrier;          ///< of the team, behind each of ours
  bool has_library_barrier;  ///< behind each call of the library
  int num_calls;
};

constexpr Manner manners[] = {
    {"strict", ESPALIER_ALLSYNC, ESPALIER_ALLSYNC, false, true, 4},
    {"apart", ESPALIER_NOSYNC, ESPALIER_MYSYNC, true, true, 4},
    {"loose", ESPALIER_NOSYNC, ESPALIER_NOSYNC, false, false, 16},
};

/// A call of the library.
struct Native {
  Collective collective;
  void (*call)(Buffers const& at, int count);
};

constexpr Native natives[] = {
    {Collective::bcast,
     [](Buffers const& at, int count) { MPI_Bcast(at.output, count, MPI_INT, 0, MPI_COMM_WORLD); }},
    {Collective::scatter,
     [](Buffers const& at, int count) {
       MPI_Scatter(at.input, count, MPI_INT, at.output, count, MPI_INT, 0, MPI_COMM_WORLD);
     }},
    {Collective::gather,
     [](Buffers const& at, int count) {
       MPI_Gather(at.input, count, MPI_INT, at.output, count, MPI_INT, 0, MPI_COMM_WORLD);
     }},
    {Collective::reduce,
     [](Buffers const& at, int count) {
       MPI_Reduce(at.input, at.output, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
     }},
};

/// Microseconds of one of so many calls behind each other, after one that prepares what lasts.
template <typename Action> double mean_us(int num_calls, Action const& action) {
  action();
  double const seconds = simulated_seconds([&] {
    for (int i = 0; i < num_calls; ++i) {
      action();
    }
  });
  return seconds * 1e6 / num_calls;
}

/// Half of it holds what all ranks give, twice.
std::uint64_t team_scratch_bytes(int count, int num_ranks) {
  return (std::uint64_t{1} << 20U) + 4 * buffer_bytes(count, num_ranks);
}

class Comparison {
public:
  Comparison(espalier_conduit* conduit, int count)
      : count_(count), rank_(espalier_conduit_rank(conduit)) {
    std::uint64_t const scratch_bytes = team_scratch_bytes(count, espalier_conduit_size(conduit));
    require(espalier_team_create(conduit, MPI_COMM_WORLD, scratch_bytes, &team_), "a team");
    at_.input = static_cast<std::byte*>(espalier_conduit_segment(conduit));
    at_.output = at_.input + buffer_bytes(count, espalier_conduit_size(conduit));
    barrier_ = planned(Collective::barrier, manners[0], "dissemination");
  }

  Comparison(Comparison const&) = delete;
  Comparison& operator=(Comparison const&) = delete;
  Comparison(Comparison&&) = delete;
  Comparison& operator=(Comparison&&) = delete;

  ~Comparison() {
    barrier_.reset();
    espalier_team_free(&team_);
  }

  void time_library(Native const& native, Manner const& manner) const {
    double const us = mean_us(manner.num_calls, [&] {
      native.call(at_, count_);
      if (manner.has_library_barrier) {
        MPI_Barrier(MPI_COMM_WORLD);
      }
    });
    print(native.collective, manner, "", us);
  }

  void time_tree(Collective collective, Manner const& manner, std::string const& tree) const {
    Request const request = planned(collective, manner, tree);
    double const us = mean_us(manner.num_calls, [&] {
      run(request);
      if (manner.has_barrier) {
        run(barrier_);
      }
    });
    print(collective, manner, tree, us);
  }

private:
  [[nodiscard]] Request
  planned(Collective collective, Manner const& manner, std::string const& name) const {
    std::string const algorithm = std::string(to_string(collective)) + "/" + name;
    espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
    options.in = manner.in;
    options.out = manner.out;
    options.algorithm = algorithm.c_str();
    options.mechanism = "signaling_put";
    espalier_request* request = nullptr;
    auto const* const call = std::ranges::find(calls, collective, &Call::collective);
    require(call->plan(at_, count_, team_, &options, &request), algorithm);
    return Request(request);
  }

  /// @param tree  empty for the library
  void
  print(Collective collective, Manner const& manner, std::string const& tree, double us) const {
    if (rank_ == 0) {
      std::printf(
          "{\"call\": \"%s\", \"manner\": \"%s\", \"tree\": \"%s\", \"us\": %.3f}\n",
          std::string(to_string(collective)).c_str(),
          manner.name,
          tree.c_str(),
          us
      );
    }
  }

  int count_;
  int rank_;
  espalier_team* team_ = nullptr;
  Buffers at_;
  Request barrier_;
};

void compare_all(int count, std::span<char*> trees) {
  int num_ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
  std::uint64_t const segment_bytes = 2 * buffer_bytes(count, num_ranks);
  options.scratch_bytes = 2 * team_scratch_bytes(count, num_ranks);
  espalier_conduit* conduit = nullptr;
  require(espalier_conduit_attach(MPI_COMM_WORLD, segment_bytes, &options, &conduit), "a conduit");
  {
    Comparison const comparison(conduit, count);
    for (Native const& native : natives) {
      for (Manner const& manner : manners) {
        comparison.time_library(native, manner);
        for (char const* const tree : trees) {
          comparison.time_tree(native.collective, manner, tree);
        }
      }
    }
  }
  espalier_conduit_detach(&conduit);
}

}  // namespace
}  // namespace espalier::benchmarks

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool const is_right = argc >= 2 && std::atoi(argv[1]) >= 4;
  if (is_right) {
    std::span<char*> const words(argv, static_cast<std::size_t>(argc));
    espalier::benchmarks::compare_all(std::atoi(argv[1]) / 4, words.subspan(2));
  } else {
    std::fprintf(stderr, "usage: tree_times <bytes, from 4> [tree ...]\n");
  }
  MPI_Finalize();
  return is_right ? 0 : 2;
}
