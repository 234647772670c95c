// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstdint>

namespace espalier::plan {

/// What became of nonblocking calls after their start.
struct Completed {
  std::uint64_t count = 0;      ///< calls that are complete
  std::uint64_t num_tests = 0;  ///< calls of MPI_Test and the like that left one incomplete
  double waiting_seconds = 0;   ///< in functions that complete requests, MPI_Test too
  double work_seconds = 0;      ///< from the start to the completion, outside of these functions

  void add(Completed const& other) noexcept {
    count += other.count;
    num_tests += other.num_tests;
    waiting_seconds += other.waiting_seconds;
    work_seconds += other.work_seconds;
  }

  friend bool operator==(Completed const&, Completed const&) = default;
};

/// The same while it is counted. Any thread may use it at any time, as a request may be completed
/// by another thread than the one that started it.
class Completions {
public:
  void add(Completed const& one) noexcept {
    count_.fetch_add(one.count, std::memory_order_relaxed);
    num_tests_.fetch_add(one.num_tests, std::memory_order_relaxed);
    waiting_seconds_.fetch_add(one.waiting_seconds, std::memory_order_relaxed);
    work_seconds_.fetch_add(one.work_seconds, std::memory_order_relaxed);
  }

  [[nodiscard]] Completed so_far() const noexcept {
    return {
        .count = count_.load(std::memory_order_relaxed),
        .num_tests = num_tests_.load(std::memory_order_relaxed),
        .waiting_seconds = waiting_seconds_.load(std::memory_order_relaxed),
        .work_seconds = work_seconds_.load(std::memory_order_relaxed),
    };
  }

private:
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> num_tests_{0};
  std::atomic<double> waiting_seconds_{0};
  std::atomic<double> work_seconds_{0};
};

}  // namespace espalier::plan
