// SPDX-License-Identifier: Apache-2.0

/// @file
/// Nonblocking collectives beside work on a simulated machine, whose times are exact:
/// `overlap_simulated <call> <bytes of the result> <tests> <algorithm>...`.
///
/// Each is started, a rank works as long as the library's own takes alone, with so many tests
/// between equal pieces of work, and waits. Rank 0 prints a line of JSON for the library's call,
/// for each algorithm by messages (espalier_planned.h), and for the same one-sided (a team with
/// MYSYNC, which promises what MPI does): microseconds alone and beside the work, of the rank that
/// takes longest. Work is simulated time that passes.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "include/espalier_onesided.h"
#include "include/espalier_planned.h"
#include <simgrid/s4u.hpp>

#include <mpi.h>

#include "benchmarks/simulated_time.hpp"

namespace espalier::benchmarks {
namespace {

/// Where a call finds its data.
struct Buffers {
  std::byte* input = nullptr;
  std::byte* output = nullptr;
};

struct Call {
  char const* name;
  bool has_parts;  ///< the result consists of a block for each rank
  int element_bytes;
  void (*start)(Buffers const& at, int count, MPI_Request* request);
  int (*plan)(
      Buffers const& at,
      int count,
      espalier_planned_options const* options,
      espalier_request** request
  );
  int (*plan_for_team)(
      Buffers const& at,
      int count,
      espalier_team* team,
      espalier_onesided_options const* options,
      espalier_request** request
  );
};

constexpr int sum_bytes = sizeof(double);

Call const calls[] = {
    {"iallgather",
     true,
     1,
     [](Buffers const& at, int n, MPI_Request* r) {
       MPI_Iallgather(at.input, n, MPI_BYTE, at.output, n, MPI_BYTE, MPI_COMM_WORLD, r);
     },
     [](Buffers const& at, int n, auto* options, auto** r) {
       return espalier_allgather_init(
           at.input, n, MPI_BYTE, at.output, n, MPI_BYTE, MPI_COMM_WORLD, options, r
       );
     },
     [](Buffers const& at, int n, auto* team, auto* options, auto** r) {
       return espalier_team_allgather_init(at.input, at.output, n, MPI_BYTE, team, options, r);
     }},
    {"iallreduce",
     false,
     sum_bytes,
     [](Buffers const& at, int n, MPI_Request* r) {
       MPI_Iallreduce(at.input, at.output, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, r);
     },
     [](Buffers const& at, int n, auto* options, auto** r) {
       return espalier_allreduce_init(
           at.input, at.output, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, options, r
       );
     },
     [](Buffers const& at, int n, auto* team, auto* options, auto** r) {
       return espalier_team_allreduce_init(
           at.input, at.output, n, MPI_DOUBLE, MPI_SUM, team, options, r
       );
     }},
    {"ialltoall",
     true,
     1,
     [](Buffers const& at, int n, MPI_Request* r) {
       MPI_Ialltoall(at.input, n, MPI_BYTE, at.output, n, MPI_BYTE, MPI_COMM_WORLD, r);
     },
     [](Buffers const& at, int n, auto* options, auto** r) {
       return espalier_alltoall_init(
           at.input, n, MPI_BYTE, at.output, n, MPI_BYTE, MPI_COMM_WORLD, options, r
       );
     },
     [](Buffers const& at, int n, auto* team, auto* options, auto** r) {
       return espalier_team_alltoall_init(at.input, at.output, n, MPI_BYTE, team, options, r);
     }},
    {"ibcast",
     false,
     1,
     [](Buffers const& at, int n, MPI_Request* r) {
       MPI_Ibcast(at.output, n, MPI_BYTE, 0, MPI_COMM_WORLD, r);
     },
     [](Buffers const& at, int n, auto* options, auto** r) {
       return espalier_bcast_init(at.output, n, MPI_BYTE, 0, MPI_COMM_WORLD, options, r);
     },
     [](Buffers const& at, int n, auto* team, auto* options, auto** r) {
       return espalier_team_bcast_init(at.output, n, MPI_BYTE, 0, team, options, r);
     }},
    {"ireduce",
     false,
     sum_bytes,
     [](Buffers const& at, int n, MPI_Request* r) {
       MPI_Ireduce(at.input, at.output, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, r);
     },
     [](Buffers const& at, int n, auto* options, auto** r) {
       return espalier_reduce_init(
           at.input, at.output, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, options, r
       );
     },
     [](Buffers const& at, int n, auto* team, auto* options, auto** r) {
       return espalier_team_reduce_init(
           at.input, at.output, n, MPI_DOUBLE, MPI_SUM, 0, team, options, r
       );
     }},
};

Call const* find(std::string_view name) {
  for (Call const& call : calls) {
    if (call.name == name) {
      return &call;
    }
  }
  return nullptr;
}

/// A way to make the call.
struct Way {
  std::function<void()> start;
  std::function<void()> test;
  std::function<void()> wait;
};

Way native(Call const& call, Buffers const& at, int count) {
  auto const request = std::make_shared<MPI_Request>(MPI_REQUEST_NULL);
  return {
      .start = [=] { call.start(at, count, request.get()); },
      .test =
          [=] {
            int is_complete = 0;
            MPI_Test(request.get(), &is_complete, MPI_STATUS_IGNORE);
          },
      .wait = [=] { MPI_Wait(request.get(), MPI_STATUS_IGNORE); },
  };
}

/// @param planned  taken over
Way ours(espalier_request* planned) {
  std::shared_ptr<espalier_request> const request(planned, [](espalier_request* one) {
    espalier_request_free(&one);
  });
  return {
      .start = [=] { espalier_request_start(request.get()); },
      .test =
          [=] {
            int is_complete = 0;
            espalier_request_test(request.get(), &is_complete);
          },
      .wait = [=] { espalier_request_wait(request.get()); },
  };
}

/// Seconds of the rank that takes longest.
double time(Way const& way, double work, int num_tests) {
  using simgrid::s4u::this_actor::sleep_for;
  return simulated_seconds([&] {
    way.start();
    for (int i = 0; i < num_tests && work > 0; ++i) {
      sleep_for(work / (num_tests + 1));
      way.test();
    }
    if (work > 0) {
      sleep_for(work / (num_tests + 1));
    }
    way.wait();
  });
}

/// Ends the program unless a call succeeded.
void require(int code) {
  if (code != MPI_SUCCESS) {
    std::fprintf(stderr, "overlap_simulated: expected calls that succeed, got code %d\n", code);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

class Comparison {
public:
  Comparison(Call const& call, long num_bytes, int num_tests) : call_(call), num_tests_(num_tests) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int num_ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
    long const unit = call.element_bytes * (call.has_parts ? num_ranks : 1);
    count_ = static_cast<int>((num_bytes + unit - 1) / unit);
    auto const room = static_cast<std::uint64_t>(count_) * static_cast<std::uint64_t>(unit);
    espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
    options.scratch_bytes = std::uint64_t{64} << 20U;
    require(espalier_conduit_attach(MPI_COMM_WORLD, 2 * room, &options, &conduit_));
    require(espalier_team_create(conduit_, MPI_COMM_WORLD, 0, &team_));
    at_.input = static_cast<std::byte*>(espalier_conduit_segment(conduit_));
    at_.output = at_.input + room;
  }

  Comparison(Comparison const&) = delete;
  Comparison& operator=(Comparison const&) = delete;
  Comparison(Comparison&&) = delete;
  Comparison& operator=(Comparison&&) = delete;

  ~Comparison() {
    espalier_team_free(&team_);
    espalier_conduit_detach(&conduit_);
  }

  void compare(std::vector<std::string> const& algorithms) {
    Way const theirs = native(call_, at_, count_);
    work_ = time(theirs, 0, 0);
    print("native", "", theirs);
    for (std::string const& algorithm : algorithms) {
      compare_one(algorithm);
    }
  }

private:
  void compare_one(std::string const& algorithm) {
    espalier_planned_options by_messages = ESPALIER_PLANNED_OPTIONS_INIT;
    by_messages.algorithm = algorithm.c_str();
    espalier_request* request = nullptr;
    require(call_.plan(at_, count_, &by_messages, &request));
    print("messages", algorithm, ours(request));
    espalier_onesided_options one_sided = ESPALIER_ONESIDED_OPTIONS_INIT;
    std::string const full = std::string(call_.name + 1) + "/" + algorithm;
    one_sided.in = ESPALIER_MYSYNC;
    one_sided.out = ESPALIER_MYSYNC;
    one_sided.algorithm = full.c_str();
    request = nullptr;
    require(call_.plan_for_team(at_, count_, team_, &one_sided, &request));
    print("one-sided", algorithm, ours(request));
  }

  void print(char const* way, std::string const& algorithm, Way const& timed) const {
    double const alone = time(timed, 0, 0);
    double const beside = time(timed, work_, num_tests_);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
      std::printf(
          "{\"way\": \"%s\", \"algorithm\": \"%s\", \"work_us\": %.6g, \"alone_us\": %.6g, "
          "\"beside_us\": %.6g}\n",
          way,
          algorithm.c_str(),
          1e6 * work_,
          1e6 * alone,
          1e6 * beside
      );
    }
  }

  Call const& call_;
  int num_tests_;
  int count_ = 0;
  double work_ = 0;  ///< seconds
  espalier_conduit* conduit_ = nullptr;
  espalier_team* team_ = nullptr;
  Buffers at_;
};

}  // namespace
}  // namespace espalier::benchmarks

int main(int argc, char** argv) {
  using espalier::benchmarks::Call;
  MPI_Init(&argc, &argv);
  Call const* const call = argc > 4 ? espalier::benchmarks::find(argv[1]) : nullptr;
  if (call == nullptr) {
    std::fprintf(stderr, "usage: overlap_simulated <call> <bytes> <tests> <algorithm>...\n");
  } else {
    espalier::benchmarks::Comparison(*call, std::atol(argv[2]), std::atoi(argv[3]))
        .compare({argv + 4, argv + argc});
  }
  MPI_Finalize();
  return call == nullptr ? 2 : 0;
}
