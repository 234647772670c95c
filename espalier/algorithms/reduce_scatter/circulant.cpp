// SPDX-License-Identifier: Apache-2.0

/// @file
/// Circulant reduce-scatter: a rank responsible for s blocks, counted from its own, hands the upper
/// half of them to the rank ceil(s / 2) above it.
///
///     sent, p = 5     rank 0    rank 1    rank 2    rank 3    rank 4
///     round 0         3:34(0)   4:40(1)   0:01(2)   1:12(3)   2:23(4)
///     round 1         2:2(0)    3:3(1)    4:4(2)    0:0(3)    1:1(4)
///     round 2         1:1(02)   2:2(13)   3:3(24)   4:4(03)   0:0(14)
///
/// The round and the block count of a power of two, for any number of ranks, without ranks that
/// stay aside. Backwards it is the allgather of the same graph.
///
/// Rounds  ceil(log2 p).
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the vector. If p is odd and at least 7 one
///         block is copied.
/// Scratch about 3/4 m.
/// Order   any: runs of ranks wrap.
/// Valid   p >= 1; any datatype, blocks are never split.
/// Source  [traeff2024b], reduce-scatter.

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/reduce_scatter/parts/halvings.hpp"
#include "espalier/algorithms/reduce_scatter/parts/stepwise.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int rank) {
  return stepwise_reduce_scatter(request, rank, fall_along_skips);
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  return stepwise_facts(p, ceil_log2(p), fall_along_skips);
}

}  // namespace

extern Algorithm const reduce_scatter_circulant{
    .collective = Collective::reduce_scatter,
    .name = "circulant",
    .summary = "what a rank is responsible for is halved along the skips of a circulant graph",
    .source = "traeff2024b",
    .generate = generate,
    .facts = facts,
    .phase_variants = {{.tried = Tried::in_groups}},
};

}  // namespace espalier::algorithms
