// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

namespace espalier::neighborhood {

/// Into how many parts a graph falls: ranks that edges join, whatever their direction.
class Parts {
public:
  /// Each rank alone.
  explicit Parts(int num_ranks);

  void join(int one, int other);

  [[nodiscard]] int num() const noexcept { return num_; }

private:
  [[nodiscard]] int root_of(int rank);

  std::vector<int> parent_;
  int num_;
};

}  // namespace espalier::neighborhood
