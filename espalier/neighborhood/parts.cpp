// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/parts.hpp"

#include <cstddef>
#include <numeric>

namespace espalier::neighborhood {

Parts::Parts(int num_ranks) : parent_(static_cast<std::size_t>(num_ranks)), num_(num_ranks) {
  std::iota(parent_.begin(), parent_.end(), 0);
}

void Parts::join(int one, int other) {
  int const root = root_of(one);
  int const other_root = root_of(other);
  num_ -= root == other_root ? 0 : 1;
  parent_[static_cast<std::size_t>(root)] = other_root;
}

int Parts::root_of(int rank) {
  while (true) {
    int& parent = parent_[static_cast<std::size_t>(rank)];
    if (parent == rank) {
      return rank;
    }
    parent = parent_[static_cast<std::size_t>(parent)];
    rank = parent;
  }
}

}  // namespace espalier::neighborhood
