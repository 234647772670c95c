// SPDX-License-Identifier: Apache-2.0

/// @file
/// Programs from programs. Each transform works on the program of one rank and needs nothing of
/// the others; the results fit together if the same transform is applied on every rank.

#pragma once

#include <functional>

#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::schedule {

/// Puts a copy of the input into the part of the output that is the contribution of rank `own`
/// before everything else.
///
/// Allgather generators are written in place; this is the form with a separate send buffer. The
/// input has as many blocks as each of the p parts of the output.
[[nodiscard]] RankProgram from_input(RankProgram program, int own);

/// Turns the program of rank r into that of rank r + shift (modulo p): any root from root 0.
/// Blocks keep their numbers.
[[nodiscard]] RankProgram rotate(RankProgram program, int shift);

/// Where a program is placed inside a larger one.
struct Embedding {
  /// Rank of the larger program that plays rank i.
  std::function<int(int)> rank_of;
  /// Output blocks of the larger program that stand for output block i: one slot, stride 1.
  std::function<Slot(int)> blocks_of;
};

/// Appends a program that covers a group of ranks; rounds count on from the builder's round.
///
/// Orthogonal, hierarchical and multi-lane collectives are this, once per phase.
/// @throws Error unsupported if inner is a dataflow program, or uses input or scratch blocks.
void nest(Builder& builder, RankProgram const& inner, Embedding const& embedding);

/// Rank i of the program becomes rank_of(i), and so does block i where there is a block for each
/// rank: the schedule runs in another rank order and no data moves for it. rank_of must be a
/// bijection. Output blocks only.
[[nodiscard]] RankProgram
permute(RankProgram const& program, std::function<int(int)> const& rank_of);

/// How far operations of different segments may run apart, and how rounds are counted.
struct Pipeline {
  int num_segments = 1;
  /// Rounds between a segment and the next: the most messages one rank sends per segment.
  int period = 1;
  /// An operation of segment s waits for the same operation of segment s - window.
  int window = 16;
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

/// Adds a slot to a list; if it continues the last one as an arithmetic sequence they become one.
void append_coalesced(std::vector<Slot>& slots, Slot slot, int buffer_size);

}  // namespace espalier::schedule
