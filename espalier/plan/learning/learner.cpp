// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/learner.hpp"

namespace espalier::plan {

Contest& Learner::make(
    profile::Call call, std::int64_t bytes, profile::Decision const& decision, Learning& learning
) {
  std::unique_ptr<OfSizes>& row = contests_[profile::index_of(call)];
  if (row == nullptr) {
    row = std::make_unique<OfSizes>();
  }
  Contest::Kind kind = kind_;
  kind.exchange = &exchange_;
  kind.call = call;
  kind.bytes = bytes;
  if (profile::is_neighborhood(call)) {
    kind.shape = neighbor_shape_;
    kind.neighbors = neighbors_;
  }
  kind.num_before = learning.count_contest(*kind.world_ranks, kind_of(call, kind.shape, bytes));
  std::unique_ptr<Contest>& place = (*row)[size_class(bytes)];
  place = std::make_unique<Contest>(kind, decision, learning);
  return *place;
}

void Learner::leave(Learning& learning) {
  for (auto const& row : contests_) {
    if (row == nullptr) {
      continue;
    }
    for (auto const& contest : *row) {
      if (contest != nullptr) {
        contest->leave(learning);
      }
    }
  }
}

std::size_t Learner::memory_bytes() const noexcept {
  std::size_t total = sizeof(*this) + exchange_.memory_bytes();
  for (auto const& row : contests_) {
    if (row == nullptr) {
      continue;
    }
    total += sizeof(*row);
    for (auto const& contest : *row) {
      total += contest != nullptr ? contest->memory_bytes() : 0;
    }
  }
  return total;
}

}  // namespace espalier::plan
