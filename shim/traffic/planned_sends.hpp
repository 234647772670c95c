// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include <mpi.h>

namespace espalier::shim::traffic {

/// What a persistent request sends each time it is started.
struct PlannedSend {
  int rank = 0;  ///< of MPI_COMM_WORLD, negative outside
  std::int64_t bytes = 0;
};

/// Persistent requests that send, until they are freed. Threads may call it at once.
class PlannedSends {
public:
  void add(MPI_Request request, PlannedSend send) {
    std::scoped_lock const lock(mutex_);
    sends_.insert_or_assign(request, send);
  }

  void remove(MPI_Request request) {
    std::scoped_lock const lock(mutex_);
    sends_.erase(request);
  }

  /// @return nothing for requests that receive.
  [[nodiscard]] std::optional<PlannedSend> find(MPI_Request request) {
    std::scoped_lock const lock(mutex_);
    auto const found = sends_.find(request);
    return found == sends_.end() ? std::nullopt : std::optional(found->second);
  }

private:
  std::mutex mutex_;
  std::unordered_map<MPI_Request, PlannedSend> sends_;
};

}  // namespace espalier::shim::traffic
