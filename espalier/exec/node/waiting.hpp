// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <sched.h>
#include <span>

namespace espalier::exec::node {

/// Whether ranks of a node have to share processors, so that whoever waits should let others run.
/// @param may_use  for each rank the processors that it may use
/// @param quota  processors' worth of time that all of them are granted; 0: no limit
[[nodiscard]] bool shares_processors(std::span<cpu_set_t const> may_use, double quota) noexcept;

/// How one wait passes: spin, then let other processes run, and in a job with more ranks than
/// processors sleep, for a small part of the time that passed already. Where each rank has
/// processors of its own nobody is let run before a wait is long. MPI is served in between.
class Patience {
public:
  explicit Patience(bool shares_processors) noexcept
      : spins_left_(shares_processors ? spins_if_shared : spins_at_first),
        shares_processors_(shares_processors) {}

  /// After a look that found nothing.
  /// @param serve_mpi  to be called now and then: others may wait for messages of this rank
  template <typename ServeMpi> void pause(ServeMpi&& serve_mpi) noexcept {
    if (--spins_left_ > 0) [[likely]] {
      relax();
      return;
    }
    serve_mpi();
    rest();
  }

private:
  /// About 20 us, as long as a message between nodes.
  static constexpr int spins_at_first = 500;
  static constexpr int spins_between = 100;
  static constexpr int spins_if_shared = 10;

  static void relax() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  void rest() noexcept;

  int spins_left_;
  bool shares_processors_;
  std::chrono::steady_clock::time_point start_{};  ///< of the time without a processor for long
};

}  // namespace espalier::exec::node
