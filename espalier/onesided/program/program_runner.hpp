// SPDX-License-Identifier: Apache-2.0

/// @file
/// Runs the one-sided program of a rank on a conduit: what the prover proved is what moves the
/// data, over any conduit.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/exec/memory/binding.hpp"
#include "espalier/exec/threads/byte_runs.hpp"
#include "espalier/exec/threads/program_progress.hpp"
#include "espalier/onesided/conduit.hpp"
#include "espalier/onesided/program/program_moves.hpp"

namespace espalier::onesided {

/// Where a rank keeps what others reach, as offsets in its segment. A program that knows no
/// addresses of others (schedule::AddressMode::local) reaches scratch and counters only.
struct SharedPlaces {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
  std::uint64_t scratch = 0;   ///< BoundProgram::scratch_bytes of it
  std::uint64_t counters = 0;  ///< RankProgram::num_counters() times counter_bytes
};

/// The buffers of the user on this rank. If others reach them they lie in the segment.
struct UserBuffers {
  std::byte const* input = nullptr;
  std::byte* output = nullptr;
};

/// The program of one rank, made once and run any number of times.
///
/// Counters are not reset: run n waits until they have been raised n times as often as the program
/// says. So one run must be over on all ranks that raise them before the next one begins on any,
/// as an allsync mode with a barrier between makes sure, or a place of its own for each run.
class ProgramRunner {
public:
  /// Refers to the conduit. The counters are those that no run has used.
  /// @param program  made by exec::bind_one_sided()
  /// @param places   by rank; those of ranks that the program does not reach may be anything
  /// @param combine  needed if the program reduces
  /// @throws Error argument if a program has messages or native calls, or reduces without `combine`
  ProgramRunner(
      Conduit& conduit,
      exec::BoundProgram program,
      std::vector<SharedPlaces> places,
      exec::Combine combine = {}
  );
  ProgramRunner(ProgramRunner const&) = delete;
  ProgramRunner& operator=(ProgramRunner const&) = delete;
  ProgramRunner(ProgramRunner&&) = delete;
  ProgramRunner& operator=(ProgramRunner&&) = delete;
  ~ProgramRunner() = default;

  /// Begins a run, and starts what may start. Allocates nothing.
  /// @throws Error argument if a run is underway; what the conduit throws.
  void start(UserBuffers const& buffers);
  /// Moves the run on without waiting for anybody; polls the conduit. True when it is over.
  bool progress();
  /// Waits until the run is over.
  void finish();

  void run(UserBuffers const& buffers) {
    start(buffers);
    finish();
  }

private:
  void check_operations() const;
  bool advance();
  void begin(std::size_t index);
  void begin_put(std::size_t index);
  void begin_get(std::size_t index);
  void do_local(exec::BoundOperation const& operation, schedule::Range moves);
  void raise(exec::BoundOperation const& operation);
  bool finish_transfers();
  bool finish_awaits();
  bool is_over(schedule::Range moves);

  [[nodiscard]] std::byte const* readable(schedule::Buffer buffer) const;
  [[nodiscard]] std::byte* writable(schedule::Buffer buffer) const;
  [[nodiscard]] Remote remote(int rank, schedule::Buffer buffer, std::int64_t offset) const;
  [[nodiscard]] std::uint64_t counter_at(int rank, int counter) const;

  Conduit& conduit_;
  exec::BoundProgram const program_;
  std::vector<SharedPlaces> const places_;
  exec::Combine const combine_;
  ProgramMoves const moves_;
  exec::ProgramProgress progress_;
  UserBuffers buffers_;
  std::uint64_t num_runs_ = 0;
  bool is_underway_ = false;
  std::vector<Handle> handles_;         ///< by move
  std::vector<std::size_t> transfers_;  ///< puts and gets that are underway
  std::vector<std::size_t> awaits_;     ///< that have started
};

}  // namespace espalier::onesided
