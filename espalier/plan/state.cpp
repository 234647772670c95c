// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/state.hpp"

#include <utility>

namespace espalier::plan {

State::State(MPI_Comm comm, Facts facts, Contexts const& contexts, MPI_Comm self)
    : facts_(facts.communicator), shape_(facts.shape), tables_(facts.tables),
      world_ranks_(std::move(facts.world_ranks)), context_(facts.context), types_(self),
      communicator_(
          comm,
          {
              .context = context_ ? contexts.context(*context_, world_ranks_) : exec::MpiContext(),
              .num_ranks = facts_.num_ranks,
              .rank = facts_.rank,
          }
      ),
      alike_(std::move(facts.alike)) {
  if (facts.records) {
    recorder_.emplace();
  }
}

Learner& State::make_learner() {
  return learner_.emplace(Contest::Kind{
      .comm = communicator_.user(),
      .rank = facts_.rank,
      .shape = shape_,
      .world_ranks = &world_ranks_,
  });
}

Neighbors& State::neighbors() {
  if (neighbors_ == nullptr) {
    neighbors_ = std::make_unique<Neighbors>(communicator_.user());
  }
  return *neighbors_;
}

Watched& State::watched() {
  return watched_ ? *watched_ : watched_.emplace(communicator_.user());
}

void State::abandon() noexcept {
  communicator_.abandon();
  if (neighbors_ != nullptr) {
    neighbors_->abandon();
  }
}

OwnCommunicators State::own_communicators() const noexcept {
  return neighbors_ != nullptr ? neighbors_->own_communicators() : OwnCommunicators{};
}

std::size_t State::memory_bytes() const noexcept {
  return sizeof(*this) - sizeof(communicator_) + communicator_.memory_bytes() +
         world_ranks_.capacity() * sizeof(int) +
         (neighbors_ != nullptr ? neighbors_->memory_bytes() : 0) +
         (learner_ ? learner_->memory_bytes() - sizeof(*learner_) : 0) +
         (recorder_ ? recorder_->memory_bytes() - sizeof(*recorder_) : 0);
}

}  // namespace espalier::plan
