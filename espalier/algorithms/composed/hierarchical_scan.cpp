// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/composed/hierarchical_scan.hpp"

#include <set>
#include <utility>

namespace espalier::algorithms {
namespace {

using schedule::Slot;

/// Rows of a level that have others before them, with their last ranks as roots.
std::vector<GroupShape> later_rows(Groups const& groups, std::size_t level) {
  std::set<GroupShape> result;
  for (int const size : groups.run_sizes(level)) {
    Rows const rows = groups.cut({.begin = 0, .size = size}, level);
    for (int row = 1; row < rows.num_rows(); ++row) {
      result.insert({.size = rows.row(row).size, .root = rows.row(row).size - 1});
    }
  }
  if (result.empty()) {
    result.insert({.size = 1, .root = 0});
  }
  return {result.begin(), result.end()};
}

/// The program of one rank.
class Scan {
public:
  Scan(HierarchicalScan const& plan, int rank)
      : hierarchy_(plan.hierarchy), rank_(rank), stages_(plan.stages(plan.num_pieces())),
        levels_(hierarchy_.groups.levels_of(rank)), leaf_(hierarchy_.groups.leaf_of(rank)),
        vector_(schedule::blocks(0, plan.num_pieces())), sum_(vector_),
        phases_(
            hierarchy_.up.collective(),
            output_frame(hierarchy_.groups.num_ranks, vector_.num_blocks),
            rank
        ) {}

  schedule::RankProgram run() && {
    scan_leaf();
    for (std::size_t level = levels_.size(); level-- > 0;) {
      std::size_t const stage = 1 + 2 * (levels_.size() - 1 - level);
      connect_rows(levels_[level], stages_[stage], stages_[stage + 1]);
    }
    return std::move(phases_).finish();
  }

private:
  [[nodiscard]] bool is_exclusive() const {
    return hierarchy_.up.collective() == Collective::exscan;
  }

  /// The last rank of a leaf needs the sum of the leaf: in an exscan that is not its result.
  void scan_leaf() {
    bool const keeps_sum = is_exclusive() && rank_ == leaf_.end() - 1;
    if (keeps_sum) {
      sum_ = phases_.builder().scratch(vector_);
      phases_.builder().copy(sum_, vector_);
    }
    Choice const& scan = hierarchy_.up;
    phases_.run({
        .algorithm = scan,
        .num_ranks = leaf_.size,
        .rank = rank_ - leaf_.begin,
        .rank_of = members(leaf_),
        .to = cut(vector_, scan.num_pieces(leaf_.size)),
    });
    if (keeps_sum && leaf_.size > 1) {
      after_all().reduce(sum_, vector_);
    }
    phases_.advance(stages_[0].num_rounds());
  }

  /// Ranks of every row but the first get the sum of the rows before it and put it in front.
  void connect_rows(Rows const& rows, Stage const& between, Stage const& within) {
    int const row = rows.row_of(rank_);
    RankRange const run = rows.row(row);
    Slot const before = row > 0 ? phases_.builder().scratch(vector_) : sum_;
    Choice const& across = hierarchy_.across;
    Phase const exscan{
        .algorithm = across,
        .num_ranks = rows.num_rows(),
        .rank = row,
        .rank_of = [&](int i) { return rows.row(i).end() - 1; },
        .to = cut(before, across.num_pieces(rows.num_rows())),
        .from = cut(sum_, across.num_pieces(rows.num_rows())),
    };
    phases_.run_stage(between, rank_ == run.end() - 1, exscan);
    if (row > 0) {
      Choice const& down = hierarchy_.down;
      phases_.run({
          .algorithm = down,
          .num_ranks = run.size,
          .rank = rank_ - run.begin,
          .root = run.size - 1,
          .rank_of = members(run),
          .to = cut(before, down.num_pieces(run.size)),
      });
      put_in_front(before, rank_ == run.begin, rank_ == rows.whole().end() - 1);
    }
    phases_.advance(within.num_rounds());
  }

  void put_in_front(Slot before, bool is_first, bool is_last) {
    if (is_exclusive() && is_first) {
      after_all().copy(vector_, before);
    } else {
      after_all().reduce(vector_, before);
    }
    if (is_exclusive() && is_last) {
      phases_.builder().reduce(sum_, before);
    }
  }

  /// The builder, for work in the round going on that needs all before.
  schedule::Builder& after_all() {
    schedule::Builder& builder = phases_.builder();
    return builder.wait_for_sends().next_round(builder.round());
  }

  Hierarchy const& hierarchy_;
  int rank_;
  std::vector<Stage> stages_;
  std::vector<Rows> levels_;
  RankRange leaf_;
  Slot vector_;
  Slot sum_;
  Phases phases_;
};

}  // namespace

std::string HierarchicalScan::refuses() const {
  std::string const reason = hierarchy.groups.refuses();
  return reason.empty() ? algorithms::refuses(stages()) : reason;
}

int HierarchicalScan::num_pieces() const {
  return common_pieces(stages());
}

std::vector<Stage> HierarchicalScan::stages(int num_blocks) const {
  Groups const& groups = hierarchy.groups;
  std::vector<Stage> result{
      stage_of_vector(hierarchy.up, groups.shapes(groups.num_levels(), 0), num_blocks)
  };
  for (std::size_t level = groups.num_levels(); level-- > 0;) {
    GroupShape const across{.size = groups.num_rows[level], .root = 0};
    result.push_back(stage_of_vector(hierarchy.across, {across}, num_blocks));
    result.push_back(stage_of_vector(hierarchy.down, later_rows(groups, level), num_blocks));
  }
  return result;
}

schedule::RankProgram HierarchicalScan::program(int rank) const {
  return Scan(*this, rank).run();
}

Facts HierarchicalScan::facts(
    Request const& request, schedule::RankProgram (*generate)(Request const&, int)
) const {
  Facts facts = with_counts(sum_of(stages(num_pieces())), request, generate);
  // Sums are put in front in a round that is not the same for all ranks.
  facts.reductions = std::nullopt;
  return facts;
}

}  // namespace espalier::algorithms
