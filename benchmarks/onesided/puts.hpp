// SPDX-License-Identifier: Apache-2.0

/// @file
/// Puts beside messages and puts of MPI.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <mpi.h>

#include "benchmarks/onesided/stopwatch.hpp"
#include "espalier/onesided/conduit.hpp"

namespace espalier::benchmarks {

/// A window of MPI beside the conduit.
class Window {
public:
  explicit Window(std::uint64_t num_bytes) {
    MPI_Win_allocate(
        static_cast<MPI_Aint>(num_bytes),
        1,
        MPI_INFO_NULL,
        MPI_COMM_WORLD,
        static_cast<void*>(&memory_),
        &window_
    );
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  }

  Window(Window const&) = delete;
  Window& operator=(Window const&) = delete;
  Window(Window&&) = delete;
  Window& operator=(Window&&) = delete;

  ~Window() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }

  void put(int rank, void const* from, int num_bytes) const {
    MPI_Put(from, num_bytes, MPI_BYTE, rank, 0, num_bytes, MPI_BYTE, window_);
  }

  void flush(int rank) const { MPI_Win_flush(rank, window_); }

private:
  void* memory_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

/// Rank 0 writes to the last rank, which polls meanwhile, in MPI and in the conduit.
class Puts {
public:
  Puts(Conduit& conduit, Stopwatch const& watch, std::uint64_t most_bytes)
      : conduit_(conduit), watch_(watch), target_(conduit.num_ranks() - 1), window_(most_bytes),
        data_(most_bytes) {}

  void compare_all(std::uint64_t num_bytes) {
    auto const count = static_cast<int>(num_bytes);
    Action const put = alone([this, num_bytes] {
      conduit_.put({.rank = target_, .offset = 0}, data_.data(), num_bytes);
    });
    Action const flood = alone([this, num_bytes] {
      for (int i = 0; i < num_in_flight; ++i) {
        conduit_.post_put({.rank = target_, .offset = 0}, data_.data(), num_bytes);
      }
      conduit_.fence();
    });
    watch_.compare({"put and ack", "MPI_Send and ack", num_bytes}, put, [this, count] {
      send(count, 1);
    });
    Action const mpi_put = alone([this, count] {
      window_.put(target_, data_.data(), count);
      window_.flush(target_);
    });
    watch_.compare({"put and ack", "MPI_Put and flush", num_bytes}, put, mpi_put);
    watch_.compare({"flood of puts", "MPI_Isend", num_bytes, num_in_flight}, flood, [this, count] {
      send(count, num_in_flight);
    });
    Action const mpi_flood = alone([this, count] {
      for (int i = 0; i < num_in_flight; ++i) {
        window_.put(target_, data_.data(), count);
      }
      window_.flush(target_);
    });
    watch_.compare({"flood of puts", "MPI_Put", num_bytes, num_in_flight}, flood, mpi_flood);
  }

private:
  /// Rank 0 acts; the others poll until the stopwatch lets them go on.
  Action alone(Action action) {
    return [this, action = std::move(action)] {
      if (conduit_.rank() == 0) {
        action();
      }
    };
  }

  /// So many messages from rank 0 to the last one, which answers when it has them all.
  void send(int num_bytes, int num_messages) {
    std::vector<MPI_Request> requests(static_cast<std::size_t>(num_messages), MPI_REQUEST_NULL);
    for (MPI_Request& request : requests) {
      if (conduit_.rank() == 0) {
        MPI_Isend(data_.data(), num_bytes, MPI_BYTE, target_, 0, MPI_COMM_WORLD, &request);
      } else if (conduit_.rank() == target_) {
        MPI_Irecv(data_.data(), num_bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
      }
    }
    MPI_Waitall(num_messages, requests.data(), MPI_STATUSES_IGNORE);
    if (conduit_.rank() == 0) {
      MPI_Recv(nullptr, 0, MPI_BYTE, target_, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (conduit_.rank() == target_) {
      MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
  }

  Conduit& conduit_;
  Stopwatch const& watch_;
  int target_;
  Window window_;
  std::vector<std::byte> data_;
};

}  // namespace espalier::benchmarks
