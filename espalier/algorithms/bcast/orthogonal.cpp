// SPDX-License-Identifier: Apache-2.0

/// @file
/// Orthogonal broadcast: first to one rank of every row of consecutive ranks, then within the rows.
///
///     blocks held, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     start                  0        -        -        -        -        -
///     after round 0          0        -        -        0        -        -
///     after round 1          0        -        0        0        -        0
///     after round 2          0        0        0        0        0        0
///
/// A row is represented by the rank at the root's place in its row, or by its last rank if it is
/// shorter. With rows=AxB.. rows distribute the same way among rows of their own; sizes=AxB.. gives
/// rows any sizes: with those of nodes this is the hierarchical broadcast. Inner algorithms that
/// cut the message get a common number of pieces.
///
/// Rounds  across(number of rows) + inner(row size).
/// Bytes   m times what inner and across send of a message, for the root; m = bytes of the message.
/// Valid   p >= product of rows, and what inner and across accept; any root; can be segmented if
///         inner and across can.
/// Source  [kuehnemann2004]; unequal rows are ours.

#include "espalier/algorithms/composed/orthogonal.hpp"

#include <algorithm>
#include <functional>

#include "espalier/algorithms/composed/tried_phases.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

constexpr std::string_view default_inner = "binomial";
constexpr std::int64_t most_pieces = 65536;

Orthogonal phases_of(Request const& request) {
  return Orthogonal::parse(Collective::bcast, request, default_inner);
}

std::string refuses(Request const& request) {
  Orthogonal const phases = phases_of(request);
  std::string reason = phases.refuses();
  if (!reason.empty() || phases.common_pieces(most_pieces) <= most_pieces) {
    return reason;
  }
  return "needs a layout whose phases have a common number of pieces up to " +
         std::to_string(most_pieces) + "; use a number of rows that divides " +
         std::to_string(request.num_ranks);
}

/// Appends a phase among the ranks rank_of(0), rank_of(1), ...; its pieces may be larger than ours.
void append(
    schedule::Builder& builder,
    schedule::RankProgram const& phase,
    std::function<int(int)> const& rank_of
) {
  int const size = builder.frame().num_output_blocks / phase.frame.num_output_blocks;
  schedule::BlockMap const blocks_of(schedule::blocks(0, size), size);
  schedule::nest(builder, phase, {.rank_of = rank_of, .blocks_of = blocks_of});
}

schedule::RankProgram generate(Request const& request, int rank) {
  Orthogonal const phases = phases_of(request);
  auto const num_pieces = static_cast<int>(phases.common_pieces(most_pieces));
  schedule::Builder builder(output_frame(request.num_ranks, num_pieces), rank);
  std::vector<Rows> const levels = phases.groups.levels_of(rank);
  int root = request.root;
  int round = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    Rows const& rows = levels[i];
    int const own = rows.row_of(rank);
    int const representative = rows.counterpart(root, own);
    if (rank == representative) {
      append(
          builder.next_round(round),
          phases.across.generate(rows.num_rows(), rows.row_of(root), own),
          [&](int row) { return rows.counterpart(root, row); }
      );
    }
    root = representative;
    round += phases.across_rounds(i);
  }
  RankRange const leaf = phases.groups.leaf_of(rank);
  append(
      builder.next_round(round),
      phases.inner.generate(leaf.size, root - leaf.begin, rank - leaf.begin),
      [&](int i) { return leaf.begin + i; }
  );
  return std::move(builder).finish();
}

/// The rank of a leaf that has the message first.
int root_of(Orthogonal const& phases, RankRange const& leaf, int root) {
  for (Rows const& rows : phases.groups.levels_of(leaf.begin)) {
    root = rows.counterpart(root, rows.row_of(leaf.begin));
  }
  return root;
}

int num_pieces(Request const& request) {
  return static_cast<int>(phases_of(request).common_pieces(most_pieces));
}

int num_rounds(Request const& request) {
  Orthogonal const phases = phases_of(request);
  int rounds = phases.inner_rounds();
  for (std::size_t i = 0; i < phases.groups.num_rows.size(); ++i) {
    rounds += phases.across_rounds(i);
  }
  return rounds;
}

Facts facts(Request const& request) {
  Orthogonal const phases = phases_of(request);
  Facts facts{.rounds = num_rounds(request)};
  facts.volume = sum_of(phases.stages_of_vector(request.root, num_pieces(request))).volume;
  if (num_pieces(request) > 1) {
    return with_counts(facts, request, generate);
  }
  // In a leaf the root of a tree sends most. Of all ranks the root does if leaves are equal.
  int const begin = phases.groups.are_equal() ? request.root : 0;
  int const end = phases.groups.are_equal() ? begin + 1 : request.num_ranks;
  for (int rank = begin; rank < end; rank = phases.groups.leaf_of(rank).end()) {
    RankRange const leaf = phases.groups.leaf_of(rank);
    include(facts, generate(request, root_of(phases, leaf, request.root)));
  }
  return facts;
}

std::vector<std::string> variants(Request const& request) {
  std::vector<std::string> result =
      orthogonal_variants(Collective::bcast, request.num_ranks, default_inner);
  if (request.num_ranks <= 33 || request.num_ranks > 64) {
    for (std::string const& inner :
         tried_phases(Collective::bcast, Tried::within_rows, request.num_ranks)) {
      result.push_back(std::string("[inner=" + inner + ",across=").append(default_inner) + "]");
    }
    result.emplace_back("[segments=16]");
  }
  return result;
}

}  // namespace

extern Algorithm const bcast_orthogonal{
    .collective = Collective::bcast,
    .name = "orthogonal",
    .summary = "first to one rank of every row of consecutive ranks, then within the rows",
    .source = "kuehnemann2004",
    .valid = "at least as many ranks as rows, and what inner and across accept",
    .parameters = orthogonal_parameters(default_inner),
    .refuses = refuses,
    .generate = generate,
    .facts = facts,
    .rounds = num_rounds,
    .num_pieces = num_pieces,
    .segment_period = [](Request const& request) { return phases_of(request).segment_period(); },
    .variants = variants,
};

}  // namespace espalier::algorithms
