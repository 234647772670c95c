// SPDX-License-Identifier: Apache-2.0

/// @file
/// Persistent collectives of this process, by the handles that the program has.
///
/// Such a handle is a persistent request of the MPI library: to receive nothing from this rank
/// itself, on a communicator of ours. The MPI library starts the receive, and we start the schedule
/// beside it; at the end of the schedule we send the message. So everything that completes requests
/// does so natively, in any mix with other requests.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <mpi.h>

#include "espalier/plan/clock.hpp"
#include "espalier/plan/communicators/planned_call.hpp"
#include "espalier/plan/communicators/started_calls.hpp"
#include "espalier/plan/notes.hpp"
#include "espalier/plan/settings/recorder.hpp"
#include "espalier/plan/settings/statistics.hpp"

namespace espalier::plan {

/// How the starts of a request are counted.
struct CountedStarts {
  CommunicatorClass communicator;
  Recorder::Row row;       ///< with what was counted so far
  std::int64_t bytes = 0;  ///< that one start counts
  Notes* notes = nullptr;  ///< told in the end, not owned
};

class PlannedRequest;

class PlannedRequests {
public:
  /// Before MPI_Finalize: there are none any more. Requests are left to the program, which may free
  /// them when MPI_COMM_SELF loses its attributes, and to the MPI library. Local.
  static void close() noexcept;

  /// Whether there is any. Local, at any time.
  [[nodiscard]] static bool is_any() noexcept {
    return num_requests.load(std::memory_order_relaxed) != 0;
  }

  /// Makes a request, which is inactive. Local.
  /// @param slot  of `calls`, which is free again when the request is
  /// @throws Error mpi.
  [[nodiscard]] static MPI_Request
  add(BoundCall bound, std::shared_ptr<StartedCalls> calls, int slot);

  /// From now on starts of the request are counted, which may be one of the MPI library. Local.
  static void count(MPI_Request request, CountedStarts starts);

  /// Whether a request is one of add(). Local, at any time.
  [[nodiscard]] static bool serves(MPI_Request request) noexcept;

  /// Whether the schedule of one of these is underway. Local, at any time.
  [[nodiscard]] static bool is_underway(std::span<MPI_Request const> requests) noexcept;

  /// Starts the schedules of those requests that the MPI library just started. Local. Allocates
  /// nothing, takes no lock but the Turn.
  /// @param begin  of that call
  static void launch(std::span<MPI_Request const> requests, Clock::time_point begin) noexcept;

  /// The program frees a request; the caller tells the MPI library. One that is underway goes on to
  /// its end. Local.
  static void forget(MPI_Request request) noexcept;

  /// Adds what was counted of those that live. No other thread may be in a call.
  static void report(Totals& totals);

private:
  /// Takes one away. Within a Turn.
  static void drop(PlannedRequest* request) noexcept;
  /// The MPI library has freed those that ended with an error. Local.
  static void forget_failed() noexcept;

  static constinit std::atomic<std::size_t> num_requests;
};

}  // namespace espalier::plan
