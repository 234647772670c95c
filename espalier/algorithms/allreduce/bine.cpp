// SPDX-License-Identifier: Apache-2.0

/// @file
/// Bine allreduce: partners at negabinary distances, about p / 3, p / 6, ..., 1, 1, swap halves,
/// and halves of halves; then the same backwards.
///
///     sent, p = 4     rank 0       rank 1       rank 2       rank 3
///     round 0         3:23(0)      2:23(1)      1:01(2)      0:01(3)
///     round 1         1:1(03)      0:0(12)      3:3(12)      2:2(03)
///     round 2         1:0(0123)    0:1(0123)    3:2(0123)    2:3(0123)
///     round 3         3:01(0123)   2:01(0123)   1:23(0123)   0:23(0123)
///
/// Against powers of two the distances on a ring are two thirds, and fewer messages leave groups of
/// ranks that are not aligned; groups of a power of two are left more often. With `whole=1`
/// partners swap whole vectors, once through the steps: for short ones.
///
/// If p is no power of two, the first ranks form pairs: the second hands its vector to the first,
/// stays aside, and gets the result at the end.
///
/// Rounds  2 log2 p, or log2 p; with pairs 2 more (and log2 rounded down).
/// Bytes   2 m (n - 1) / n sent per rank, or m log2 n; with pairs m more. m = bytes of the vector,
///         n = largest power of two in p.
/// Scratch 3/4 m, with pairs 3/2 m; or m.
/// Order   any.
/// Valid   p >= 1; the vector is cut into n pieces, or not at all.
/// Source  [desensi2025], butterflies with halving distances; [thakur2005] for the pairs.

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/allreduce/parts/stepwise_allreduce.hpp"
#include "espalier/algorithms/allreduce/parts/whole_vector.hpp"
#include "espalier/algorithms/reduce_scatter/parts/halvings.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/pattern/negabinary.hpp"

namespace espalier::algorithms {
namespace {

bool is_whole(Request const& request) {
  return request.arguments.integer("whole", 0) == 1;
}

schedule::RankProgram generate(Request const& request, int rank) {
  if (!is_whole(request)) {
    return folded_allreduce(request, rank, halve_negabinary_distances);
  }
  pattern::Folding const folding = largest_power_of_two(request.num_ranks);
  int const n = folding.num_places();
  int const place = folding.place_of(rank);
  std::vector<std::vector<int>> groups;
  // With growing distances ranks would add up the same numbers in different orders.
  for (int step = ceil_log2(n) - 1; step >= 0; --step) {
    int const peer = pattern::negabinary_partner(n, place, step);
    groups.push_back({std::min(place, peer), std::max(place, peer)});
  }
  return whole_vector_allreduce(rank, folding, groups);
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  if (!is_whole(request)) {
    return folded_allreduce_facts(p);
  }
  pattern::Folding const folding = largest_power_of_two(p);
  auto const num_steps = static_cast<std::size_t>(ceil_log2(folding.num_places()));
  return whole_vector_facts(folding, std::vector<int>(num_steps, 2));
}

int num_pieces(Request const& request) {
  return is_whole(request) ? 1 : largest_power_of_two(request.num_ranks).num_places();
}

}  // namespace

extern Algorithm const allreduce_bine{
    .collective = Collective::allreduce,
    .name = "bine",
    .summary = "halves, or whole vectors, are swapped at negabinary distances",
    .source = "desensi2025,thakur2005",
    .parameters = {{
        .name = "whole",
        .type = Parameter::Type::integer,
        .fallback = "0",
        .minimum = 0,
        .maximum = 1,
        .description = "1: swap whole vectors, in half as many rounds",
    }},
    .generate = generate,
    .facts = facts,
    .num_pieces = num_pieces,
    .variants = [](Request const&) { return std::vector<std::string>{"", "[whole=1]"}; },
};

}  // namespace espalier::algorithms
