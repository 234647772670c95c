// SPDX-License-Identifier: Apache-2.0

/// @file
/// Locality-aware Bruck allgather: regions of n ranks gather their blocks; then each rank of a
/// region gets all that another region has, from a region of its own, and they gather again.
///
///     blocks held, p = 6, n=3     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     start                       0        1        2        3        4        5
///     after round 0               01       12       02       34       45       35
///     after round 1               012      012      012      345      345      345
///     after round 2               012      012345   012      345      012345   345
///     after round 3               012345   012345   012      012345   012345   345
///     after round 4               012345   012345   012345   012345   012345   012345
///
/// After i such steps a region has the blocks of k^i regions, its own first; rank l gets those of
/// the k^i regions that begin l k^i further on, l = 1 .. k - 1. With the usual k = n rank 0 rests;
/// it is rank n if k = n + 1, and rank n - 1 where a region is one rank smaller than others.
///
/// Rounds  inner(n) + ceil(log_k N) (1 + inner(n)), N = ceil(p / n) regions; fewer if the inner
///         algorithm brings nothing new in its last rounds.
/// Bytes   about m / n sent per rank to other regions, in ceil(log_k N) messages at most;
///         m (p - 1) by all ranks, m = bytes of the gathered result.
/// Valid   2 <= k <= size of the smallest region + 1, and what inner accepts; any datatype.
/// Source  [bienz2022]; k = n + 1 and unequal regions are ours.

#include <algorithm>

#include "espalier/algorithms/allgather/parts/regions.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

RegionalGathering gathering_of(Request const& request) {
  int const p = request.num_ranks;
  Rows const rows({.begin = 0, .size = p}, ceil_div(p, request.arguments.integer("n", 4)));
  return {
      .regions = {rows},
      .inner = Choice::parse(Collective::allgather, request.arguments.text("inner", "bruck")),
  };
}

int radix(Request const& request) {
  return request.arguments.integer("k", std::max(2, gathering_of(request).regions.region(0).size));
}

schedule::RankProgram generate(Request const& request, int rank) {
  int const p = request.num_ranks;
  int const k = radix(request);
  RegionalGathering const gathering = gathering_of(request);
  Regions const& regions = gathering.regions;
  int const own = regions.rows.row_of(rank);
  int const num_regions = regions.rows.num_rows();
  schedule::Builder builder(output_frame(p, p), rank);
  std::vector<schedule::Slot> got;  // by each rank of the region
  for (int i = 0; i < regions.region(own).size; ++i) {
    got.push_back(schedule::blocks(regions.rank_at(own, i)));
  }
  gathering.append(builder, got);
  for (std::int64_t held = 1; held < num_regions; held *= k) {
    std::ranges::fill(got, schedule::blocks(0, 0));
    for (int l = 1; l < k && l * held < num_regions; ++l) {
      auto const size = static_cast<int>(std::min(held, num_regions - l * held));
      schedule::Slot const foreign = regions.blocks(own + l * held, size);
      got[static_cast<std::size_t>(l) % got.size()] = foreign;
      if (regions.rank_at(own, l) == rank) {
        builder.recv(regions.rank_at(own + l * held, l), foreign);
        builder.send(regions.rank_at(own - l * held, l), regions.blocks(own, size));
      }
    }
    gathering.append(builder.next_round(), got);
  }
  return std::move(builder).finish();
}

std::string refuses(Request const& request) {
  int const most = gathering_of(request).regions.rows.smallest() + 1;
  if (int const k = radix(request); k > most) {
    return "needs k up to " + std::to_string(most) +
           ", one more than ranks in the smallest region, got " + std::to_string(k);
  }
  return gathering_of(request).refuses();
}

Facts facts(Request const& request) {
  Rows const& rows = gathering_of(request).regions.rows;
  Facts facts;
  // If regions are equal, so is what they send.
  int const end = rows.are_equal() ? rows.smallest() : request.num_ranks;
  for (int rank = 0; rank < end; ++rank) {
    schedule::RankProgram const program = generate(request, rank);
    include(facts, program);
    // In its last rounds the inner algorithm may have nothing new to send.
    facts.rounds = std::max(facts.rounds, program.num_rounds());
  }
  return facts;
}

}  // namespace

extern Algorithm const allgather_locality_bruck{
    .collective = Collective::allgather,
    .name = "locality_bruck",
    .summary = "regions gather, then each rank gets all of another region, and they gather again",
    .source = "bienz2022",
    .valid = "any number of ranks, k up to the smallest region + 1, and what inner accepts",
    .parameters =
        {{
             .name = "n",
             .type = Parameter::Type::integer,
             .fallback = "4",
             .description = "most ranks in a region, such as a node",
         },
         {
             .name = "k",
             .type = Parameter::Type::integer,
             .minimum = 2,
             .description = "a step makes what a region has k times as much; default n, at least 2",
         },
         {
             .name = "inner",
             .type = Parameter::Type::algorithm,
             .fallback = "bruck",
             .description = "algorithm within regions",
         }},
    .refuses = refuses,
    .generate = generate,
    .facts = facts,
    .variants = [](Request const& request) -> std::vector<std::string> {
      if (request.num_ranks > 33) {
        return {"[n=8]"};
      }
      return {"", "[n=3,inner=ring]", "[n=2,k=3]"};
    },
};

}  // namespace espalier::algorithms
