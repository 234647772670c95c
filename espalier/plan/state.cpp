// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/state.hpp"

namespace espalier::plan {

State::State(MPI_Comm comm, Place const& place, Tables const& tables, bool records)
    : place_(place), tables_(tables), communicator_(comm, place.num_ranks, place.rank) {
  if (records) {
    recorder_.emplace();
  }
}

std::size_t State::memory_bytes() const noexcept {
  return sizeof(*this) - sizeof(communicator_) + communicator_.memory_bytes() +
         (recorder_ ? recorder_->memory_bytes() - sizeof(*recorder_) : 0);
}

}  // namespace espalier::plan
