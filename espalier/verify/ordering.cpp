// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/ordering.hpp"

#include <algorithm>
#include <cstddef>

namespace espalier::verify {

using schedule::Operation;

Ordering::Ordering(schedule::RankProgram const& program) : program_(program) {
  is_transitive_ = !program.is_dataflow() &&
                   std::ranges::none_of(program.operations, [](Operation const& operation) {
                     return operation.after_sends > 0;
                   });
  if (!is_transitive_) {
    visited_in_.assign(program.operations.size(), 0);
  }
}

bool Ordering::is_before(int earlier, int later) {
  if (waits_directly(later, earlier)) {
    return true;
  }
  // With prefixes alone the relation is transitive already: after <= own index.
  return !is_transitive_ && search(earlier, later);
}

bool Ordering::waits_directly(int later, int earlier) const {
  auto const& operations = program_.operations;
  Operation const& operation = operations[static_cast<std::size_t>(later)];
  if (operation.waits_by_position(operations[static_cast<std::size_t>(earlier)], earlier)) {
    return true;
  }
  return std::ranges::count(program_.waits(operation), earlier) > 0;
}

bool Ordering::search(int earlier, int later) {
  ++search_;
  pending_.assign(1, later);
  while (!pending_.empty()) {
    int const operation = pending_.back();
    pending_.pop_back();
    if (waits_directly(operation, earlier)) {
      return true;
    }
    visit(operation, earlier);
  }
  return false;
}

/// Puts the operations between `earlier` and `operation` for which the latter waits on the list.
void Ordering::visit(int index, int earlier) {
  auto const add = [&](int waited_for) {
    int& seen = visited_in_[static_cast<std::size_t>(waited_for)];
    if (waited_for > earlier && seen != search_) {
      seen = search_;
      pending_.push_back(waited_for);
    }
  };
  schedule::for_each_wait(program_, program_.operations[static_cast<std::size_t>(index)], add);
}

}  // namespace espalier::verify
