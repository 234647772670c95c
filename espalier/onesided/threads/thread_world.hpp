// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "espalier/onesided/memory/memory_conduit.hpp"
#include "espalier/onesided/threads/shadow.hpp"

namespace espalier::onesided {

/// How the ranks of a ThreadWorld communicate.
struct ThreadOptions {
  std::vector<std::uint64_t> segment_bytes;  ///< by rank
  std::size_t num_handlers = 0;              ///< that each rank attaches with
  bool is_checked = false;                   ///< accesses that nothing orders are errors
};

/// Ranks that are threads of one process: for tests, and to find what is wrong with a program.
class ThreadWorld {
public:
  explicit ThreadWorld(ThreadOptions options);

  /// The conduit of one rank, for the thread that is this rank; once a rank. The world must outlive
  /// it. Waits for nobody.
  /// @throws Error argument.
  [[nodiscard]] std::unique_ptr<Conduit> attach(int rank, std::vector<Handler> handlers);

  /// A rank will not come any more: all that wait, or will, throw Error unsupported.
  void stop() noexcept { is_stopped_.store(true, std::memory_order_release); }

private:
  friend class ThreadConduit;

  /// Memory of its own for each thing, so that sanitizers see what runs over.
  struct Freed {
    void operator()(std::byte* memory) const noexcept;
  };

  using Memory = std::unique_ptr<std::byte, Freed>;

  static Memory allocate(std::size_t num_bytes);
  [[nodiscard]] SharedView view();

  ThreadOptions options_;
  PostShape shape_;
  std::vector<Memory> areas_;
  std::vector<Memory> segments_;
  Memory arrivals_;
  Memory departures_;
  std::vector<bool> is_attached_;
  std::mutex mutex_;
  std::atomic<bool> is_stopped_ = false;
  std::optional<Shadow> shadow_;
};

}  // namespace espalier::onesided
