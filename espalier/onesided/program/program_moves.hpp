// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/exec/memory/binding.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::onesided {

/// Adjacent bytes that an operation moves, from offset to offset in the buffers that it names.
struct Move {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::size_t num_bytes = 0;

  friend bool operator==(Move const&, Move const&) = default;
};

/// What the operations of a program move, worked out once: sources and pieces are cut where either
/// of them has a gap.
class ProgramMoves {
public:
  explicit ProgramMoves(exec::BoundProgram const& program);

  /// Positions of the moves of an operation, in its order.
  [[nodiscard]] schedule::Range of(std::size_t operation) const noexcept {
    return {.begin = first_[operation], .end = first_[operation + 1]};
  }

  [[nodiscard]] Move const& operator[](int index) const noexcept {
    return moves_[static_cast<std::size_t>(index)];
  }

  [[nodiscard]] std::size_t size() const noexcept { return moves_.size(); }

private:
  void add(exec::BoundProgram const& program, exec::BoundOperation const& operation);

  std::vector<Move> moves_;
  std::vector<int> first_;  ///< by operation, and the end of the last one
};

}  // namespace espalier::onesided
