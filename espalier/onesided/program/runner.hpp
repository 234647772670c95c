// SPDX-License-Identifier: Apache-2.0

/// @file
/// What carries out a collective on one rank, and where its buffers are.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace espalier::onesided {

/// Where the buffers of the user of a rank lie in its segment.
struct UserPlaces {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
};

/// Where scratch memory and counters of a run lie in the segments of all ranks.
struct RunPlaces {
  std::uint64_t scratch = 0;   ///< BoundProgram::scratch_bytes of it
  std::uint64_t counters = 0;  ///< RankProgram::num_counters() times counter_bytes
};

/// The buffers of the user on this rank. If others reach them they lie in the segment.
struct UserBuffers {
  std::byte const* input = nullptr;
  std::byte* output = nullptr;
};

/// The part of one rank in a collective, made once and run any number of times, one run after
/// another.
class Runner {
public:
  Runner() = default;
  Runner(Runner const&) = delete;
  Runner& operator=(Runner const&) = delete;
  Runner(Runner&&) = delete;
  Runner& operator=(Runner&&) = delete;
  virtual ~Runner() = default;

  /// Begins a run, and starts what may start.
  /// @param all  by rank, until the run is over; empty if nobody knows the addresses of others
  ///     (schedule::AddressMode::local)
  /// @param run  what the run has of the scratch space, if the collective needs any
  virtual void start(UserBuffers const& own, std::span<UserPlaces const> all, RunPlaces run) = 0;
  /// Moves the run on without polling the conduit, and waits for nobody. True when it is over.
  virtual bool advance() = 0;
};

}  // namespace espalier::onesided
