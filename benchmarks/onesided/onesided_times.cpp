// SPDX-License-Identifier: Apache-2.0

/// @file
/// Times one-sided communication beside that of the MPI library, in turns:
/// `onesided_times <node, rma or ucx> <samples> <most bytes> <seconds> [most actions of a sample]`.
/// Each collective and size is tuned for so many seconds. Rank 0 prints a line of JSON for each
/// comparison and size, with the medians of both, and the median and quartiles of ours / theirs.
/// The exit code is 3 for a conduit that this build lacks.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "include/espalier_onesided.h"
#include "include/espalier_planned.h"

#include <mpi.h>

#include "benchmarks/onesided/puts.hpp"
#include "benchmarks/onesided/stopwatch.hpp"
#include "benchmarks/onesided/team_requests.hpp"
#include "espalier/capi/onesided/conduit_object.hpp"
#include "espalier/onesided/transports/transports.hpp"

namespace espalier::benchmarks {
namespace {

/// What is compared: how ours is planned, and what the library calls it.
struct Kind {
  std::string name;
  char const* algorithm;  ///< where both of ours take the same
  std::uint64_t element_bytes;
  std::string function;
  std::string started_function;
  void (*call)(Buffers const& at, int count);
  MPI_Request (*start)(Buffers const& at, int count);
  Request (*plan_messages)(Buffers const& at, int count, espalier_planned_options const& options);
  Request (*plan)(
      Buffers const& at, int count, espalier_team* team, espalier_onesided_options const& options
  );
};

Kind const broadcast{
    .name = "broadcast",
    .algorithm = "bcast/binomial",
    .element_bytes = 1,
    .function = "MPI_Bcast",
    .started_function = "MPI_Ibcast",
    .call = [](Buffers const& at,
               int count) { MPI_Bcast(at.output, count, MPI_BYTE, 0, MPI_COMM_WORLD); },
    .start =
        [](Buffers const& at, int count) {
          MPI_Request request = MPI_REQUEST_NULL;
          MPI_Ibcast(at.output, count, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
          return request;
        },
    .plan_messages =
        [](Buffers const& at, int count, espalier_planned_options const& options) {
          espalier_request* request = nullptr;
          espalier_bcast_init(at.output, count, MPI_BYTE, 0, MPI_COMM_WORLD, &options, &request);
          return Request(request);
        },
    .plan =
        [](Buffers const& at,
           int count,
           espalier_team* team,
           espalier_onesided_options const& options) {
          espalier_request* request = nullptr;
          espalier_team_bcast_init(at.output, count, MPI_BYTE, 0, team, &options, &request);
          return Request(request);
        },
};

Kind const sum{
    .name = "sum",
    .algorithm = "allreduce/recursive_doubling",
    .element_bytes = sizeof(double),
    .function = "MPI_Allreduce",
    .started_function = "MPI_Iallreduce",
    .call = [](Buffers const& at, int count
            ) { MPI_Allreduce(at.input, at.output, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); },
    .start =
        [](Buffers const& at, int count) {
          MPI_Request request = MPI_REQUEST_NULL;
          MPI_Iallreduce(at.input, at.output, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
          return request;
        },
    .plan_messages =
        [](Buffers const& at, int count, espalier_planned_options const& options) {
          espalier_request* request = nullptr;
          espalier_allreduce_init(
              at.input, at.output, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options, &request
          );
          return Request(request);
        },
    .plan =
        [](Buffers const& at,
           int count,
           espalier_team* team,
           espalier_onesided_options const& options) {
          espalier_request* request = nullptr;
          espalier_team_allreduce_init(
              at.input, at.output, count, MPI_DOUBLE, MPI_SUM, team, &options, &request
          );
          return Request(request);
        },
};

/// Broadcasts from rank 0, and sums for all, of a team: strict, loose, and many underway. Beside
/// the library they are what the team chooses, after it was tuned; beside ours by messages
/// (espalier_planned.h) both take one algorithm.
class Collectives {
public:
  Collectives(
      espalier_conduit* conduit,
      Stopwatch const& watch,
      std::uint64_t most_bytes,
      double tuning_seconds
  )
      : watch_(watch), tuning_seconds_(tuning_seconds) {
    espalier_team_create(conduit, MPI_COMM_WORLD, 0, &team_);
    at_.output = static_cast<std::byte*>(espalier_conduit_segment(conduit));
    at_.input = at_.output + most_bytes;
  }

  Collectives(Collectives const&) = delete;
  Collectives& operator=(Collectives const&) = delete;
  Collectives(Collectives&&) = delete;
  Collectives& operator=(Collectives&&) = delete;

  ~Collectives() { espalier_team_free(&team_); }

  void compare_all(Kind const& kind, std::uint64_t num_bytes) {
    auto const count = static_cast<int>(num_bytes / kind.element_bytes);
    compare_with_library(kind, num_bytes, count);
    compare_with_messages(kind, num_bytes, count);
  }

private:
  void compare_with_library(Kind const& kind, std::uint64_t num_bytes, int count) {
    Request const strict = tuned(kind, count, ESPALIER_ALLSYNC);
    Request const loose = tuned(kind, count, ESPALIER_NOSYNC);
    auto const library = [&] { kind.call(at_, count); };
    Compared const strictly{
        "strict " + kind.name, kind.function + " and MPI_Barrier", num_bytes, 1, chosen(strict)
    };
    watch_.compare(
        strictly,
        [&] { run(strict); },
        [&] {
          library();
          MPI_Barrier(MPI_COMM_WORLD);
        }
    );
    Compared const loosely{"loose " + kind.name, kind.function, num_bytes, 1, chosen(loose)};
    watch_.compare(loosely, [&] { run(loose); }, library);
    compare_many(kind, num_bytes, count);
  }

  /// These requests take what was found for the first one.
  void compare_many(Kind const& kind, std::uint64_t num_bytes, int count) {
    std::vector<Request> ours;
    for (int i = 0; i < num_in_flight; ++i) {
      ours.push_back(planned(kind, count, ESPALIER_NOSYNC, nullptr));
    }
    Compared const underway{
        kind.name + "s underway", kind.started_function, num_bytes, num_in_flight, chosen(ours[0])
    };
    watch_.compare(
        underway,
        [&] {
          for (Request const& request : ours) {
            espalier_request_start(request.get());
          }
          for (Request const& request : ours) {
            espalier_request_wait(request.get());
          }
        },
        [&] {
          std::vector<MPI_Request> requests(num_in_flight);
          for (MPI_Request& request : requests) {
            request = kind.start(at_, count);
          }
          MPI_Waitall(num_in_flight, requests.data(), MPI_STATUSES_IGNORE);
        }
    );
  }

  void compare_with_messages(Kind const& kind, std::uint64_t num_bytes, int count) {
    Request const strict = planned(kind, count, ESPALIER_ALLSYNC, kind.algorithm);
    Request const loose = planned(kind, count, ESPALIER_NOSYNC, kind.algorithm);
    espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
    options.algorithm = kind.algorithm;
    Request const messages = kind.plan_messages(at_, count, options);
    watch_.compare(
        {"loose " + kind.name, "two-sided", num_bytes}, [&] { run(loose); }, [&] { run(messages); }
    );
    watch_.compare(
        {"strict " + kind.name, "two-sided and MPI_Barrier", num_bytes},
        [&] { run(strict); },
        [&] {
          run(messages);
          MPI_Barrier(MPI_COMM_WORLD);
        }
    );
  }

  /// @param algorithm  null: what the team chooses
  [[nodiscard]] Request
  planned(Kind const& kind, int count, espalier_sync sync, char const* algorithm) const {
    espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
    options.in = sync;
    options.out = sync;
    options.algorithm = algorithm;
    return kind.plan(at_, count, team_, options);
  }

  [[nodiscard]] Request tuned(Kind const& kind, int count, espalier_sync sync) const {
    Request request = planned(kind, count, sync, nullptr);
    espalier_tuning_options tuning = ESPALIER_TUNING_OPTIONS_INIT;
    tuning.seconds = tuning_seconds_;
    espalier_request_tune(request.get(), &tuning);
    return request;
  }

  [[nodiscard]] static std::string chosen(Request const& request) {
    return std::string(espalier_request_algorithm(request.get())) + ", " +
           espalier_request_mechanism(request.get());
  }

  Stopwatch const& watch_;
  double tuning_seconds_;
  espalier_team* team_ = nullptr;
  Buffers at_;
};

struct Extent {
  int num_samples = 0;
  std::uint64_t most_bytes = 0;
  double tuning_seconds = 0;  ///< for each collective and size
  int most_actions = 0;       ///< of a sample
};

int measure(std::string const& transport, Extent const& extent) {
  constexpr int no_such_conduit = 3;
  if (onesided::find_transport(transport) == nullptr) {
    return no_such_conduit;
  }
  espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
  options.transport = transport.c_str();
  espalier_conduit* conduit = nullptr;
  espalier_conduit_attach(MPI_COMM_WORLD, 2 * extent.most_bytes, &options, &conduit);
  {
    Stopwatch const watch(*conduit->conduit, extent.num_samples, extent.most_actions);
    if (espalier_conduit_size(conduit) > 1) {
      Puts puts(*conduit->conduit, watch, extent.most_bytes);
      for (std::uint64_t bytes = 8; bytes <= extent.most_bytes; bytes *= 8) {
        puts.compare_all(bytes);
      }
    }
    Collectives collectives(conduit, watch, extent.most_bytes, extent.tuning_seconds);
    for (Kind const* const kind : {&broadcast, &sum}) {
      for (std::uint64_t bytes = 8; bytes <= extent.most_bytes; bytes *= 8) {
        collectives.compare_all(*kind, bytes);
      }
    }
  }
  espalier_conduit_detach(&conduit);
  return 0;
}

}  // namespace
}  // namespace espalier::benchmarks

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 2;
  bool const is_right = (argc == 5 || argc == 6) && std::atoi(argv[2]) > 0 &&
                        std::atoi(argv[3]) >= 8 && std::atof(argv[4]) > 0;
  if (is_right) {
    code = espalier::benchmarks::measure(
        argv[1],
        {
            .num_samples = std::atoi(argv[2]),
            .most_bytes = static_cast<std::uint64_t>(std::atoi(argv[3])),
            .tuning_seconds = std::atof(argv[4]),
            .most_actions = argc == 6 ? std::atoi(argv[5]) : 200,
        }
    );
  } else {
    std::fprintf(
        stderr, "usage: onesided_times <conduit> <samples> <bytes, from 8> <seconds> [actions]\n"
    );
  }
  MPI_Finalize();
  return code;
}
