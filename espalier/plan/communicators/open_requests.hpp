// SPDX-License-Identifier: Apache-2.0

/// @file
/// Nonblocking calls between their start and their completion, as statistics see them: how long the
/// program waits for them, and how long it does something else.
///
///     MPI_Iallreduce(..., &r);    start, counted where it is made
///     compute();                  work
///     MPI_Test(&r, &flag, ...);   waiting, and a test
///     compute();                  work
///     MPI_Wait(&r, ...);          waiting
///
/// Where several of these requests are completed by one call, each waits for its share of it.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <mpi.h>

#include "espalier/plan/clock.hpp"
#include "espalier/plan/settings/completions.hpp"

namespace espalier::plan {

/// Requests of this process, as functions that complete them know no communicator. They may be
/// those of the MPI library and our own. Any thread may use it at any time.
class OpenRequests {
public:
  /// Whether there is any. Local.
  [[nodiscard]] static bool is_any() noexcept {
    return num_requests.load(std::memory_order_relaxed) != 0;
  }

  /// A call was started just now. Local.
  /// @param counts, others  who count it; each may be null
  static void
  add(MPI_Request request,
      std::shared_ptr<Completions> counts,
      std::shared_ptr<Completions> others = nullptr);

  /// The counts of a row, as of Recorder, made on first use.
  template <typename Row> [[nodiscard]] static std::shared_ptr<Completions> counts_of(Row& row) {
    if (row.completions == nullptr) {
      row.completions = std::make_shared<Completions>();
    }
    return row.completions;
  }

  /// Forgets all: what still completes is not counted. Local.
  static void close() noexcept;

private:
  friend class Completing;

  static constinit std::atomic<std::size_t> num_requests;
};

/// One call of a function that completes requests. Made before the function is called.
class Completing {
public:
  /// @param requests  as the function is given them, and changes them. Not copied.
  explicit Completing(std::span<MPI_Request const> requests);

  /// After the function has returned.
  void end();

private:
  struct Found {
    std::size_t position;
    MPI_Request request;
    std::uint64_t number;  ///< of the call: another one may get the same request meanwhile
  };

  std::span<MPI_Request const> requests_;
  std::vector<Found> found_;
  Clock::time_point begin_;
};

}  // namespace espalier::plan
