// SPDX-License-Identifier: Apache-2.0

/// @file
/// Reduce and broadcast: any two of the catalog make an allreduce by way of rank 0.
///
///     sent, p = 4     rank 0      rank 1   rank 2      rank 3
///     round 0         -           0:0(1)   -           2:0(3)
///     round 1         -           -        0:0(23)     -
///     round 2         2:0(0123)   -        -           -
///     round 3         1:0(0123)   -        3:0(0123)   -
///
/// Rounds  those of both.
/// Bytes   those of both; the broadcast begins when rank 0 has the whole result. With segments both
///         overlap.
/// Scratch that of the reduce.
/// Order   that of the reduce.
/// Valid   what both accept, if one cuts the vector into a multiple of the pieces of the other; can
///         be segmented.
/// Source  [thakur2005].

#include <algorithm>

#include "espalier/algorithms/allreduce/parts/sequence.hpp"

namespace espalier::algorithms {
namespace {

constexpr Parameter reduce_parameter{
    .name = "reduce",
    .type = Parameter::Type::algorithm,
    .fallback = "binomial",
    .collective = "reduce",
    .description = "algorithm of the first phase",
};
constexpr Parameter bcast_parameter{
    .name = "bcast",
    .type = Parameter::Type::algorithm,
    .fallback = "binomial",
    .collective = "bcast",
    .description = "algorithm of the second phase",
};

Sequence sequence(Request const& request) {
  return {
      .first = choice_for(request, reduce_parameter),
      .second = choice_for(request, bcast_parameter),
  };
}

Facts facts(Request const& request) {
  return sequence(request).facts(request.num_ranks);
}

int most_messages(Choice const& phase, int num_ranks) {
  int const period = phase.segment_period(num_ranks);
  return period > 0 ? period : static_cast<int>(phase.facts(num_ranks, 0).messages);
}

/// As if some rank sent most in both phases: who does so, only the programs of all ranks say.
int segment_period(Request const& request) {
  auto const [reduce, bcast] = sequence(request);
  return std::max(
      1, most_messages(reduce, request.num_ranks) + most_messages(bcast, request.num_ranks)
  );
}

std::vector<std::string> variants(Request const& request) {
  std::vector<std::string> result{
      "",
      "[reduce=chain,bcast=chain]",
      "[reduce=circulant[pieces=16],bcast=circulant[pieces=16]]",
  };
  if (request.num_ranks <= 33) {
    result.emplace_back("[reduce=k_nomial,bcast=scatter_allgather]");
    result.emplace_back("[reduce=reduce_scatter_gather,bcast=k_ary]");
    result.emplace_back("[reduce=two_tree[pieces=16],bcast=two_tree[pieces=16]]");
  }
  return result;
}

}  // namespace

extern Algorithm const allreduce_reduce_bcast{
    .collective = Collective::allreduce,
    .name = "reduce_bcast",
    .summary = "rank 0 gets the result and broadcasts it",
    .source = "thakur2005",
    .valid = "what both phases accept",
    .parameters = {reduce_parameter, bcast_parameter},
    .refuses = [](Request const& request) { return sequence(request).refuses(request.num_ranks); },
    .generate = [](Request const& request,
                   int rank) { return sequence(request).generate(request.num_ranks, rank); },
    .facts = facts,
    .rounds = [](Request const& request
              ) { return sequence(request).num_rounds(request.num_ranks); },
    .order = [](Request const& request
             ) { return sequence(request).first.order(request.num_ranks, 0); },
    .num_pieces = [](Request const& request
                  ) { return sequence(request).num_pieces(request.num_ranks); },
    .segment_period = segment_period,
    .variants = variants,
};

}  // namespace espalier::algorithms
