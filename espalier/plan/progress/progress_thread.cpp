// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/progress/progress_thread.hpp"

#include <cstdint>
#include <sys/prctl.h>

#include "espalier/base/without_signals.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/mpi/unused_tag.hpp"
#include "espalier/plan/progress/look_interval.hpp"

namespace espalier::plan {
namespace {

/// Sleeps end when they should, not up to 50 microseconds later.
void sleep_exactly() noexcept {
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

}  // namespace

ProgressThread::ProgressThread(MPI_Comm comm) : comm_(comm) {
  mpi::require_success(PMPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  WithoutSignals const no_signals;
  thread_ = std::thread([this] { run(); });
}

ProgressThread::~ProgressThread() {
  stop();
}

void ProgressThread::stop() noexcept {
  is_stopping_.store(true);
  Underway::Bell::ring();
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else if (thread_.joinable()) {
    thread_.join();
  }
}

void ProgressThread::run() noexcept {
  sleep_exactly();
  LookInterval interval;
  while (!is_stopping_.load()) {
    std::uint32_t const num_rings = bell_.num_rings();
    if (Underway::is_any()) {
      look();
      auto const now = LookInterval::Clock::now();
      std::this_thread::sleep_for(interval.after_look(Underway::num_moves(), now));
    } else if (!is_stopping_.load()) {
      bell_.wait(num_rings);
    }
  }
}

// A probe that finds nothing makes one turn of the progress engine, which calls Underway::poll().
void ProgressThread::look() const noexcept {
  int is_there = 0;
  PMPI_Iprobe(rank_, mpi::unused_tag(), comm_, &is_there, MPI_STATUS_IGNORE);
}

}  // namespace espalier::plan
