// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

#include "espalier/schedule/program.hpp"

namespace espalier::cost {

/// Which operations of one program may start, as others complete.
class Dependences {
public:
  explicit Dependences(schedule::RankProgram const& program);

  /// Operations that wait for nothing.
  [[nodiscard]] std::vector<int> initially_ready() const;
  /// Marks an operation as complete; returns what may start now, in program order.
  std::vector<int> complete(int operation);

  [[nodiscard]] bool all_complete() const noexcept { return num_left_ == 0; }

private:
  /// Operations that wait for all of one kind (writes, or sends) before some position.
  struct Prefix {
    std::vector<int> waiting;  ///< operations, by the position they wait for
    std::size_t next = 0;      ///< in waiting
    int position = 0;          ///< everything of the kind before it is complete
  };

  [[nodiscard]] int position_for(Prefix const& prefix, int operation) const;
  void set_up(Prefix& prefix);
  void set_up_waits();
  void advance(Prefix& prefix, std::vector<int>& ready);
  void unblock(int operation, std::vector<int>& ready);

  schedule::RankProgram const* program_;
  std::vector<bool> complete_;
  std::vector<int> num_blockers_;
  Prefix writes_;
  Prefix sends_;
  std::vector<std::vector<int>> waiters_;  ///< of each operation; empty without explicit waits
  int num_left_;
};

}  // namespace espalier::cost
