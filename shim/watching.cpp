// SPDX-License-Identifier: Apache-2.0

#include "shim/watching.hpp"

#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include <mpi.h>

#include "espalier/mpi/success.hpp"
#include "espalier/neighborhood/catalog.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/watch/board.hpp"
#include "espalier/watch/watcher.hpp"
#include "shim/forward.hpp"
#include "shim/report.hpp"

namespace espalier::shim {

constinit std::atomic<watch::Record*> watched_record{nullptr};

namespace {

struct Watch {
  watch::Board board;
  std::optional<watch::Watcher> watcher;
};

/// Never destroyed: other threads may be in calls when the process ends.
constinit Watch* active_watch = nullptr;

void start_thread(Watch& watch, plan::Settings const& settings, int rank) {
  try {
    watch.watcher.emplace(watch::Lookout(watch.board, rank, settings.watch), print_line);
  } catch (std::system_error const& error) {
    print_line(
        "ESPALIER_WATCH: rank " + std::to_string(rank) +
        " cannot watch itself, no thread: " + error.what()
    );
  }
}

}  // namespace

void start_watching(plan::Settings const& settings, plan::Session::World const& world) {
  if (!settings.watches()) {
    return;
  }
  auto watch = std::unique_ptr<Watch>(
      new Watch{.board{settings.watch_board, world.num_ranks, world.rank}, .watcher{}}
  );
  // Nobody needs the name when all have come, and nothing is left wherever the program ends.
  mpi::require_success(forward.barrier(to_handle(MPI_COMM_WORLD)), "MPI_Barrier");
  watch::Board::remove_name(settings.watch_board);
  active_watch = watch.release();
  watched_record.store(&active_watch->board.own(), std::memory_order_release);
  start_thread(*active_watch, settings, world.rank);
}

void stop_watching() noexcept {
  if (active_watch != nullptr) {
    active_watch->board.finish();
    if (active_watch->watcher) {
      active_watch->watcher->stop();
    }
  }
}

void WatchedCall::begin(
    plan::State* state, watch::What what, profile::Decision const* decision
) noexcept {
  if (state == nullptr) {
    return;
  }
  // A call that cannot be watched is no reason to fail.
  static_cast<void>(plan::guard([&] {
    plan::Watched& watched = state->watched();
    if (decision != nullptr && decision->choice) {
      what.algorithm = watched.text_of(*decision->choice);
    }
    call_ = std::make_unique<watch::Call>(*watched_record.load(), watched.members(), what);
    return MPI_SUCCESS;
  }));
}

void WatchedCall::begin(
    plan::State* state, plan::NeighborCall call, neighborhood::Algorithm const* algorithm
) noexcept {
  if (state == nullptr) {
    return;
  }
  static_cast<void>(plan::guard([&] {
    std::string const text = algorithm == nullptr ? "" : neighborhood::full_name(*algorithm);
    watch::What const what{.function = plan::function_name(call), .algorithm = text};
    call_ = std::make_unique<watch::Call>(*watched_record.load(), state->watched().members(), what);
    return MPI_SUCCESS;
  }));
}

}  // namespace espalier::shim
