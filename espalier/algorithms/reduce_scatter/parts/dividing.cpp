// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/reduce_scatter/parts/dividing.hpp"

#include "espalier/algorithms/reduce_scatter/parts/stepwise.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::algorithms {
namespace {

/// Each member is left with the parts of every (distance * size)-th place, from its own.
Split split(pattern::Folding const& folding, int place, int distance, int size) {
  int const n = folding.num_places();
  int const stride = distance * size;
  Split result;
  for (int const member : pattern::group_of(place, distance, size)) {
    result.members.push_back(folding.rank_of(member));
    result.kept.push_back(parts_of(folding, comb(member % stride, n / stride, stride, n)));
  }
  return result;
}

}  // namespace

schedule::RankProgram dividing_reduce_scatter(int num_ranks, int rank, int k) {
  std::vector<int> const sizes = pattern::group_sizes(num_ranks, k);
  pattern::Folding const folding = pattern::folded_onto_groups(num_ranks, sizes);
  std::vector<Split> steps;
  int distance = 1;
  for (int const size : sizes) {
    steps.push_back(split(folding, folding.place_of(rank), distance, size));
    distance *= size;
  }
  auto const num_rounds = static_cast<int>(steps.size());
  return folded_reduce_scatter(folding, rank, num_rounds, [&](PartialSums& sums) {
    sums.exchange_all(steps);
  });
}

Facts dividing_facts(int num_ranks, int k) {
  std::vector<int> const sizes = pattern::group_sizes(num_ranks, k);
  pattern::Folding const folding = pattern::folded_onto_groups(num_ranks, sizes);
  bool const is_folded = folding.num_pairs() > 0;
  Facts facts{
      .rounds = static_cast<int>(sizes.size()) + (is_folded ? 2 : 0),
      .messages = is_folded ? 1 : 0,
      .blocks = num_ranks - (is_folded ? 0 : 1),
      .scratch = num_ranks == 1 ? 0 : num_ranks,
      .volume = is_folded ? num_ranks + 1 : 0,
      .reductions = is_folded ? num_ranks : 0,
  };
  int stride = 1;
  for (int const size : sizes) {
    stride *= size;
    int const kept = folding.num_places() / stride + ceil_div(folding.num_pairs(), stride);
    if (is_folded && stride == size) {
      facts.scratch += (size - 1) * kept;
    }
    facts.messages += size - 1;
    *facts.volume += (size - 1) * kept;
    *facts.reductions += (size - 1) * kept;
  }
  return facts;
}

}  // namespace espalier::algorithms
