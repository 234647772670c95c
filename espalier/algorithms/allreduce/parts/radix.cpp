// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/allreduce/parts/radix.hpp"

#include "espalier/algorithms/allreduce/parts/whole_vector.hpp"

namespace espalier::algorithms {

schedule::RankProgram radix_allreduce(int num_ranks, int rank, int k) {
  std::vector<int> const sizes = pattern::group_sizes(num_ranks, k);
  pattern::Folding const folding = pattern::folded_onto_groups(num_ranks, sizes);
  std::vector<std::vector<int>> groups;
  int distance = 1;
  for (int const size : sizes) {
    groups.push_back(pattern::group_of(folding.place_of(rank), distance, size));
    distance *= size;
  }
  return whole_vector_allreduce(rank, folding, groups);
}

Facts radix_allreduce_facts(int num_ranks, int k) {
  std::vector<int> const sizes = pattern::group_sizes(num_ranks, k);
  return whole_vector_facts(pattern::folded_onto_groups(num_ranks, sizes), sizes);
}

}  // namespace espalier::algorithms
