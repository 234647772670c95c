// SPDX-License-Identifier: Apache-2.0

/// @file
/// What rank 0 takes for one-sided communication with rank 1 on a simulated machine: rank 0 prints
/// a name and seconds in each line. `onesided_simulated_times <bytes>`

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <simgrid/s4u.hpp>

#include <mpi.h>

#include "espalier/onesided/simulated/simulated_conduit.hpp"

namespace espalier::onesided {
namespace {

constexpr int num_barriers = 10;

/// By the slowest of the two: when rank 0 has begun, rank 1 is there.
template <typename Action> void time(Conduit& conduit, char const* name, Action&& action) {
  conduit.barrier();
  PMPI_Barrier(MPI_COMM_WORLD);
  simgrid::s4u::this_actor::sleep_until(2e-3 + simgrid::s4u::Engine::get_clock());
  double const start = simgrid::s4u::Engine::get_clock();
  action();
  if (conduit.rank() == 0) {
    std::printf("%s %.12g\n", name, simgrid::s4u::Engine::get_clock() - start);
  }
}

template <typename Action> void time_rank_0(Conduit& conduit, char const* name, Action&& action) {
  time(conduit, name, [&] {
    if (conduit.rank() == 0) {
      action();
    }
  });
}

void run(std::size_t num_bytes) {
  std::uint64_t const counter_at = num_bytes / 8 * 8 + 8;
  bool is_answered = false;
  std::vector<Handler> handlers{
      [](Message& message) { message.reply_short(1); },
      [&](Message&) { is_answered = true; },
  };
  auto const conduit = attach_simulated(MPI_COMM_WORLD, counter_at + 16, std::move(handlers));
  std::vector<std::byte> data(num_bytes);
  time_rank_0(*conduit, "put", [&] { conduit->put({.rank = 1}, data.data(), num_bytes); });
  time_rank_0(*conduit, "get", [&] { conduit->get(data.data(), {.rank = 1}, num_bytes); });
  time_rank_0(*conduit, "own_put", [&] { conduit->put({.rank = 0}, data.data(), num_bytes); });
  // There and back: each waits for the counter of the other.
  time(*conduit, "raising_puts", [&] {
    int const peer = 1 - conduit->rank();
    if (conduit->rank() == 1) {
      conduit->await(counter_at, 1);
    }
    Handle put =
        conduit->start_put_raising({.rank = peer}, data.data(), num_bytes, {.offset = counter_at});
    if (conduit->rank() == 0) {
      conduit->await(counter_at, 1);
    }
    conduit->wait(put);
  });
  time(*conduit, "signals", [&] {
    int const peer = 1 - conduit->rank();
    if (conduit->rank() == 1) {
      conduit->await(counter_at + 8, 1);
    }
    conduit->signal({.rank = peer, .offset = counter_at + 8});
    if (conduit->rank() == 0) {
      conduit->await(counter_at + 8, 1);
    }
  });
  time(*conduit, "messages", [&] {
    if (conduit->rank() == 0) {
      conduit->send_short(1, 0);
      conduit->wait_until([&] { return is_answered; });
    }
    conduit->barrier();
  });
  time(*conduit, "barriers", [&] {
    for (int i = 0; i < num_barriers; ++i) {
      conduit->barrier();
    }
  });
}

}  // namespace
}  // namespace espalier::onesided

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  espalier::onesided::run(static_cast<std::size_t>(std::atol(argv[1])));
  MPI_Finalize();
  return 0;
}
