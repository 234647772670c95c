// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mpi.h>

#include "espalier/onesided/remote.hpp"

namespace espalier::onesided {

/// Segments as a window of MPI, open to all ranks from the begin to the end.
class MpiWindow {
public:
  /// Collective. All segments are 0, and aligned to cache lines.
  /// @throws Error mpi, as do all that follow.
  MpiWindow(MPI_Comm comm, std::uint64_t segment_bytes);
  MpiWindow(MpiWindow const&) = delete;
  MpiWindow& operator=(MpiWindow const&) = delete;
  MpiWindow(MpiWindow&&) = delete;
  MpiWindow& operator=(MpiWindow&&) = delete;
  /// Collective; waits for what is underway.
  ~MpiWindow();

  [[nodiscard]] std::byte* segment() const noexcept { return segment_; }

  /// Starts a put, over here when the request is, and there after a flush; and a get.
  /// MPI_REQUEST_NULL for more bytes than one request can have: then it is over.
  [[nodiscard]] MPI_Request put(Remote to, void const* from, std::size_t num_bytes);
  [[nodiscard]] MPI_Request get(void* to, Remote from, std::size_t num_bytes);

  /// The same, over after a flush.
  void post_put(Remote to, void const* from, std::size_t num_bytes);
  void post_get(void* to, Remote from, std::size_t num_bytes);

  /// Waits for all that was started: to one rank, or to all.
  void flush(int rank);
  void flush_all();

  /// How many operations that need a flush were started: puts, and gets that were posted. Those
  /// whose number is at most flushed() are over.
  [[nodiscard]] std::uint64_t started(int rank) const {
    return started_[static_cast<std::size_t>(rank)];
  }

  [[nodiscard]] std::uint64_t flushed(int rank) const {
    return flushed_[static_cast<std::size_t>(rank)];
  }

  /// Makes what others put visible to loads, and stores visible to their gets.
  void sync();

private:
  [[nodiscard]] MPI_Aint place(Remote remote) const;

  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* segment_ = nullptr;
  std::vector<std::uint64_t> shifts_;   ///< of segments in the memory of MPI, by rank
  std::vector<std::uint64_t> started_;  ///< by rank
  std::vector<std::uint64_t> flushed_;
};

}  // namespace espalier::onesided
