// SPDX-License-Identifier: Apache-2.0

/// @file
/// Orthogonal allgather: first within rows of consecutive ranks, then between the rows, every rank
/// with those at its place in the other rows and with whole rows as blocks.
///
///     blocks held, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     start                  0        1        2        3        4        5
///     after round 0          02       01       12       35       34       45
///     after round 1          012      012      012      345      345      345
///     after round 2          012345   012345   012345   012345   012345   012345
///
/// With rows=AxB.. rows are gathered the same way from rows of their own; rows may differ by one
/// rank, and with sizes=AxB.. by any number. The last ranks of a larger row have no partner in the
/// smallest one: each gets the other rows from the ranks of its own row that have, each giving a
/// part. That costs a round for each, and a rank of such a row sends about m / (row size) more.
///
/// Rounds  inner(row size) + across(number of rows), and at each level the difference between the
///         largest row and the smallest beside it.
/// Bytes   m (p - 1) / p sent per rank if rows are equal, m = bytes of the gathered result.
/// Valid   p >= product of rows, and what inner and across accept; in place.
/// Source  [kuehnemann2004]; unequal rows are ours.

#include "espalier/algorithms/composed/orthogonal.hpp"

#include <algorithm>

#include "espalier/algorithms/allgather/parts/row_exchange.hpp"
#include "espalier/algorithms/composed/tried_phases.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

constexpr std::string_view default_inner = "ring";

Orthogonal phases_of(Request const& request) {
  return Orthogonal::parse(Collective::allgather, request, default_inner);
}

void append_inner(schedule::Builder& builder, RankRange const& leaf, Choice const& inner) {
  schedule::Embedding const embedding{
      .rank_of = [&](int i) { return leaf.begin + i; },
      .blocks_of = {schedule::blocks(leaf.begin), 1},
  };
  schedule::nest(builder, inner.generate(leaf.size, 0, builder.rank() - leaf.begin), embedding);
}

/// Rounds between rows of a level; one more for each rank of a row that has no partner.
int rounds_of_level(Orthogonal const& phases, std::size_t level) {
  return phases.across_rounds(level) + phases.groups.most_surplus(level);
}

schedule::RankProgram generate(Request const& request, int rank) {
  Orthogonal const phases = phases_of(request);
  std::vector<Rows> const levels = phases.groups.levels_of(rank);
  schedule::Builder builder(output_frame(request.num_ranks, request.num_ranks), rank);
  append_inner(builder, phases.groups.leaf_of(rank), phases.inner);
  int round = phases.inner_rounds();
  for (std::size_t level = levels.size(); level-- > 0;) {
    append_row_exchange(builder.next_round(round), levels[level], phases.across);
    round += rounds_of_level(phases, level);
  }
  return std::move(builder).finish();
}

int num_rounds(Request const& request) {
  Orthogonal const phases = phases_of(request);
  int rounds = phases.inner_rounds();
  for (std::size_t level = 0; level < phases.groups.num_rows.size(); ++level) {
    rounds += rounds_of_level(phases, level);
  }
  return rounds;
}

/// Messages and blocks of a phase among so many ranks, whose blocks stand for `weight` blocks.
void add_phase(Facts& sum, Choice const& phase, int num_ranks, int weight) {
  Facts const facts = phase.facts(num_ranks, 0);
  sum.messages += facts.messages;
  sum.blocks += facts.blocks * weight;
  sum.scratch += facts.scratch * weight;
}

Facts facts(Request const& request) {
  Orthogonal const phases = phases_of(request);
  Facts facts{.rounds = num_rounds(request), .volume = sum_of(phases.stages_of_parts(0)).volume};
  if (!phases.groups.are_equal()) {
    return with_counts(facts, request, generate);
  }
  // Rows have all places in all rows: some rank sends the most that is sent in each phase.
  add_phase(facts, phases.inner, phases.groups.leaf_sizes()[0], 1);
  for (std::size_t level = 0; level < phases.groups.num_levels(); ++level) {
    int const weight = phases.groups.run_sizes(level + 1)[0];
    add_phase(facts, phases.across, phases.groups.num_rows[level], weight);
  }
  return facts;
}

std::vector<std::string> variants(Request const& request) {
  std::vector<std::string> result =
      orthogonal_variants(Collective::allgather, request.num_ranks, default_inner);
  for (std::string const& across :
       tried_phases(Collective::allgather, Tried::between_rows, request.num_ranks)) {
    result.push_back(std::string("[inner=").append(default_inner) + ",across=" + across + "]");
  }
  return result;
}

}  // namespace

extern Algorithm const allgather_orthogonal{
    .collective = Collective::allgather,
    .name = "orthogonal",
    .summary = "first within rows of consecutive ranks, then between rows, whole rows as blocks",
    .source = "kuehnemann2004",
    .valid = "at least as many ranks as rows, and what inner and across accept",
    .parameters = orthogonal_parameters(default_inner),
    .refuses = [](Request const& request) { return phases_of(request).refuses(); },
    .generate = generate,
    .facts = facts,
    .rounds = num_rounds,
    .variants = variants,
};

}  // namespace espalier::algorithms
