// SPDX-License-Identifier: Apache-2.0

/// @file
/// Times one-sided communication beside that of the MPI library, in turns:
/// `onesided_times <node, rma or ucx> <samples> <most bytes> <seconds> [most actions of a sample]`.
/// Each collective and size is tuned for so many seconds. Rank 0 prints a line of JSON for each
/// comparison and size, with the medians of both, and the median and quartiles of ours / theirs.
/// The exit code is 3 for a conduit that this build lacks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "include/espalier_onesided.h"
#include "include/espalier_planned.h"

#include <mpi.h>

#include "espalier/capi/onesided/conduit_object.hpp"
#include "espalier/capi/onesided/transports.hpp"
#include "espalier/onesided/conduit.hpp"

namespace espalier::benchmarks {
namespace {

using onesided::Conduit;

using Action = std::function<void()>;

constexpr int num_in_flight = 16;

struct Compared {
  std::string what;
  std::string theirs;
  std::uint64_t num_bytes = 0;
  int num_calls = 1;   ///< of one action: times are those of one call
  std::string chosen;  ///< algorithm and mechanism; empty: nothing was to be chosen
};

/// A barrier of MPI in which ranks poll: puts of others may need that.
void meet(Conduit& conduit) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int is_over = 0; is_over == 0; MPI_Test(&request, &is_over, MPI_STATUS_IGNORE)) {
    conduit.poll();
  }
}

/// Microseconds of one call, on the slowest rank.
double sample(Conduit& conduit, Action const& action, int num_actions, int num_calls) {
  meet(conduit);
  double const start = MPI_Wtime();
  for (int i = 0; i < num_actions; ++i) {
    action();
  }
  double time = (MPI_Wtime() - start) * 1e6 / num_actions / num_calls;
  meet(conduit);
  MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return time;
}

double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

class Stopwatch {
public:
  Stopwatch(Conduit& conduit, int num_samples, int most_actions)
      : conduit_(conduit), num_samples_(num_samples), most_actions_(most_actions) {}

  void compare(Compared const& what, Action const& ours, Action const& theirs) const {
    constexpr int warm_up = 3;
    int const num_calls = std::min(most_actions_, what.num_bytes <= 4096 ? 200 : 40);
    int const num_actions = std::max(2, num_calls / what.num_calls);
    std::vector<double> our_times;
    std::vector<double> their_times;
    std::vector<double> ratios;
    for (int i = -warm_up; i < num_samples_; ++i) {
      double first = sample(conduit_, i % 2 == 0 ? ours : theirs, num_actions, what.num_calls);
      double second = sample(conduit_, i % 2 == 0 ? theirs : ours, num_actions, what.num_calls);
      if (i % 2 != 0) {
        std::swap(first, second);
      }
      if (i >= 0) {
        our_times.push_back(first);
        their_times.push_back(second);
        ratios.push_back(first / second);
      }
    }
    print(what, quantile(our_times, 0.5), quantile(their_times, 0.5), ratios);
  }

private:
  static void
  print(Compared const& what, double ours, double theirs, std::vector<double> const& ratios) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
      std::printf(
          "{\"what\": \"%s\", \"theirs\": \"%s\", \"bytes\": %llu, \"ours_us\": %.4f, "
          "\"theirs_us\": %.4f, \"ratio\": %.3f, \"ratio_low\": %.3f, \"ratio_high\": %.3f, "
          "\"chosen\": \"%s\"}\n",
          what.what.c_str(),
          what.theirs.c_str(),
          static_cast<unsigned long long>(what.num_bytes),
          ours,
          theirs,
          quantile(ratios, 0.5),
          quantile(ratios, 0.25),
          quantile(ratios, 0.75),
          what.chosen.c_str()
      );
      std::fflush(stdout);
    }
  }

  Conduit& conduit_;
  int num_samples_;
  int most_actions_;
};

/// A window of MPI beside the conduit.
class Window {
public:
  explicit Window(std::uint64_t num_bytes) {
    MPI_Win_allocate(
        static_cast<MPI_Aint>(num_bytes),
        1,
        MPI_INFO_NULL,
        MPI_COMM_WORLD,
        static_cast<void*>(&memory_),
        &window_
    );
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  }

