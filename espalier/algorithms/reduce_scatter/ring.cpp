// SPDX-License-Identifier: Apache-2.0

/// @file
/// Ring reduce-scatter: the sum of a block travels once round the ring to its rank, and every rank
/// adds its contribution.
///
///     sent, p = 4     rank 0     rank 1     rank 2     rank 3
///     round 0         1:3(0)     2:0(1)     3:1(2)     0:2(3)
///     round 1         1:2(03)    2:3(01)    3:0(12)    0:1(23)
///     round 2         1:1(023)   2:2(013)   3:3(012)   0:0(123)
///
/// Rounds  p - 1.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the vector.
/// Scratch m (p - 1) / p: blocks may have different sizes, so each has a place of its own.
/// Order   any: a sum begins at the rank above its destination, and wraps.
/// Valid   p >= 1; any datatype; blocks can be cut into segments.
/// Source  [patarasuk2009], reduce-scatter part.

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/reduce_scatter/parts/halvings.hpp"
#include "espalier/algorithms/reduce_scatter/parts/stepwise.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int rank) {
  return stepwise_reduce_scatter(request, rank, pass_to_neighbor);
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  return stepwise_facts(p, p - 1, pass_to_neighbor);
}

}  // namespace

extern Algorithm const reduce_scatter_ring{
    .collective = Collective::reduce_scatter,
    .name = "ring",
    .summary = "the sum of a block travels once round the ring to its rank",
    .source = "patarasuk2009",
    .neighbours_only = true,
    .generate = generate,
    .facts = facts,
    .phase_variants = {{.tried = Tried::in_groups, .turn = 2}},
};

}  // namespace espalier::algorithms
