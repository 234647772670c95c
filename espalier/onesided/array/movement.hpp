// SPDX-License-Identifier: Apache-2.0

/// @file
/// A collective of the blocks of shared arrays, said as one of a team: who is in the team, which
/// collective it runs, where its buffers are, and what each member copies before and after it.
///
///     exchange of blocks 0 1 2 with blocks 0 1 2, on ranks 0 1 0: members 0 1, two blocks at most
///
///     input of member 0    to member 0             to member 1
///                          0>0 0>2 2>0 2>2         0>1  .  2>1  .
///
/// A piece is what one block gives to one block. All parts of a collective of a team are equally
/// long, so members with fewer blocks than others leave gaps. Where a buffer is one run of the
/// memory of its member, it is used as it is; else the member has a buffer of its own, and copies.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "espalier/onesided/array/array_call.hpp"
#include "espalier/onesided/program/runner.hpp"
#include "espalier/schedule/collective.hpp"

namespace espalier::onesided {

/// Bytes of a segment, and where they are in a buffer or elsewhere in the segment.
struct ByteRun {
  std::uint64_t here = 0;
  std::uint64_t there = 0;
  std::uint64_t num_bytes = 0;

  friend bool operator==(ByteRun const&, ByteRun const&) = default;
};

/// A buffer of the collective of the team on one member.
struct BlockBuffer {
  std::uint64_t num_bytes = 0;  ///< 0: it counts nowhere on this member
  std::vector<ByteRun> runs;    ///< of the segment, in the order of the buffer

  /// Where it is in the segment, if it is one run of it.
  [[nodiscard]] std::optional<std::uint64_t> direct() const noexcept;
};

/// Operands to be combined in their order.
struct Combination {
  std::vector<std::uint64_t> operands;  ///< empty: nothing is combined
  std::uint64_t result = 0;
};

/// What one member does. Buffers that are not direct are its own memory.
struct MemberWork {
  BlockBuffer input;
  BlockBuffer output;
  Combination combined_before;         ///< of the segment, into the input
  Combination combined_after;          ///< of the output, into the segment
  std::vector<ByteRun> copied_before;  ///< from `here` to `there` in the segment
  std::vector<ByteRun> copied_after;   ///< the same

  /// Whether something is to be done before the collective of the team can begin.
  [[nodiscard]] bool packs() const noexcept;
  /// Whether something is to be done after it.
  [[nodiscard]] bool unpacks() const noexcept;
};

/// Pure, and equal on all ranks.
class Movement {
public:
  /// @throws Error argument for regions of shapes that do not fit together, and for blocks that are
  ///     read and written.
  explicit Movement(ArrayCall call);

  /// The implicit team: ranks with affinity to any of the blocks, sorted.
  [[nodiscard]] std::vector<int> const& members() const noexcept { return members_; }

  /// What the team runs: a bcast, scatter, gather, reduce or alltoall.
  [[nodiscard]] schedule::Collective collective() const noexcept { return collective_; }

  /// A member.
  [[nodiscard]] int root() const noexcept { return root_; }

  /// Pieces of a block of the collective of the team.
  [[nodiscard]] std::int64_t num_pieces() const noexcept { return num_pieces_; }

  /// Whether all buffers are direct.
  [[nodiscard]] bool is_direct() const noexcept { return is_direct_; }

  /// Whether any member packs.
  [[nodiscard]] bool packs() const noexcept { return packs_; }

  /// Whether any member unpacks.
  [[nodiscard]] bool unpacks() const noexcept { return unpacks_; }

  /// Where the buffers of each member are that are direct.
  [[nodiscard]] std::vector<UserPlaces> const& places() const noexcept { return places_; }

  [[nodiscard]] MemberWork work(int member) const;

private:
  void find_members();
  void choose_collective();
  void choose_bcast();
  void look_at_members();
  [[nodiscard]] int member_of(int rank) const noexcept;
  [[nodiscard]] bool is_in_rank_order() const noexcept;
  [[nodiscard]] std::uint64_t part_bytes() const noexcept;
  [[nodiscard]] std::vector<ByteRun> side(std::vector<int> const& blocks, bool is_from) const;
  [[nodiscard]] std::vector<ByteRun> pieces_of_all(bool is_from) const;
  [[nodiscard]] MemberWork bcast(int member) const;
  [[nodiscard]] MemberWork scatter(int member) const;
  [[nodiscard]] MemberWork gather(int member) const;
  [[nodiscard]] MemberWork exchange(int member) const;
  [[nodiscard]] MemberWork reduce(int member) const;

  ArrayCall call_;
  std::vector<int> members_;
  std::vector<std::vector<int>> sources_;  ///< by member: its blocks of `from`
  std::vector<std::vector<int>> targets_;  ///< by member: its blocks of `to`
  schedule::Collective collective_ = schedule::Collective::bcast;
  int root_ = 0;
  std::int64_t num_pieces_ = 1;
  std::int64_t most_sources_ = 0;
  std::int64_t most_targets_ = 0;
  std::vector<UserPlaces> places_;
  bool is_root_copying_ = false;  ///< a bcast starts from the root's own target
  bool is_direct_ = true;
  bool packs_ = false;
  bool unpacks_ = false;
};

}  // namespace espalier::onesided
