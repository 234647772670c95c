// SPDX-License-Identifier: Apache-2.0

/// @file
/// Recursive multiplying allreduce: groups of k ranks at distance 1, k, k^2, ... send each other
/// whole vectors; sums cover k times as many ranks after each round.
///
///     sent, p = 3     rank 0          rank 1          rank 2
///     round 0         1:0(0) 2:0(0)   2:0(1) 0:0(1)   0:0(2) 1:0(2)
///
/// Recursive doubling (k = 2) with fewer rounds and k - 1 messages in flight in each. A last round
/// has groups of less than k. If p is no multiple j k^i with j < k, the first ranks form pairs: the
/// second hands its vector to the first, stays aside, and gets the result at the end.
///
/// Rounds  ceil(log_k p), in each k - 1 messages at once; at most floor(log_k p) + 3 with pairs.
/// Bytes   m (k - 1) log_k p sent per rank, m = bytes of the vector; with pairs m more.
/// Scratch (k - 1) m.
/// Order   rank: a group is a run of ranks, or of sums of runs.
/// Valid   p >= 1, k >= 2.
/// Source  [wilkins2023], "recursive multiplying".

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/allreduce/parts/radix.hpp"

namespace espalier::algorithms {
namespace {

int radix(Request const& request) {
  return request.arguments.integer("k", 4);
}

schedule::RankProgram generate(Request const& request, int rank) {
  return radix_allreduce(request.num_ranks, rank, radix(request));
}

Facts facts(Request const& request) {
  return radix_allreduce_facts(request.num_ranks, radix(request));
}

std::vector<std::string> variants(Request const& request) {
  std::vector<std::string> result;
  for (int const k : {3, 4, 8}) {
    bool const is_worth_it = request.num_ranks <= 33 || k == 4;
    if (k <= request.num_ranks && is_worth_it) {
      result.push_back("[k=" + std::to_string(k) + "]");
    }
  }
  return result.empty() ? std::vector<std::string>{""} : result;
}

}  // namespace

extern Algorithm const allreduce_recursive_multiplying{
    .collective = Collective::allreduce,
    .name = "recursive_multiplying",
    .summary = "groups of k ranks at distance 1, k, k^2, ... send each other whole vectors",
    .source = "wilkins2023",
    .parameters = {{
        .name = "k",
        .type = Parameter::Type::integer,
        .fallback = "4",
        .minimum = 2,
        .description = "ranks in a group; k - 1 messages are in flight at once",
    }},
    .generate = generate,
    .facts = facts,
    .order = [](Request const&) { return OperandOrder::rank; },
    .variants = variants,
    .phase_variants =
        {
            {.tried = Tried::in_groups, .arguments = "[k=4]"},
            {.tried = Tried::in_groups, .arguments = "[k=8]"},
        },
};

}  // namespace espalier::algorithms
