// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>
#include <vector>

#include "espalier/schedule/program.hpp"

namespace espalier::schedule {

/// Writes a dataflow program: each operation comes with the list of those that it waits for.
class DataflowWriter {
public:
  DataflowWriter(Frame frame, int rank);

  /// @param slots, sources  In own memory, unless the kind says otherwise; own ones do not wrap, or
  ///     are as in a program with this frame.
  /// @return the index of the operation.
  int add(
      Operation operation,
      std::vector<Slot> const& slots,
      std::vector<Slot> const& sources,
      std::vector<int> const& waits
  );

  int add(Operation const& operation, std::vector<int> const& waits) {
    return add(operation, {}, {}, waits);
  }

  /// Behind everything so far.
  int add_last(Operation operation);

  [[nodiscard]] int size() const noexcept { return static_cast<int>(program_.operations.size()); }

  [[nodiscard]] RankProgram finish() && { return std::move(program_); }

private:
  Range store(std::vector<Slot> slots, bool is_remote);
  Range store(std::vector<int> waits);

  RankProgram program_;
};

}  // namespace espalier::schedule
