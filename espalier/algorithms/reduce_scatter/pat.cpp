// SPDX-License-Identifier: Apache-2.0

/// @file
/// PAT (parallel aggregated trees) reduce-scatter: the PAT allgather backwards. Sums flow down p
/// binomial trees at once, near ranks first, with up to `limit` blocks in a message.
///
///     sent, p = 5, limit=2     rank 0    rank 1    rank 2    rank 3    rank 4
///     round 0                  4:2(0)    0:3(1)    1:4(2)    2:0(3)    3:1(4)
///     round 1                  3:3(01)   4:4(12)   0:0(23)   1:1(34)   2:2(04)
///     round 2                  4:4(0)    0:0(1)    1:1(2)    2:2(3)    3:3(4)
///     round 3                  1:1(0)    2:2(1)    3:3(2)    4:4(3)    0:0(4)
///
/// With limit = 1 every message has one block and p - 1 of them follow each other; with limit >= p
/// the near ranks carry p / 2 blocks in one message, and the far ones few.
///
/// Rounds  those of the allgather: log2 A + min(D, p) - 1, A = limit rounded down to a power of two
///         but at most 2^ceil(log2 p), D = 2^ceil(log2 p) / A.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the vector.
/// Scratch at most m.
/// Order   any: runs of ranks wrap.
/// Valid   p >= 1; any datatype, blocks are never split.
/// Source  [jeaugey2025], reduce-scatter.

#include <array>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/reduce_scatter/parts/partial_sums.hpp"

namespace espalier::algorithms {
namespace {

Algorithm const& allgather() {
  return find(Collective::allgather, "pat");
}

std::vector<int>
blocks_of(schedule::RankProgram const& program, schedule::Operation const& operation) {
  std::vector<int> blocks;
  schedule::for_each_block(program.frame, program.slots(operation), [&](auto, int block) {
    blocks.push_back(block);
  });
  return blocks;
}

/// What was received goes back, what was sent comes back: the last exchange first.
std::vector<Handover> steps(schedule::RankProgram const& forward) {
  std::vector<Handover> result(static_cast<std::size_t>(forward.num_rounds()));
  for (schedule::Operation const& operation : forward.operations) {
    Handover& step = result[result.size() - 1 - static_cast<std::size_t>(operation.round)];
    if (operation.kind == schedule::Kind::recv) {
      step.to = operation.peer;
      step.sent = blocks_of(forward, operation);
    } else {
      step.from = operation.peer;
      step.kept = blocks_of(forward, operation);
    }
  }
  return result;
}

schedule::RankProgram generate(Request const& request, int rank) {
  schedule::Builder builder(output_frame(request.num_ranks, request.num_ranks), rank);
  PartialSums sums(builder);
  sums.exchange_all(steps(allgather().generate(request, rank)));
  sums.deliver(std::array{rank});
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  Facts facts = allgather().facts(request);
  facts.scratch = static_cast<std::int64_t>(generate(request, 0).frame.scratch_like.size());
  facts.reductions = facts.blocks;
  return facts;
}

}  // namespace

extern Algorithm const reduce_scatter_pat{
    .collective = Collective::reduce_scatter,
    .name = "pat",
    .summary = "sums flow down p binomial trees, with at most `limit` blocks in a message",
    .source = "jeaugey2025",
    .parameters = {{
        .name = "limit",
        .type = Parameter::Type::integer,
        .fallback = "8",
        .minimum = 1,
        .description = "most blocks in a message; rounded down to a power of two",
    }},
    .generate = generate,
    .facts = facts,
    .variants = [](Request const& request) { return allgather().variants(request); },
};

}  // namespace espalier::algorithms
