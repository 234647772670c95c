// SPDX-License-Identifier: Apache-2.0

/// @file
/// Times one-sided communication beside that of the MPI library, in turns:
/// `onesided_times <node, rma or ucx> <samples> <most bytes> [most actions of a sample]`. Rank 0
/// prints a line of JSON for each comparison and size, with the medians of both, and the median and
/// quartiles of ours / theirs. The exit code is 3 for a conduit that this build lacks.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "include/espalier_planned.h"

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/capi/onesided/choices/member_nodes.hpp"
#include "espalier/capi/onesided/transports.hpp"
#include "espalier/exec/memory/private_memory.hpp"
#include "espalier/onesided/mpi/mpi_attachment.hpp"
#include "espalier/onesided/team/team.hpp"

namespace espalier::benchmarks {
namespace {

using onesided::Conduit;
using onesided::Handle;
using onesided::PlannedCollective;
using onesided::Team;
using onesided::Ticket;
using onesided::UserBuffers;
using onesided::UserPlaces;
using schedule::OneSidedForm;
using schedule::Sync;

using Action = std::function<void()>;

constexpr int num_in_flight = 16;
constexpr onesided::Region scratch{.offset = 0, .num_bytes = std::uint64_t{1} << 20U};
constexpr std::uint64_t output_at = scratch.num_bytes;

struct Compared {
  std::string what;
  std::string theirs;
  std::uint64_t num_bytes = 0;
  int num_calls = 1;  ///< of one action: times are those of one call
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
          "\"theirs_us\": %.4f, \"ratio\": %.3f, \"ratio_low\": %.3f, \"ratio_high\": %.3f}\n",
          what.what.c_str(),
          what.theirs.c_str(),
          static_cast<unsigned long long>(what.num_bytes),
          ours,
          theirs,
          quantile(ratios, 0.5),
          quantile(ratios, 0.25),
          quantile(ratios, 0.75)
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
      conduit_.put({.rank = target_, .offset = output_at}, data_.data(), num_bytes);
    });
    Action const flood = alone([this, num_bytes] {
      for (int i = 0; i < num_in_flight; ++i) {
        conduit_.post_put({.rank = target_, .offset = output_at}, data_.data(), num_bytes);
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

/// What is compared: how ours is planned, and what the library calls it.
struct Kind {
  std::string name;
  schedule::Collective collective;
  std::string algorithm;
  std::uint64_t element_bytes;
  std::string function;
  std::string started_function;
  void (*call)(void* input, void* output, int count);
  MPI_Request (*start)(void* input, void* output, int count);
  espalier_request* (*plan)(void* input, void* output, int count);
};

espalier_planned_options with(char const* algorithm) {
  espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
  options.algorithm = algorithm;
  return options;
}

Kind const broadcast{
    .name = "broadcast",
    .collective = schedule::Collective::bcast,
    .algorithm = "bcast/binomial",
    .element_bytes = 1,
    .function = "MPI_Bcast",
    .started_function = "MPI_Ibcast",
    .call = [](void* /*input*/, void* output, int count
            ) { MPI_Bcast(output, count, MPI_BYTE, 0, MPI_COMM_WORLD); },
    .start =
        [](void* /*input*/, void* output, int count) {
          MPI_Request request = MPI_REQUEST_NULL;
          MPI_Ibcast(output, count, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
          return request;
        },
    .plan =
        [](void* /*input*/, void* output, int count) {
          espalier_request* request = nullptr;
          espalier_planned_options const options = with("bcast/binomial");
          espalier_bcast_init(output, count, MPI_BYTE, 0, MPI_COMM_WORLD, &options, &request);
          return request;
        },
};

Kind const sum{
    .name = "sum",
    .collective = schedule::Collective::allreduce,
    .algorithm = "allreduce/recursive_doubling",
    .element_bytes = sizeof(double),
    .function = "MPI_Allreduce",
    .started_function = "MPI_Iallreduce",
    .call = [](void* input, void* output, int count
            ) { MPI_Allreduce(input, output, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); },
    .start =
        [](void* input, void* output, int count) {
          MPI_Request request = MPI_REQUEST_NULL;
          MPI_Iallreduce(input, output, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
          return request;
        },
    .plan =
        [](void* input, void* output, int count) {
          espalier_request* request = nullptr;
          espalier_planned_options const options = with("allreduce/recursive_doubling");
          espalier_allreduce_init(
              input, output, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options, &request
          );
          return request;
        },
};

/// Broadcasts from rank 0, and sums for all, of a team: strict, loose, and many underway. Beside
/// them what the library does, and the same algorithm with messages (espalier_planned.h).
class Collectives {
public:
  Collectives(Conduit& conduit, Stopwatch const& watch, std::uint64_t most_bytes)
      : conduit_(conduit), watch_(watch), team_(conduit, all(conduit), scratch),
        places_(
            team_.members().size(), UserPlaces{.input = input_at(most_bytes), .output = output_at}
        ),
        input_at_(input_at(most_bytes)), nodes_(nodes()) {}

  static std::uint64_t input_at(std::uint64_t most_bytes) { return output_at + most_bytes; }

  void compare_all(Kind const& kind, std::uint64_t num_bytes) {
    auto const strict = planned(kind, num_bytes, Sync::allsync);
    auto const loose = planned(kind, num_bytes, Sync::nosync);
    auto const count = static_cast<int>(num_bytes / kind.element_bytes);
    auto const library = [&] { kind.call(input(), output(), count); };
    watch_.compare(
        {"strict " + kind.name, kind.function + " and MPI_Barrier", num_bytes},
        [&] { run(strict); },
        [&] {
          library();
          MPI_Barrier(MPI_COMM_WORLD);
        }
    );
    watch_.compare({"loose " + kind.name, kind.function, num_bytes}, [&] { run(loose); }, library);
    espalier_request* messages = kind.plan(input(), output(), count);
    auto const two_sided = [&] {
      espalier_request_start(messages);
      espalier_request_wait(messages);
    };
    watch_.compare({"loose " + kind.name, "two-sided", num_bytes}, [&] { run(loose); }, two_sided);
    watch_.compare(
        {"strict " + kind.name, "two-sided and MPI_Barrier", num_bytes},
        [&] { run(strict); },
        [&] {
          two_sided();
          MPI_Barrier(MPI_COMM_WORLD);
        }
    );
    espalier_request_free(&messages);
    watch_.compare(
        {kind.name + "s underway", kind.started_function, num_bytes, num_in_flight},
        [&] { run_many(loose); },
        [&] {
          std::vector<MPI_Request> requests(num_in_flight);
          for (MPI_Request& request : requests) {
            request = kind.start(input(), output(), count);
          }
          MPI_Waitall(num_in_flight, requests.data(), MPI_STATUSES_IGNORE);
        }
    );
  }

private:
  using Planned = std::shared_ptr<PlannedCollective const>;

  static std::vector<int> all(Conduit const& conduit) {
    std::vector<int> ranks;
    for (int rank = 0; rank < conduit.num_ranks(); ++rank) {
      ranks.push_back(rank);
    }
    return ranks;
  }

  /// As teams of espalier_onesided.h know them.
  static std::vector<int> nodes() {
    std::vector<int> const nodes = onesided::nodes_of_ranks(MPI_COMM_WORLD);
    std::vector<int> members(nodes.size());
    std::iota(members.begin(), members.end(), 0);
    return capi::member_nodes(nodes, members);
  }

  [[nodiscard]] std::byte* input() const { return conduit_.segment().data() + input_at_; }

  [[nodiscard]] std::byte* output() const { return conduit_.segment().data() + output_at; }

  [[nodiscard]] Planned planned(Kind const& kind, std::uint64_t num_bytes, Sync sync) const {
    auto const choice = algorithms::Choice::parse(kind.algorithm);
    int const p = team_.num_ranks();
    OneSidedForm const form{.mode = {.in = sync, .out = sync}, .node_of_rank = nodes_};
    auto const program_of = [&](int rank) {
      return exec::as_called(choice.generate(p, 0, rank), kind.collective, 0, false);
    };
    int const num_blocks = program_of(0).frame.num_output_blocks;
    auto const count = static_cast<std::int64_t>(num_bytes / kind.element_bytes);
    auto const element = static_cast<std::int64_t>(kind.element_bytes);
    auto const layout = exec::Layout::uniform(1, count, element).divided(num_blocks);
    return std::make_shared<PlannedCollective const>(
        p,
        team_.rank(),
        program_of,
        form,
        [&](int /*rank*/) -> exec::Layout const& { return layout; },
        add
    );
  }

  static void add(std::byte const* source, std::byte* destination, std::int64_t num_elements) {
    MPI_Reduce_local(source, destination, static_cast<int>(num_elements), MPI_DOUBLE, MPI_SUM);
  }

  [[nodiscard]] Ticket started(Planned const& planned) {
    UserBuffers buffers;
    buffers.input = input();
    buffers.output = output();
    return team_.start(planned, buffers, places_);
  }

  void run(Planned const& planned) {
    Ticket ticket = started(planned);
    team_.wait(ticket);
  }

  void run_many(Planned const& planned) {
    tickets_.clear();
    for (int i = 0; i < num_in_flight; ++i) {
      tickets_.push_back(started(planned));
    }
    for (Ticket& ticket : tickets_) {
      team_.wait(ticket);
    }
  }

  Conduit& conduit_;
  Stopwatch const& watch_;
  Team team_;
  std::vector<UserPlaces> places_;
  std::uint64_t input_at_;
  std::vector<int> nodes_;
  std::vector<Ticket> tickets_;
};

int measure(
    std::string_view conduit_name, int num_samples, std::uint64_t most_bytes, int most_actions
) {
  constexpr int no_such_conduit = 3;
  capi::Transport const* const transport = capi::find_transport(conduit_name);
  if (transport == nullptr) {
    return no_such_conduit;
  }
  auto const conduit = transport->attach(MPI_COMM_WORLD, output_at + 2 * most_bytes, {});
  Stopwatch const watch(*conduit, num_samples, most_actions);
  if (conduit->num_ranks() > 1) {
    Puts puts(*conduit, watch, most_bytes);
    for (std::uint64_t num_bytes = 8; num_bytes <= most_bytes; num_bytes *= 8) {
      puts.compare_all(num_bytes);
    }
  }
  Collectives collectives(*conduit, watch, most_bytes);
  for (Kind const* const kind : {&broadcast, &sum}) {
    for (std::uint64_t num_bytes = 8; num_bytes <= most_bytes; num_bytes *= 8) {
      collectives.compare_all(*kind, num_bytes);
    }
  }
  return 0;
}

}  // namespace
}  // namespace espalier::benchmarks

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 2;
  bool const is_right =
      (argc == 4 || argc == 5) && std::atoi(argv[2]) > 0 && std::atoi(argv[3]) >= 8;
  if (is_right) {
    auto const most_bytes = static_cast<std::uint64_t>(std::atoi(argv[3]));
    int const most_actions = argc == 5 ? std::atoi(argv[4]) : 200;
    code = espalier::benchmarks::measure(argv[1], std::atoi(argv[2]), most_bytes, most_actions);
  } else {
    std::fprintf(stderr, "usage: onesided_times <conduit> <samples> <bytes, from 8> [actions]\n");
  }
  MPI_Finalize();
  return code;
}
