// SPDX-License-Identifier: Apache-2.0

/// @file
/// Holds the model of one-sided collectives against the simulator: `modelled_times <bytes of a
/// block> <latency> <overhead> <seconds per byte>`, for a machine with these costs between all
/// ranks. For each collective, synchronization mode, algorithm and mechanism, rank 0 prints a line
/// of JSON with the seconds from a common start until the last rank has left, simulated and
/// modelled (cost/one_sided/calls.hpp).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "benchmarks/onesided/calls.hpp"
#include "benchmarks/simulated_time.hpp"
#include "espalier/cost/one_sided/calls.hpp"
#include "espalier/cost/one_sided/candidates.hpp"

namespace espalier::benchmarks {
namespace {

/// Both of a mode, as programs and as schedules name it.
struct Mode {
  espalier_sync given;
  schedule::Sync sync;
};

constexpr Mode modes[] = {
    {ESPALIER_NOSYNC, schedule::Sync::nosync},
    {ESPALIER_MYSYNC, schedule::Sync::mysync},
    {ESPALIER_ALLSYNC, schedule::Sync::allsync},
};

/// Simulated seconds until the last rank has left, from a start that all ranks make at once.
double simulated(Request const& request) {
  return simulated_seconds([&] {
    espalier_request_start(request.get());
    espalier_request_wait(request.get());
  });
}

double modelled(
    std::vector<schedule::RankProgram> const& programs,
    double num_bytes,
    cost::OneSidedMachine const& machine
) {
  cost::OneSidedCall const call{.programs = programs, .sizes = num_bytes};
  return std::ranges::max(cost::replay_calls({&call, 1}, machine).left.front());
}

class Comparison {
public:
  Comparison(espalier_conduit* conduit, int count, cost::OneSidedMachine const& machine)
      : count_(count), machine_(machine), num_ranks_(espalier_conduit_size(conduit)),
        rank_(espalier_conduit_rank(conduit)) {
    require(espalier_team_create(conduit, MPI_COMM_WORLD, 0, &team_), "a team");
    at_.input = static_cast<std::byte*>(espalier_conduit_segment(conduit));
    at_.output = at_.input + buffer_bytes(count, num_ranks_);
  }

  Comparison(Comparison const&) = delete;
  Comparison& operator=(Comparison const&) = delete;
  Comparison(Comparison&&) = delete;
  Comparison& operator=(Comparison&&) = delete;

  ~Comparison() { espalier_team_free(&team_); }

  void compare(Call const& call, Mode const& mode) {
    int const num_parts = schedule::has_parts(call.collective) ? num_ranks_ : 1;
    cost::OneSidedRequest const request{
        .collective = call.collective,
        .num_ranks = num_ranks_,
        .num_bytes = static_cast<double>(buffer_bytes(count_, num_parts)),
        .mode = {.in = mode.sync, .out = mode.sync},
    };
    for (algorithms::Choice const& choice : cost::applicable_choices(request)) {
      cost::for_each_form(request, choice, [&](cost::OneSidedPrograms const& found) {
        compare(call, mode.given, found, request.num_bytes);
        return true;
      });
    }
  }

private:
  void compare(
      Call const& call, espalier_sync sync, cost::OneSidedPrograms const& found, double num_bytes
  ) {
    std::string const algorithm = found.candidate.choice.text();
    std::string const mechanism(to_string(found.candidate.form.mechanism));
    espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
    options.in = sync;
    options.out = sync;
    options.algorithm = algorithm.c_str();
    options.mechanism = mechanism.c_str();
    espalier_request* planned = nullptr;
    require(call.plan(at_, count_, team_, &options, &planned), algorithm);
    Request const request(planned);
    double const ours = simulated(request);
    double const theirs = modelled(found.programs, num_bytes, machine_);
    if (rank_ == 0) {
      std::printf(
          "{\"call\": \"%s\", \"mode\": \"%s\", \"algorithm\": \"%s\", \"mechanism\": \"%s\", "
          "\"bytes\": %d, \"simulated\": %.12g, \"modelled\": %.12g}\n",
          std::string(to_string(call.collective)).c_str(),
          to_string(found.candidate.form.mode).c_str(),
          algorithm.c_str(),
          mechanism.c_str(),
          static_cast<int>(num_bytes),
          ours,
          theirs
      );
    }
  }

  int count_;
  cost::OneSidedMachine machine_;
  int num_ranks_;
  int rank_;
  espalier_team* team_ = nullptr;
  Buffers at_;
};

void compare_all(int count, cost::OneSidedMachine const& machine) {
  int num_ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
  options.scratch_bytes = std::uint64_t{64} << 20U;
  espalier_conduit* conduit = nullptr;
  std::uint64_t const segment_bytes = 2 * buffer_bytes(count, num_ranks);
  require(espalier_conduit_attach(MPI_COMM_WORLD, segment_bytes, &options, &conduit), "a conduit");
  {
    Comparison comparison(conduit, count, machine);
    for (Call const& call : calls) {
      for (Mode const& mode : modes) {
        comparison.compare(call, mode);
      }
    }
  }
  espalier_conduit_detach(&conduit);
}

}  // namespace
}  // namespace espalier::benchmarks

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool const is_right = argc == 5 && std::atoi(argv[1]) >= 4;
  if (is_right) {
    espalier::cost::OneSidedMachine const machine{
        .network =
            {.latency = std::atof(argv[2]),
             .overhead = std::atof(argv[3]),
             .gap = 0,
             .per_byte = std::atof(argv[4])},
    };
    espalier::benchmarks::compare_all(std::atoi(argv[1]) / 4, machine);
  } else {
    std::fprintf(stderr, "usage: modelled_times <bytes> <latency> <overhead> <per byte>\n");
  }
  MPI_Finalize();
  return is_right ? 0 : 2;
}
