// SPDX-License-Identifier: Apache-2.0

/// @file
/// Reduce-scatter and allgather: any two of the catalog make an allreduce of p pieces.
///
///     sent, p = 4     rank 0       rank 1       rank 2       rank 3
///     round 0         1:13(0)      0:02(1)      3:13(2)      2:02(3)
///     round 1         2:2(01)      3:3(01)      0:0(23)      1:1(23)
///     round 2         3:0(0123)    0:1(0123)    1:2(0123)    2:3(0123)
///     round 3         2:01(0123)   3:12(0123)   0:23(0123)   1:30(0123)
///
/// Rounds  those of both.
/// Bytes   those of both; 2 m (p - 1) / p sent per rank where nobody stays aside, m = bytes of the
///         vector.
/// Scratch that of the larger.
/// Order   that of the reduce-scatter: with ordered_halving or pairwise any operator.
/// Valid   what both accept; the vector is cut into p pieces.
/// Source  [thakur2005].

#include "espalier/algorithms/allreduce/parts/sequence.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::algorithms {
namespace {

constexpr Parameter reduce_scatter_parameter{
    .name = "reduce_scatter",
    .type = Parameter::Type::algorithm,
    .fallback = "ordered_halving",
    .collective = "reduce_scatter",
    .description = "algorithm of the first phase",
};
constexpr Parameter allgather_parameter{
    .name = "allgather",
    .type = Parameter::Type::algorithm,
    .fallback = "bruck",
    .collective = "allgather",
    .description = "algorithm of the second phase",
};

Sequence sequence(Request const& request) {
  return {
      .first = choice_for(request, reduce_scatter_parameter),
      .second = choice_for(request, allgather_parameter),
  };
}

std::vector<std::string> variants(Request const& request) {
  std::vector<std::string> result{""};
  if (request.num_ranks <= 33) {
    result.emplace_back("[reduce_scatter=pairwise,allgather=ring]");
    result.emplace_back("[reduce_scatter=circulant,allgather=sparbit[batch=0]]");
  }
  if (request.num_ranks > 4) {
    result.emplace_back("[reduce_scatter=recursive_dividing,allgather=recursive_multiplying]");
  }
  if (is_power_of_two(request.num_ranks)) {
    result.emplace_back("[allgather=recursive_doubling]");
  }
  return result;
}

}  // namespace

extern Algorithm const allreduce_reduce_scatter_allgather{
    .collective = Collective::allreduce,
    .name = "reduce_scatter_allgather",
    .summary = "every rank gets the sum of one piece, then all pieces",
    .source = "thakur2005",
    .valid = "what both phases accept",
    .parameters = {reduce_scatter_parameter, allgather_parameter},
    .refuses = [](Request const& request) { return sequence(request).refuses(request.num_ranks); },
    .generate = [](Request const& request,
                   int rank) { return sequence(request).generate(request.num_ranks, rank); },
    .facts = [](Request const& request) { return sequence(request).facts(request.num_ranks); },
    .rounds = [](Request const& request
              ) { return sequence(request).num_rounds(request.num_ranks); },
    .order = [](Request const& request
             ) { return sequence(request).first.order(request.num_ranks, 0); },
    .num_pieces = [](Request const& request) { return request.num_ranks; },
    .variants = variants,
};

}  // namespace espalier::algorithms
