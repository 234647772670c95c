// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/orders/tree_filling.hpp"

#include <algorithm>
#include <cstddef>

#include "espalier/base/integer.hpp"

namespace espalier::mapping {

TreeFilling::TreeFilling(
    RttMatrix const& matrix, std::span<int const> groups, int crossing_step, Counting counting
)
    : matrix_(matrix), group_of_(groups.begin(), groups.end()), ranks_(groups.size(), -1),
      is_placed_(groups.size()), free_(groups.size()), num_steps_(ceil_log2(matrix.num_ranks())),
      crossing_step_(std::min(crossing_step, num_steps_)), counting_(counting) {
  for (int const group : groups) {
    ++free(group);
  }
}

RankVector TreeFilling::run(int root) {
  put(0, root, 0);
  for (int step = 1; step <= num_steps_; ++step) {
    int const distance = 1 << (num_steps_ - step);
    for (int position = 0; position + distance < num_ranks(); position += 2 * distance) {
      serve(position, position + distance, step);
    }
  }
  return ranks_;
}

/// Ranks that a position filled in a step takes from its group, with itself: those of its part of
/// the tree; before the crossing step, of the part that is left to it after that.
int TreeFilling::wanted(int position, int step) const {
  if (counting_ == Counting::left) {
    return 1;
  }
  int const part = 1 << (num_steps_ - std::max(step, crossing_step_));
  return std::min(part, num_ranks() - position);
}

void TreeFilling::put(int position, int rank, int step) {
  ranks_[static_cast<std::size_t>(position)] = rank;
  is_placed_[static_cast<std::size_t>(rank)] = true;
  free(group_of(rank)) -= wanted(position, step);
}

void TreeFilling::serve(int position, int child, int step) {
  int const parent = ranks_[static_cast<std::size_t>(position)];
  int const size = wanted(child, step);
  if (counting_ == Counting::unclaimed && step > crossing_step_) {
    // What the parent claimed for the child's part.
    free(group_of(parent)) += size;
  }
  put(child, child_of(parent, size, step), step);
}

int TreeFilling::child_of(int parent, int size, int step) {
  int const own = nearest_own(parent);
  int const other = best_other(parent, size);
  if (own < 0 || other < 0) {
    return std::max(own, other);
  }
  bool const is_crossing = step == crossing_step_;
  int const first = is_crossing ? other : own;
  int const second = is_crossing ? own : other;
  int const free_first = free(group_of(first));
  return 2 * free_first >= size || free_first >= free(group_of(second)) ? first : second;
}

/// The nearest rank left of the parent's group, -1 if there is none.
int TreeFilling::nearest_own(int parent) const {
  int best = -1;
  for (int rank = 0; rank < num_ranks(); ++rank) {
    bool const is_candidate =
        !is_placed_[static_cast<std::size_t>(rank)] && group_of(rank) == group_of(parent);
    if (is_candidate && (best < 0 || matrix_(parent, rank) < matrix_(parent, best))) {
      best = rank;
    }
  }
  return best;
}

/// The rank of another group that is nearest among those of groups that fill a part, if none does,
/// of groups that fill most of it. -1 if no rank of another group is left.
int TreeFilling::best_other(int parent, int size) {
  int best = -1;
  for (int rank = 0; rank < num_ranks(); ++rank) {
    bool const is_candidate =
        !is_placed_[static_cast<std::size_t>(rank)] && group_of(rank) != group_of(parent);
    if (is_candidate && (best < 0 || is_better(parent, rank, best, size))) {
      best = rank;
    }
  }
  return best;
}

bool TreeFilling::is_better(int parent, int rank, int than, int size) {
  int const filled = std::min(size, free(group_of(rank)));
  int const filled_so_far = std::min(size, free(group_of(than)));
  return filled != filled_so_far ? filled > filled_so_far
                                 : matrix_(parent, rank) < matrix_(parent, than);
}

}  // namespace espalier::mapping
