// SPDX-License-Identifier: Apache-2.0

/// @file
/// Runs the one-sided program of a rank on a conduit: what the prover proved is what moves the
/// data, over any conduit.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/exec/memory/binding.hpp"
#include "espalier/exec/threads/byte_runs.hpp"
#include "espalier/exec/threads/program_progress.hpp"
#include "espalier/onesided/conduit.hpp"
#include "espalier/onesided/program/program_moves.hpp"
#include "espalier/onesided/program/runner.hpp"

namespace espalier::onesided {

/// The program of one rank.
class ProgramRunner final : public Runner {
public:
  /// Refers to the conduit and to the members.
  /// @param members  the rank on the conduit of each rank of the program
  /// @param program  made by exec::bind_one_sided()
  /// @param combine  needed if the program reduces
  /// @throws Error argument if a program has messages or native calls, or reduces without `combine`
  ProgramRunner(
      Conduit& conduit,
      std::span<int const> members,
      exec::BoundProgram const& program,
      exec::Combine combine = {}
  );
  ProgramRunner(ProgramRunner const&) = delete;
  ProgramRunner& operator=(ProgramRunner const&) = delete;
  ProgramRunner(ProgramRunner&&) = delete;
  ProgramRunner& operator=(ProgramRunner&&) = delete;
  ~ProgramRunner() override = default;

  /// Allocates nothing.
  /// @param run  counters that are 0 on all ranks when the first of them begins; they are left
  ///     raised
  /// @throws Error argument if a run is underway; what the conduit throws.
  void start(UserBuffers const& own, std::span<UserPlaces const> all, RunPlaces run) override;
  bool advance() override;
  /// Waits until the run is over.
  void finish();

private:
  void check_operations() const;
  [[nodiscard]] bool raises_itself(std::size_t index) const;
  bool move_on();
  void begin(std::size_t index);
  void begin_put(std::size_t index);
  void begin_get(std::size_t index);
  void do_local(exec::BoundOperation const& operation, schedule::Range moves);
  /// False if there is no room for another signal now: nobody is waited for.
  bool try_raise(exec::BoundOperation const& operation);
  bool finish_transfers();
  bool finish_signals();
  bool finish_awaits();
  bool is_over(schedule::Range moves);

  [[nodiscard]] std::byte const* readable(schedule::Buffer buffer) const;
  [[nodiscard]] std::byte* writable(schedule::Buffer buffer) const;
  [[nodiscard]] Remote remote(int rank, schedule::Buffer buffer, std::int64_t offset) const;
  [[nodiscard]] std::uint64_t counter_at(int counter) const;

  Conduit& conduit_;
  std::span<int const> members_;
  exec::BoundProgram const program_;
  exec::Combine const combine_;
  ProgramMoves const moves_;
  exec::ProgramProgress progress_;
  UserBuffers own_;
  std::span<UserPlaces const> all_;
  RunPlaces run_;
  bool is_underway_ = false;
  bool needs_places_ = false;
  std::vector<bool> raises_itself_;     ///< by operation: a put, of which every run raises
  std::vector<Handle> handles_;         ///< by move
  std::vector<std::size_t> transfers_;  ///< puts and gets that are underway
  std::vector<std::size_t> awaits_;     ///< that have started
  std::vector<std::size_t> signals_;    ///< that found no room so far
};

}  // namespace espalier::onesided
