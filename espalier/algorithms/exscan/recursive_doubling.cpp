// SPDX-License-Identifier: Apache-2.0

/// @file
/// Recursive doubling exclusive scan: a few rounds send inclusive sums, at distances 1, 2, 4, ...;
/// with s ranks covered then, the others send exclusive sums at distances s, 2 s, 4 s, ...
///
///     sent, p = 6     rank 0   rank 1    rank 2    rank 3    rank 4   rank 5
///     round 0         1:0(0)   2:0(1)    3:0(2)    4:0(3)    5:0(4)   -
///     round 1         2:0(0)   3:0(01)   4:0(12)   5:0(23)   -        -
///     round 2         -        4:0(0)    5:0(01)   -         -        -
///
/// An inclusive sum covers one rank more than an exclusive one, but a rank that keeps both has two
/// operator calls per round. So `inclusive` is as small as ceil(log2 p) rounds allow, unless given:
/// 1 shifts the contributions by one rank and scans, 2 has the distances 1, 2, 3, 6, 12, ...
///
/// Rounds  ceil(log2 p), or with `inclusive` = i: while (2^i - 1) 2^(rounds - i) < p - 1.
/// Bytes   m sent per rank and round, m = bytes of the vector.
/// Scratch two vectors.
/// Order   rank.
/// Valid   p >= 1; can be segmented.
/// Source  [traeff2026], inclusive and exclusive phase; [traeff2025], "123-doubling".

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/exscan/parts/doubling_steps.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

std::vector<DoublingStep> steps_of(Request const& request) {
  return doubling_steps(request.num_ranks, request.arguments.integer("inclusive", 0));
}

/// Keeps the inclusive sum where the contribution was, and the exclusive one in scratch.
class Scanning {
public:
  Scanning(Request const& request, int rank)
      : num_ranks_(request.num_ranks), steps_(steps_of(request)),
        builder_(output_frame(num_ranks_, 1), rank), inclusive_(schedule::blocks(0)) {
    if (rank > 0) {
      exclusive_ = builder_.scratch(inclusive_);
      arriving_ = steps_.size() > 1 ? builder_.scratch(inclusive_) : exclusive_;
    }
  }

  schedule::RankProgram run() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      bool const goes_on = i + 1 < steps_.size() && steps_[i + 1].is_inclusive;
      step(steps_[i], goes_on && builder_.rank() + steps_[i + 1].distance < num_ranks_);
      builder_.next_round();
    }
    if (builder_.rank() > 0) {
      builder_.wait_for_sends().copy(inclusive_, exclusive_);
    }
    return std::move(builder_).finish();
  }

private:
  void step(DoublingStep const& step, bool is_inclusive_needed) {
    int const rank = builder_.rank();
    // Rank 0 has no exclusive sum.
    int const first = step.is_inclusive ? 0 : 1;
    bool const is_first_sum = builder_.round() == 0;
    int const below = rank - step.distance;
    schedule::Slot const arrived = is_first_sum ? exclusive_ : arriving_;
    if (below >= first) {
      builder_.recv(below, arrived);
    }
    if (rank >= first && rank + step.distance < num_ranks_) {
      builder_.send(rank + step.distance, step.is_inclusive ? inclusive_ : exclusive_);
    }
    if (below < first) {
      return;
    }
    builder_.wait_for_sends().next_round(builder_.round());
    if (!is_first_sum) {
      builder_.reduce(exclusive_, arrived);
    }
    if (is_inclusive_needed) {
      builder_.reduce(inclusive_, arrived);
    }
  }

  int num_ranks_;
  std::vector<DoublingStep> steps_;
  schedule::Builder builder_;
  schedule::Slot inclusive_;
  schedule::Slot exclusive_;
  schedule::Slot arriving_;
};

schedule::RankProgram generate(Request const& request, int rank) {
  return Scanning(request, rank).run();
}

Facts facts(Request const& request) {
  std::vector<DoublingStep> const steps = steps_of(request);
  auto const rounds = static_cast<int>(steps.size());
  std::int64_t reductions = std::max(rounds - 1, 0);
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    // Somebody hears at this distance and has an inclusive sum to send at the next one.
    bool const is_kept = steps[i].distance + steps[i + 1].distance < request.num_ranks;
    reductions += steps[i + 1].is_inclusive && is_kept ? 1 : 0;
  }
  return {
      .rounds = rounds,
      .messages = rounds,
      .blocks = rounds,
      .scratch = std::min(rounds, 2),
      .volume = rounds,
      .reductions = reductions,
  };
}

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks > 33) {
    return {"", "[inclusive=1]"};
  }
  return {"", "[inclusive=1]", "[inclusive=2]", "[inclusive=32,segments=3]"};
}

}  // namespace

extern Algorithm const exscan_recursive_doubling{
    .collective = Collective::exscan,
    .name = "recursive_doubling",
    .summary = "inclusive sums double the ranks covered, then exclusive sums, with fewer calls",
    .source = "traeff2025,traeff2026",
    .parameters = {{
        .name = "inclusive",
        .type = Parameter::Type::integer,
        .fallback = "0",
        .minimum = 0,
        .description = "rounds that send inclusive sums; 0: the fewest for ceil(log2 p) rounds",
    }},
    .generate = generate,
    .facts = facts,
    .order = [](Request const&) { return OperandOrder::rank; },
    .segment_period = [](Request const& request
                      ) { return std::max(1, static_cast<int>(steps_of(request).size())); },
    .variants = variants,
    .phase_variants = {{.tried = Tried::in_groups}},
};

}  // namespace espalier::algorithms
