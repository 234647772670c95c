// SPDX-License-Identifier: Apache-2.0

/// @file
/// Programs from programs. Each transform works on the program of one rank and needs nothing of
/// the others; the results fit together if the same transform is applied on every rank.

#pragma once

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/collective.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::schedule {

/// The form with a separate send buffer, of a program that was written in place.
///
/// Generators write programs as if the contribution stood in the output (see `contributed`).
/// Here it stands in the input, one block for each contributed one: reads of it that come before
/// the first write are redirected to the input; where the output must hold it, because it is
/// updated or is part of the result, a copy is put in front of everything else. So a leaf of a tree
/// sends from the input and copies nothing. Bcast, alltoall and barrier stay as they are.
[[nodiscard]] RankProgram from_input(RankProgram program, Collective collective, int root);

/// Rank i of the program, and of its peers, becomes rank_of(i). Blocks keep their numbers.
template <typename Function>
[[nodiscard]] RankProgram renumber_ranks(RankProgram program, Function const& rank_of) {
  program.rank = rank_of(program.rank);
  for (Operation& operation : program.operations) {
    if (operation.peer >= 0) {
      operation.peer = rank_of(operation.peer);
    }
  }
  for (NativeCall& call : program.native_calls) {
    for (int& member : call.members) {
      member = rank_of(member);
    }
  }
  return program;
}

/// Turns the program of rank r into that of rank r + shift (modulo p): any root from root 0.
/// Blocks keep their numbers.
[[nodiscard]] RankProgram rotate(RankProgram program, int shift);

/// Which blocks of a larger program stand for each block of a nested one. They may lie in any
/// buffer; a block may stand for nothing.
class BlockMap {
public:
  BlockMap() = default;

  /// Block i stands for `first` moved by i * step blocks, modulo the size of its buffer.
  /// Slots are then placed without looking at each of their blocks.
  BlockMap(Slot first, int step) : first_(first), step_(step), is_regular_(true) {}

  /// Block i stands for place_of(i): a slot, or a list of slots in one buffer.
  template <typename Function>
    requires std::is_invocable_v<Function const&, int>
  BlockMap(Function place_of) {  // NOLINT(*-explicit-*): a function is a map
    if constexpr (std::is_convertible_v<std::invoke_result_t<Function const&, int>, Slot>) {
      slot_of_ = std::move(place_of);
    } else {
      slots_of_ = std::move(place_of);
    }
  }

  explicit operator bool() const noexcept { return is_regular_ || slot_of_ || slots_of_; }

  [[nodiscard]] bool is_regular() const noexcept { return is_regular_; }

  /// What block i + distance stands for, as a map of i.
  [[nodiscard]] BlockMap shifted(int distance) const;

  /// The slots of one block, as few as possible, added to a list.
  void append(std::vector<Slot>& slots, int block, Frame const& outer) const;
  /// The slots of all blocks of `slot`, whose buffer has inner_size blocks; of a regular map.
  void append_regular(
      std::vector<Slot>& slots, Slot const& slot, int inner_size, Frame const& outer
  ) const;

private:
  std::function<Slot(int)> slot_of_;
  std::function<std::vector<Slot>(int)> slots_of_;
  Slot first_{};
  int step_ = 0;
  bool is_regular_ = false;
};

/// Where a program is placed inside a larger one.
struct Embedding {
  /// Rank of the larger program that plays rank i.
  std::function<int(int)> rank_of;
  /// What stands for output block i.
  BlockMap blocks_of;
  /// The same for input block i; may be missing if the program reads no input.
  BlockMap inputs_of;
};

/// Appends a program that covers a group of ranks; rounds count on from the builder's round.
/// Scratch blocks of the program become new scratch blocks of the builder.
///
/// Orthogonal, hierarchical and multi-lane collectives are this, once per phase.
/// @throws Error unsupported if inner is a dataflow program, or reads input that has no place.
void nest(Builder& builder, RankProgram const& inner, Embedding const& embedding);

/// Rank i of the program becomes rank_of(i), and so does its part where the collective has parts:
/// the schedule runs in another rank order and no data moves for it. rank_of must be a bijection;
/// a root becomes rank_of(root). Reductions in rank order lose that order.
/// @throws Error unsupported for scan and exscan, which are about rank order, and if program is a
/// dataflow program or, unless alltoall, reads input.
[[nodiscard]] RankProgram
permute(RankProgram const& program, Collective collective, std::function<int(int)> const& rank_of);

/// More ranks have more blocks of an alltoall than an int can number.
inline constexpr int most_alltoall_ranks = 46340;

/// p input and p output blocks; all that an alltoall starts from.
/// @throws Error unsupported for more than most_alltoall_ranks.
[[nodiscard]] Frame alltoall_frame(int num_ranks, int rank);

/// How far operations of different segments may run apart, and how rounds are counted.
struct Pipeline {
  int num_segments = 1;
  /// Rounds between a segment and the next: the most messages one rank sends per segment.
  int period = 1;
  /// An operation of segment s waits for the same operation of segment s - window.
  int window = 16;
  /// The same for sends; 0: window. Where messages share a line and none is served before another,
  /// segments under way together arrive together, and nothing follows anything.
  int send_window = 0;
};

/// Cuts every block into num_segments and lets segments follow each other through the program.
///
/// Block b becomes blocks b * num_segments .. (b + 1) * num_segments - 1. The result is a dataflow
/// program: an operation waits for what it needs of its own segment only.
[[nodiscard]] RankProgram segment(RankProgram const& program, Pipeline const& pipeline);

/// Merges up to `limit` messages of a round to (or from) the same peer into one.
[[nodiscard]] RankProgram batch(RankProgram const& program, int limit);

/// Runs a program backwards: bcast becomes reduce, allgather becomes reduce_scatter.
///
/// What was received is sent, what was sent is received into scratch and combined, the received
/// operand on the left. The contribution stands in the output at the start. Each operation needs a
/// commutative operator unless the prover says otherwise.
/// @param num_rounds of the whole schedule, over all ranks.
/// @throws Error unsupported if program is a dataflow program, or does anything but send and
/// receive output blocks.
[[nodiscard]] RankProgram reverse(RankProgram const& program, int num_rounds);

/// The same program with a scratch block of its own for each block that it writes there. Many
/// algorithms of alltoall let blocks follow each other in one place, which is fine as long as all
/// have one size; in the result each scratch block has the size of the one block that it ever
/// holds. Labels of scratch blocks say nothing of it, and no slot wraps.
/// @throws Error unsupported if program combines data, is one-sided or has native calls, or writes
/// an output block twice.
[[nodiscard]] RankProgram written_once(RankProgram const& program);

/// Adds a slot to a list; if it continues the last one as an arithmetic sequence they become one.
void append_coalesced(std::vector<Slot>& slots, Slot slot, int buffer_size);

}  // namespace espalier::schedule
