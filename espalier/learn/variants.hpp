// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

#include "espalier/algorithms/catalog.hpp"

namespace espalier::learn {

/// How many arguments two choices of one algorithm do not have in common.
[[nodiscard]]
int num_differences(algorithms::Choice const& one, algorithms::Choice const& other);

/// Variants of one algorithm in the order in which they are worth a look: an algorithm of several
/// phases has too many for all of them, and the best way of one phase hardly depends on those of
/// the others. So those come first that have most arguments in common with the best one so far,
/// which then become those with most in common with a better one. The choices must outlive this.
class Variants {
public:
  /// @param first  which one has looked at
  explicit Variants(algorithms::Choice const& first) : best_(&first) {}

  /// One more, by the number that its owner gave it. Of those that have as much in common, the one
  /// that was added first comes first.
  void add(std::size_t number, algorithms::Choice const& choice);

  [[nodiscard]] bool empty() const noexcept { return left_.empty(); }

  /// Not if empty().
  [[nodiscard]] std::size_t take_next();

  /// What comes next has most in common with this one.
  void prefer(algorithms::Choice const& better);

private:
  struct Variant {
    int num_differences;
    std::size_t number;
    algorithms::Choice const* choice;
  };

  void sort();

  algorithms::Choice const* best_;
  std::vector<Variant> left_;  ///< the next one last, if sorted
  bool is_sorted_ = true;
};

}  // namespace espalier::learn
