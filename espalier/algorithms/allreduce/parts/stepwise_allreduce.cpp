// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/allreduce/parts/stepwise_allreduce.hpp"

#include <array>
#include <utility>

#include "espalier/base/integer.hpp"

namespace espalier::algorithms {

schedule::RankProgram stepwise_allreduce(Request const& request, int rank, Steps steps) {
  int const p = request.num_ranks;
  schedule::Builder builder(output_frame(p, p), rank);
  std::vector<Handover> const handovers = steps(p, rank);
  PartialSums sums(builder);
  sums.exchange_all(handovers);
  sums.deliver(std::array{rank});
  gather_back(builder, handovers);
  return std::move(builder).finish();
}

Facts stepwise_allreduce_facts(int num_ranks, int num_rounds, Steps steps) {
  Facts facts = stepwise_facts(num_ranks, num_rounds, steps);
  facts.rounds *= 2;
  facts.messages *= 2;
  facts.blocks *= 2;
  facts.volume = facts.blocks;
  return facts;
}

schedule::RankProgram folded_allreduce(Request const& request, int rank, Steps steps) {
  pattern::Folding const folding = largest_power_of_two(request.num_ranks);
  int const n = folding.num_places();
  schedule::Builder builder(output_frame(request.num_ranks, n), rank);
  schedule::Slot const all = schedule::blocks(0, n);
  if (folding.is_aside(rank)) {
    builder.send(rank - 1, all).wait_for_sends();
    builder.next_round(1 + 2 * ceil_log2(n)).recv(rank - 1, all);
    return std::move(builder).finish();
  }
  int const place = folding.place_of(rank);
  PartialSums sums(builder);
  if (folding.is_pair(place)) {
    sums.receive(rank + 1, comb(0, n, 1, n));
  }
  builder.next_round(folding.num_pairs() > 0 ? 1 : 0);
  std::vector<Handover> handovers = steps(n, place);
  for (Handover& handover : handovers) {
    handover.to = folding.rank_of(handover.to);
    handover.from = folding.rank_of(handover.from);
  }
  for (Handover const& handover : handovers) {
    sums.exchange(handover);
    // Partners swap at the same time: one that went on alone would share its lines with the rest.
    builder.wait_for_sends().next_round();
  }
  sums.deliver(handovers.empty() ? comb(0, n, 1, n) : handovers.back().kept);
  gather_back(builder, handovers);
  if (folding.is_pair(place)) {
    builder.send(rank + 1, all);
  }
  return std::move(builder).finish();
}

Facts folded_allreduce_facts(int num_ranks) {
  int const n = largest_power_of_two(num_ranks).num_places();
  int const steps = ceil_log2(n);
  int const folded = is_power_of_two(num_ranks) ? 0 : 1;
  return {
      .rounds = 2 * steps + 2 * folded,
      .messages = 2 * steps + folded,
      .blocks = 2 * (n - 1) + folded * n,
      .scratch = n / 2 + (folded == 1 ? n : n / 4),
      .volume = 2 * (n - 1) + 2 * folded * n,
      .reductions = n - 1 + folded * n,
  };
}

}  // namespace espalier::algorithms
