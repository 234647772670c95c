// SPDX-License-Identifier: Apache-2.0

/// @file
/// The LogGP models of [nishtala2009] for collectives among nodes with several threads each, which
/// are meant to rank candidates and to drop clearly bad ones. Formulas are those of the thesis with
/// rounds counted from 0; where it approximates there is an exact form beside.

#pragma once

#include <functional>

#include "espalier/pattern/tree.hpp"

namespace espalier::cost {

/// A message of n bytes occupies its sender for overhead, gap and per_byte * n, and needs latency
/// in the wire. Usually called L, o, g, G; any unit of time.
struct LogGP {
  double latency = 0;
  double overhead = 0;
  double gap = 0;
  double per_byte = 0;
};

/// Nodes with `threads` threads each; bytes are what one thread contributes.
struct NodeCall {
  int num_nodes = 1;
  int threads = 1;
  double bytes = 0;
};

/// The number of levels of a tree: log_k of the nodes, rounded up or as a real number. The
/// published rankings were partly made with one and partly with the other.
enum class Levels { rounded_up, real };

/// Blocks per peer in an exchange: N / k, as published, or counted; equal if N is a power of k.
enum class Counts { published, exact };

/// K-ary broadcast, and reduce: each level costs k messages. k >= 2.
[[nodiscard]] double
k_ary_broadcast(LogGP const& machine, NodeCall const& call, int k, Levels levels);
/// K-ary scatter, and gather. k >= 2.
[[nodiscard]] double
k_ary_scatter(LogGP const& machine, NodeCall const& call, int k, Levels levels);
/// Exchange (alltoall) that forwards by digits of base k; k = number of nodes is the flat one.
[[nodiscard]] double exchange(LogGP const& machine, NodeCall const& call, int k, Counts counts);
/// Gather-to-all (allgather) by dissemination, with what is left in the last round.
[[nodiscard]] double gather_to_all_dissemination(LogGP const& machine, NodeCall const& call);
[[nodiscard]] double gather_to_all_flat(LogGP const& machine, NodeCall const& call);

/// How many of the blocks 0 .. num_blocks - 1 have digit z at the place of value `place`, base k.
[[nodiscard]] int blocks_with_digit(int num_blocks, int k, int place, int z);

/// Any tree, from the root down: a node serves its children in order, gap and bytes each; a child
/// has its message latency and overhead later. When the last node has it.
/// @param bytes_to what is sent to a child.
[[nodiscard]] double tree_time(
    LogGP const& machine,
    std::function<pattern::TreeNode(int)> const& node,
    std::function<double(int child)> const& bytes_to
);

}  // namespace espalier::cost
