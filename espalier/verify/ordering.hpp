// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/schedule/program.hpp"

namespace espalier::verify {

/// Which operations of one rank are complete when another one starts, whatever the timing.
///
/// Positions in `after` and `waits` must have been checked. Refers to the program.
class Ordering {
public:
  explicit Ordering(schedule::RankProgram const& program);

  /// True if `later` starts only after `earlier` is complete, directly or through others.
  [[nodiscard]] bool is_before(int earlier, int later);

private:
  [[nodiscard]] bool waits_directly(int later, int earlier) const;
  [[nodiscard]] bool search(int earlier, int later);
  void visit(int operation, int earlier);

  schedule::RankProgram const& program_;
  std::vector<int> pending_;
  std::vector<int> visited_in_;  ///< number of the search that saw the operation last
  int search_ = 0;
  bool is_transitive_ = true;  ///< waits_directly is: with prefixes of writes alone
};

}  // namespace espalier::verify
