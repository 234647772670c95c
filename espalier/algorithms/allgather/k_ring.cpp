// SPDX-License-Identifier: Apache-2.0

/// @file
/// K-ring allgather: a ring within each group of k neighbours, then again and again a step from
/// group to group in which every rank hands over one block, and a ring within the groups.
///
///     blocks held, p = 6, k=3     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     start                       0        1        2        3        4        5
///     after round 0               02       01       12       35       34       45
///     after round 1               012      012      012      345      345      345
///     after round 2               0123     0124     0125     0345     1345     2345
///     after round 3               01235    01234    01245    02345    01345    12345
///     after round 4               012345   012345   012345   012345   012345   012345
///
/// As many rounds and blocks as in the ring, but all others than one in k stay within groups.
///
/// Groups may differ by one rank. A smaller group has a place more than ranks; its rank 0 stands at
/// both ends of the group's ring, next to itself, and so hands over two blocks between groups.
///
/// Rounds  p - 1 for equal groups; g n - 1 in general, g = ceil(p / k) groups, n = ceil(p / g).
/// Bytes   m (p - 1) / p sent per rank if groups are equal, m = bytes of the gathered result.
/// Valid   p >= 1, k >= 1; any datatype, blocks are never split; in place.
/// Source  [wilkins2023], "k-ring"; unequal groups are ours.

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/choices/radix.hpp"
#include "espalier/algorithms/composed/rows.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

Rows groups_of(Request const& request) {
  int const p = request.num_ranks;
  int const k = request.arguments.integer("k", 4);
  return {{.begin = 0, .size = p}, ceil_div(p, k)};
}

/// Writes the program of one rank.
class KRing {
public:
  KRing(schedule::Builder& builder, Rows const& groups)
      : builder_(builder), groups_(groups), own_(groups.row_of(builder.rank())),
        n_(groups.row(0).size) {}

  void append() {
    int const place = builder_.rank() - group(0).begin;
    bool const has_two_places = place == 0 && group(0).size < n_;
    for (int round = 1; round < n_ * groups_.num_rows(); ++round) {
      append(round / n_, round % n_, place);
      if (has_two_places) {
        append(round / n_, round % n_, n_ - 1);
      }
      builder_.next_round();
    }
  }

private:
  /// Counted from the own group.
  [[nodiscard]] RankRange group(int offset) const {
    return groups_.row(wrap(own_ + offset, groups_.num_rows()));
  }

  [[nodiscard]] static int rank_at(RankRange const& group, int place) {
    return group.begin + place % group.size;
  }

  /// What a place does in a step: a hand-over is hop 0, rounds of the ring are hops 1 to n - 1.
  void append(int step, int hop, int place) {
    if (hop == 0) {
      if (RankRange const run = group(-step); place < run.size) {
        builder_.recv(rank_at(group(-1), place), schedule::blocks(run.begin + place));
      }
      if (RankRange const run = group(1 - step); place < run.size) {
        builder_.send(rank_at(group(1), place), schedule::blocks(run.begin + place));
      }
      return;
    }
    int const before = wrap(place - 1, n_);
    if (int const block = wrap(place - hop, n_); passes(step, block, before, place)) {
      builder_.recv(rank_at(group(0), before), schedule::blocks(group(-step).begin + block));
    }
    int const after = wrap(place + 1, n_);
    if (int const block = wrap(after - hop, n_); passes(step, block, place, after)) {
      builder_.send(rank_at(group(0), after), schedule::blocks(group(-step).begin + block));
    }
  }

  /// False if there is no such block, or the rank at the other place has it from the hand-over.
  [[nodiscard]] bool passes(int step, int block, int from, int to) const {
    int const receiver = rank_at(group(0), to);
    return block < group(-step).size && receiver != rank_at(group(0), from) &&
           receiver != rank_at(group(0), block);
  }

  schedule::Builder& builder_;
  Rows groups_;
  int own_;
  int n_;  // places in each group
};

schedule::RankProgram generate(Request const& request, int rank) {
  schedule::Builder builder(output_frame(request.num_ranks, request.num_ranks), rank);
  KRing(builder, groups_of(request)).append();
  return std::move(builder).finish();
}

Facts facts(Request const& request) {
  Rows const groups = groups_of(request);
  std::int64_t const g = groups.num_rows();
  std::int64_t const n = groups.row(0).size;
  std::int64_t sent = g * n - 1;
  Facts facts{.rounds = static_cast<int>(sent)};
  facts.volume = sent + (groups.are_equal() ? 0 : g - 1);
  if (!groups.are_equal() && n > 2) {
    // The first rank of a smaller group hands over the last blocks of the larger groups as well,
    // but not those of the group they go to, and has no last block of a smaller group to pass on.
    std::int64_t const larger = groups.whole().size - g * groups.smallest();
    sent = std::max(sent, g * (n - 1) - 1 + 2 * larger - (g - larger == 1 ? 1 : 0));
  }
  facts.messages = sent;
  facts.blocks = sent;
  return facts;
}

}  // namespace

extern Algorithm const allgather_k_ring{
    .collective = Collective::allgather,
    .name = "k_ring",
    .summary =
        "rings within groups of k neighbours, between them one block a rank to the next group",
    .source = "wilkins2023",
    .parameters = {{
        .name = "k",
        .type = Parameter::Type::integer,
        .fallback = "4",
        .description = "most ranks in a group",
    }},
    .generate = generate,
    .facts = facts,
    .variants = [](Request const& request) { return radix_variants(request.num_ranks, {3, 8}, 0); },
};

}  // namespace espalier::algorithms
