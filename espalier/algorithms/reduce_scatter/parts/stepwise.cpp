// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/reduce_scatter/parts/stepwise.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "espalier/base/integer.hpp"

namespace espalier::algorithms {
schedule::RankProgram stepwise_reduce_scatter(Request const& request, int rank, Steps steps) {
  int const p = request.num_ranks;
  schedule::Builder builder(output_frame(p, p), rank);
  PartialSums sums(builder);
  sums.exchange_all(steps(p, rank));
  sums.deliver(std::array{rank});
  return std::move(builder).finish();
}

Facts stepwise_facts(int num_ranks, int num_rounds, Steps steps) {
  Request const request{.num_ranks = num_ranks, .root = 0, .arguments = {}};
  std::vector<int> const scratch = stepwise_reduce_scatter(request, 0, steps).frame.scratch_like;
  return {
      .rounds = num_rounds,
      .messages = num_rounds,
      .blocks = num_ranks - 1,
      .scratch = static_cast<std::int64_t>(scratch.size()),
      .volume = num_ranks - 1,
      .reductions = num_ranks - 1,
  };
}

pattern::Folding largest_power_of_two(int num_ranks) {
  return {num_ranks, static_cast<int>(std::bit_floor(static_cast<unsigned>(num_ranks)))};
}

std::vector<int> parts_of(pattern::Folding const& folding, std::vector<int> const& places) {
  std::vector<int> first;
  std::vector<int> second;
  int const next = places.empty() ? 0 : (places.front() + 1) % folding.num_places();
  bool const is_run = places.size() == 1 || (places.size() > 1 && places[1] == next);
  for (int const place : places) {
    int const rank = folding.rank_of(place);
    first.push_back(rank);
    if (folding.is_pair(place)) {
      (is_run ? first : second).push_back(rank + 1);
    }
  }
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

schedule::RankProgram folded_reduce_scatter(
    pattern::Folding const& folding, int rank, int num_rounds, Exchange const& exchange
) {
  int const p = folding.num_places() + folding.num_pairs();
  schedule::Builder builder(output_frame(p, p), rank);
  if (folding.is_aside(rank)) {
    builder.send(rank - 1, schedule::blocks(0, p)).wait_for_sends();
    builder.next_round(1 + num_rounds).recv(rank - 1, schedule::blocks(rank));
    return std::move(builder).finish();
  }
  bool const has_pair = folding.is_pair(folding.place_of(rank));
  PartialSums sums(builder);
  if (has_pair) {
    sums.receive(rank + 1, comb(0, p, 1, p));
  }
  builder.next_round(folding.num_pairs() > 0 ? 1 : 0);
  exchange(sums);
  if (has_pair) {
    sums.send(rank + 1, std::array{rank + 1});
  }
  sums.deliver(std::array{rank});
  return std::move(builder).finish();
}

schedule::RankProgram halving_reduce_scatter(Request const& request, int rank, Steps steps) {
  pattern::Folding const folding = largest_power_of_two(request.num_ranks);
  int const n = folding.num_places();
  return folded_reduce_scatter(folding, rank, ceil_log2(n), [&](PartialSums& sums) {
    std::vector<Handover> handovers = steps(n, folding.place_of(rank));
    for (Handover& handover : handovers) {
      handover.to = folding.rank_of(handover.to);
      handover.from = folding.rank_of(handover.from);
      handover.sent = parts_of(folding, handover.sent);
      handover.kept = parts_of(folding, handover.kept);
    }
    sums.exchange_all(handovers);
  });
}

Facts halving_facts(int num_ranks) {
  std::vector<int> kept;
  pattern::Folding const folding = largest_power_of_two(num_ranks);
  for (int size = folding.num_places() / 2; size > 0; size /= 2) {
    kept.push_back(size + std::min(size, folding.num_pairs()));
  }
  auto const num_steps = static_cast<int>(kept.size());
  std::int64_t const sum = std::reduce(kept.begin(), kept.end(), std::int64_t{0});
  bool const is_folded = folding.num_pairs() > 0;
  return {
      .rounds = num_steps + (is_folded ? 2 : 0),
      .messages = num_steps + (is_folded ? 1 : 0),
      .blocks = num_ranks - (is_folded ? 0 : 1),
      .scratch = is_folded ? num_ranks + kept.front() : num_ranks / 2 + num_ranks / 4,
      .volume = sum + (is_folded ? num_ranks + 1 : 0),
      .reductions = sum + (is_folded ? num_ranks : 0),
  };
}

}  // namespace espalier::algorithms
