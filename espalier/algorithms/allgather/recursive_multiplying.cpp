// SPDX-License-Identifier: Apache-2.0

/// @file
/// Recursive multiplying allgather: groups of up to k ranks at distance 1, then k, ... swap all
/// they have, everybody with everybody.
///
///     blocks held, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     start                  0        1        2        3        4        5
///     after round 0          012      012      012      345      345      345
///     after round 1          012345   012345   012345   012345   012345   012345
///
/// The group sizes multiply to p: they are given as `factors`, or the largest divisors up to k, one
/// after another. If p has a larger prime factor, it is the next smaller number without one, and
/// pairs of neighbours share a place, which the left one holds; that is a round before and one
/// after.
///
/// Rounds  number of factors, 2 more with pairs; up to k - 1 messages of a rank are in flight.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the result; with pairs up to three times that.
/// Valid   p >= 1, or from the product of factors to twice that; k >= 2; any datatype; in place.
/// Source  [wilkins2023], "recursive multiplying"; groups of several sizes are ours.

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/allgather/parts/folded.hpp"
#include "espalier/algorithms/choices/radix.hpp"
#include "espalier/pattern/factors.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

std::vector<int> factors_of(Request const& request) {
  std::vector<int> factors = request.arguments.integers("factors");
  if (factors.empty()) {
    int const k = request.arguments.integer("k", 4);
    for (int n = request.num_ranks; factors.empty() && n > 1; --n) {
      factors = pattern::divisors_up_to(n, k);
    }
  }
  return factors;
}

pattern::Folding folding_for(int num_ranks, std::vector<int> const& factors) {
  return {num_ranks, static_cast<int>(pattern::product(factors))};
}

schedule::RankProgram generate(Request const& request, int rank) {
  int const p = request.num_ranks;
  std::vector<int> const factors = factors_of(request);
  pattern::Folding const folding = folding_for(p, factors);
  auto const swap_all = [&](schedule::Builder& builder, int place) {
    int size = 1;  // of the run of places whose blocks a rank has
    for (int const factor : factors) {
      int const own = place / size;
      for (int i = 1; i < factor; ++i) {
        int const other = own / factor * factor + (own + i) % factor;
        int const peer = folding.rank_of(place + (other - own) * size);
        builder.recv(peer, blocks_of(folding, other * size, size));
        builder.send(peer, blocks_of(folding, own * size, size));
      }
      builder.next_round();
      size *= factor;
    }
  };
  schedule::Builder builder(output_frame(p, p), rank);
  return folded_allgather(std::move(builder), folding, static_cast<int>(factors.size()), swap_all);
}

std::string refuses(Request const& request) {
  int const p = request.num_ranks;
  std::int64_t const least = pattern::product(factors_of(request));
  return least <= p && p <= 2 * least
             ? ""
             : "needs the product of factors or up to twice that many ranks, got " +
                   std::to_string(p) + " ranks and product " + std::to_string(least);
}

/// Rank 0 sends most: it is of a pair if there is one, and in the first group of every round.
Facts facts(Request const& request) {
  std::vector<int> const factors = factors_of(request);
  pattern::Folding const folding = folding_for(request.num_ranks, factors);
  Facts facts{.rounds = static_cast<int>(factors.size())};
  int size = 1;
  for (int const factor : factors) {
    facts.messages += factor - 1;
    facts.blocks += std::int64_t{factor - 1} * blocks_of(folding, 0, size).num_blocks;
    size *= factor;
  }
  facts.volume = facts.blocks;
  if (folding.num_pairs() > 0) {
    facts.rounds += 2;
    facts.messages += 1;
    facts.blocks += request.num_ranks - 1;
    facts.volume = 1 + facts.blocks;
  }
  return facts;
}

}  // namespace

extern Algorithm const allgather_recursive_multiplying{
    .collective = Collective::allgather,
    .name = "recursive_multiplying",
    .summary = "groups of up to k ranks at distance 1, k, ... swap all they have",
    .source = "wilkins2023",
    .valid = "any number of ranks; with factors, from their product up to twice that",
    .parameters =
        {{
             .name = "k",
             .type = Parameter::Type::integer,
             .fallback = "4",
             .minimum = 2,
             .description = "most ranks in a group",
         },
         {
             .name = "factors",
             .type = Parameter::Type::integer_list,
             .minimum = 2,
             .description = "sizes of the groups, round by round, instead of k",
         }},
    .refuses = refuses,
    .generate = generate,
    .facts = facts,
    .variants = [](Request const& request) { return radix_variants(request.num_ranks, {3, 8}, 8); },
};

}  // namespace espalier::algorithms
