// SPDX-License-Identifier: Apache-2.0

/// @file
/// Recursive dividing reduce-scatter: groups of k ranks at distance 1, k, k^2, ... divide what they
/// are all responsible for; recursive multiplying backwards.
///
///     sent, p = 3     rank 0          rank 1          rank 2
///     round 0         1:1(0) 2:2(0)   2:2(1) 0:0(1)   0:0(2) 1:1(2)
///
/// Ordered halving (k = 2) with fewer rounds and k - 1 messages in flight in each. A last round has
/// groups of less than k. If p is no multiple j k^i with j < k, the first ranks form pairs: the
/// second hands all it has to the first, stays aside, and gets its part at the end.
///
/// Rounds  ceil(log_k p), in each k - 1 messages at once; at most floor(log_k p) + 3 with pairs.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the vector; m by a rank that stays aside. The
///         last of a first group copies m / k.
/// Scratch m; with pairs less than 2 m + m / p.
/// Order   rank: a group is a run of ranks, or of sums of runs.
/// Valid   p >= 1, k >= 2; any datatype, blocks are never split.
/// Source  [wilkins2023], "recursive multiplying".

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/reduce_scatter/parts/dividing.hpp"

namespace espalier::algorithms {
namespace {

int radix(Request const& request) {
  return request.arguments.integer("k", 4);
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

extern Algorithm const reduce_scatter_recursive_dividing{
    .collective = Collective::reduce_scatter,
    .name = "recursive_dividing",
    .summary = "groups of k ranks at distance 1, k, k^2, ... divide what they have to sum",
    .source = "wilkins2023",
    .parameters = {{
        .name = "k",
        .type = Parameter::Type::integer,
        .fallback = "4",
        .minimum = 2,
        .description = "ranks in a group; k - 1 messages are in flight at once",
    }},
    .generate = [](Request const& request, int rank
                ) { return dividing_reduce_scatter(request.num_ranks, rank, radix(request)); },
    .facts = [](Request const& request
             ) { return dividing_facts(request.num_ranks, radix(request)); },
    .order = [](Request const&) { return OperandOrder::rank; },
    .variants = variants,
    .phase_variants =
        {
            {.tried = Tried::in_groups},
            {.tried = Tried::in_groups, .arguments = "[k=8]"},
        },
};

}  // namespace espalier::algorithms