  Window(Window const&) = delete;
  Window& operator=(Window const&) = delete;
  Window(Window&&) = delete;
  Window& operator=(Window&&) = delete;

  ~Window() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }

  void put(int rank, void const* from, int num_bytes) const {
    MPI_Put(from, num_bytes, MPI_BYTE, rank, 0, num_bytes, MPI_BYTE, window_);
  }

  void flush(int rank) const { MPI_Win_flush(rank, window_); }

private:
  void* memory_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

/// Rank 0 writes to the last rank, which polls meanwhile, in MPI and in the conduit.
class Puts {
public:
  Puts(Conduit& conduit, Stopwatch const& watch, std::uint64_t most_bytes)
      : conduit_(conduit), watch_(watch), target_(conduit.num_ranks() - 1), window_(most_bytes),
        data_(most_bytes) {}

  void compare_all(std::uint64_t num_bytes) {
    auto const count = static_cast<int>(num_bytes);
    Action const put = alone([this, num_bytes] {
      conduit_.put({.rank = target_, .offset = 0}, data_.data(), num_bytes);
    });
    Action const flood = alone([this, num_bytes] {
      for (int i = 0; i < num_in_flight; ++i) {
        conduit_.post_put({.rank = target_, .offset = 0}, data_.data(), num_bytes);
      }
      conduit_.fence();
    });
    watch_.compare({"put and ack", "MPI_Send and ack", num_bytes}, put, [this, count] {
      send(count, 1);
    });
    Action const mpi_put = alone([this, count] {
      window_.put(target_, data_.data(), count);
      window_.flush(target_);
    });
    watch_.compare({"put and ack", "MPI_Put and flush", num_bytes}, put, mpi_put);
    watch_.compare({"flood of puts", "MPI_Isend", num_bytes, num_in_flight}, flood, [this, count] {
      send(count, num_in_flight);
    });
    Action const mpi_flood = alone([this, count] {
      for (int i = 0; i < num_in_flight; ++i) {
        window_.put(target_, data_.data(), count);
      }
      window_.flush(target_);
    });
    watch_.compare({"flood of puts", "MPI_Put", num_bytes, num_in_flight}, flood, mpi_flood);
  }

private:
  /// Rank 0 acts; the others poll until the stopwatch lets them go on.
  Action alone(Action action) {
    return [this, action = std::move(action)] {
      if (conduit_.rank() == 0) {
        action();
      }
    };
  }

  /// So many messages from rank 0 to the last one, which answers when it has them all.
  void send(int num_bytes, int num_messages) {
    std::vector<MPI_Request> requests(static_cast<std::size_t>(num_messages), MPI_REQUEST_NULL);
    for (MPI_Request& request : requests) {
      if (conduit_.rank() == 0) {
        MPI_Isend(data_.data(), num_bytes, MPI_BYTE, target_, 0, MPI_COMM_WORLD, &request);
      } else if (conduit_.rank() == target_) {
        MPI_Irecv(data_.data(), num_bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
      }
    }
    MPI_Waitall(num_messages, requests.data(), MPI_STATUSES_IGNORE);
    if (conduit_.rank() == 0) {
      MPI_Recv(nullptr, 0, MPI_BYTE, target_, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (conduit_.rank() == target_) {
      MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
  }

  Conduit& conduit_;
  Stopwatch const& watch_;
  int target_;
  Window window_;
  std::vector<std::byte> data_;
};

using Request = std::unique_ptr<espalier_request, decltype([](espalier_request* request) {
                                  espalier_request_free(&request);
                                })>;

/// Memory of a collective, at the same places of all segments.
struct Buffers {
  std::byte* input = nullptr;
  std::byte* output = nullptr;
};

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

void run(Request const& request) {
  espalier_request_start(request.get());
  espalier_request_wait(request.get());
}

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
  if (capi::find_transport(transport) == nullptr) {
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
