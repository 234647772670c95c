// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/state.hpp"

namespace espalier::plan {

State::State(MPI_Comm comm, Place const& place, Tables const& tables, bool records)
    : place_(place), tables_(tables), communicator_(comm, place.num_ranks, place.rank) {
  if (records) {
    recorder_.emplace();
  }
}

Neighbors& State::neighbors() {
  if (neighbors_ == nullptr) {
    neighbors_ = std::make_unique<Neighbors>(communicator_.user());
  }
  return *neighbors_;
}

void State::abandon() noexcept {
  communicator_.abandon();
  if (neighbors_ != nullptr) {
    neighbors_->abandon();
  }
}

OwnCommunicators State::own_communicators() const noexcept {
  OwnCommunicators made = communicator_.own_communicators();
  if (neighbors_ != nullptr) {
    made.add(neighbors_->own_communicators());
  }
  return made;
}

std::size_t State::memory_bytes() const noexcept {
  return sizeof(*this) - sizeof(communicator_) + communicator_.memory_bytes() +
         (neighbors_ != nullptr ? neighbors_->memory_bytes() : 0) +
         (recorder_ ? recorder_->memory_bytes() - sizeof(*recorder_) : 0);
}

}  // namespace espalier::plan
