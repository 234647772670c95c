// SPDX-License-Identifier: Apache-2.0

/// @file
/// The manager of scratch space of [nishtala2009], section 5.7: collectives that are underway at
/// the same time have scratch memory and counters of their own, in one region of bounded size.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>

#include "espalier/onesided/conduit.hpp"
#include "espalier/onesided/program/program_runner.hpp"

namespace espalier::onesided {

/// A part of the segments of all ranks, at the same offset in each.
struct Region {
  std::uint64_t offset = 0;
  std::uint64_t num_bytes = 0;
};

/// What a collective needs; the most that any rank does, so that all ranks say the same.
struct ScratchNeed {
  std::uint64_t scratch_bytes = 0;
  std::uint64_t num_counters = 0;
};

/// Where a collective works, from when on, and until it gives that back.
struct Lease {
  RunPlaces places;
  std::uint64_t num_counters = 0;
  std::uint64_t generation = 0;
};

/// Gives parts of a region to collectives, in the order in which they start, which is the same on
/// all ranks: all get the same parts, and no message is needed for that.
///
///     | drain | half 0: generations 0, 2, 4, ... | half 1: generations 1, 3, 5, ... |
///             | counters | scratch memory        | counters | scratch memory        |
///
/// Counters are 0 again when they are given back, and nothing else ever lies where they are: others
/// may raise them before this rank begins. What does not fit into its half any more begins the next
/// generation in the other half. It may run when the generation that used this half before is over
/// on all ranks, which signals in a dissemination barrier say while the generation between goes on.
/// Who has to wait for that is held; nothing else waits for it.
class ScratchSpace {
public:
  /// Refers to the conduit and to the members. The region is zero on all ranks.
  /// @param rank  of this rank among the members
  /// @throws Error argument if the region has no room for all of that.
  ScratchSpace(Conduit& conduit, std::span<int const> members, int rank, Region region);

  /// Empty if there can be a part like that, otherwise why not. Equal on all ranks.
  [[nodiscard]] std::string refusal(ScratchNeed need) const;
  /// The next part. @throws Error argument if it is refused.
  Lease lease(ScratchNeed need);
  /// Whether the part may be used now.
  [[nodiscard]] bool is_free(Lease const& lease) const noexcept;
  /// This rank has left the collective.
  void give_back(Lease const& lease);
  /// Moves on what says that generations are over. Does not wait.
  void progress();

  /// There will be no more parts, and all were given back. Once.
  void close();

  /// Whether all ranks have closed their space, and nothing will come into that of this rank any
  /// more. progress() moves it on.
  [[nodiscard]] bool is_closed() const noexcept {
    return is_closing_ && num_drained_ == generation_;
  }

private:
  struct ScratchBytes {
    std::uint64_t counters = 0;
    std::uint64_t scratch = 0;
  };

  [[nodiscard]] static ScratchBytes bytes_of(ScratchNeed need) noexcept;
  bool advance_drain();
  /// Counters of the dissemination barrier, before both halves.
  [[nodiscard]] std::uint64_t drain_bytes() const noexcept;
  [[nodiscard]] std::uint64_t counter_of_step(std::size_t step) const noexcept;

  Conduit& conduit_;
  std::span<int const> members_;
  int rank_;
  Region region_;
  std::size_t num_steps_ = 0;
  ScratchBytes room_;              ///< of a half
  ScratchBytes used_;              ///< of the half of the generation
  std::uint64_t generation_ = 0;   ///< of the next lease
  std::uint64_t num_drained_ = 0;  ///< generations that are over on all ranks
  std::deque<int> num_leases_{0};  ///< not given back, of each generation that is not drained
  std::size_t step_ = 0;           ///< of the drain that is underway
  bool has_signalled_ = false;     ///< in this step
  bool is_closing_ = false;
};

}  // namespace espalier::onesided
