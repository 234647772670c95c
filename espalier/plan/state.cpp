// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/state.hpp"

#include <utility>

#include "espalier/plan/neighbors/neighbor_topology.hpp"

namespace espalier::plan {
namespace {

/// Besides that of the object itself.
std::size_t memory_of(std::optional<Recorder> const& recorder) noexcept {
  return recorder ? recorder->memory_bytes() - sizeof(*recorder) : 0;
}

}  // namespace

State::State(MPI_Comm comm, Facts facts, Contexts& contexts, MPI_Comm self)
    : facts_(facts.communicator), shape_(facts.shape), tables_(facts.tables),
      world_ranks_(std::move(facts.world_ranks)), contexts_(&contexts), types_(self),
      communicator_(
          comm, {.context = exec::MpiContext(), .num_ranks = facts_.num_ranks, .rank = facts_.rank}
      ),
      alike_(std::move(facts.alike)) {
  use(std::move(facts.messages));
  if (facts.records) {
    recorder_.emplace();
  }
}

void State::use(Messages messages) {
  context_ = messages.context;
  if (!context_) {
    return;
  }
  node_group_ = std::move(messages.group);
  communicator_.use(contexts_->context(*context_, world_ranks_), messages.memory);
  if (learner_) {
    learner_->use(contexts_->exchange_context(*context_, world_ranks_));
  }
}

void State::make_groups() {
  std::vector<algorithms::Choice const*> choices;
  // What is started has no native phases.
  for (profile::DecisionTable const* const table : tables_.blocking) {
    for (profile::Decision const& decision : table->decisions()) {
      if (decision.choice && decision.choice->has_native_calls()) {
        choices.push_back(&*decision.choice);
      }
    }
  }
  if (!choices.empty() && context_ && *context_ < NativeGroups::most_communicators) {
    groups_ = std::make_unique<NativeGroups>();
    groups_->make(communicator_.user(), choices, facts_);
    communicator_.use(*groups_);
  }
}

void State::make_selected(NativeSelections const& selections) {
  if (!context_) {
    return;
  }
  for (profile::Call const call : profile::all_calls) {
    for (profile::Decision const& decision : table(call).decisions()) {
      NativeSelection const* const selection =
          decision.choice ? selections.find(call, *decision.choice) : nullptr;
      if (selection == nullptr) {
        continue;
      }
      if (selected_ == nullptr) {
        selected_ = std::make_unique<SelectedCalls>();
        communicator_.use(*selected_);
      }
      selected_->add(communicator_.user(), facts_.num_ranks, *selection, *context_);
    }
  }
}

void State::make_native(NativeSelections const& selections) {
  make_groups();
  make_selected(selections);
}

Learner& State::make_learner() {
  Contest::Kind const kind{
      .comm = communicator_.user(),
      .rank = facts_.rank,
      .shape = shape_,
      .world_ranks = &world_ranks_,
  };
  Exchange::Ranks ranks{
      .comm = communicator_.user(),
      .rank = facts_.rank,
      .num_ranks = facts_.num_ranks,
      .num_nodes = shape_.num_nodes,
      .world_ranks = world_ranks_,
  };
  if (context_) {
    ranks.context = contexts_->exchange_context(*context_, world_ranks_);
  }
  Learner& learner = learner_.emplace(kind, ranks);
  if (neighbor_class_) {
    learner.use(neighbor_shape(), neighbors());
  }
  return learner;
}

StartedLearner& State::make_started_learner(Learning& learning) {
  StartedLearner::Ranks const ranks{
      .rank = facts_.rank, .shape = shape_, .world_ranks = &world_ranks_
  };
  StartedLearner& learner = started_learner_.emplace(ranks, learning);
  if (neighbor_class_) {
    learner.use(neighbor_shape(), neighbors());
  }
  return learner;
}

void State::take(PreparedNeighbors prepared, NeighborClass const& found) {
  neighbors().take(std::move(prepared));
  neighbor_class_ = found;
}

profile::Shape State::neighbor_shape() const noexcept {
  profile::Shape shape = shape_;
  shape.topology = neighbor_class_->topology;
  shape.max_neighbors = neighbor_class_->max_neighbors;
  return shape;
}

Neighbors& State::neighbors() {
  if (neighbors_ == nullptr) {
    neighbors_ = std::make_unique<Neighbors>(communicator_.user());
  }
  return *neighbors_;
}

State::NeighborCalls& State::neighbor_calls() {
  return neighbor_calls_
             ? *neighbor_calls_
             : neighbor_calls_.emplace(NeighborCalls{destinations_of(communicator_.user()), {}});
}

Watched& State::watched() {
  return watched_ ? *watched_ : watched_.emplace(communicator_.user());
}

void State::abandon() noexcept {
  communicator_.abandon();
  if (started_ != nullptr) {
    started_->clear();
  }
  if (groups_ != nullptr) {
    groups_->abandon();
  }
  if (selected_ != nullptr) {
    selected_->abandon();
  }
  if (neighbors_ != nullptr) {
    neighbors_->abandon();
  }
}

OwnCommunicators State::own_communicators() const noexcept {
  OwnCommunicators total =
      neighbors_ != nullptr ? neighbors_->own_communicators() : OwnCommunicators{};
  if (groups_ != nullptr) {
    total.add(groups_->own_communicators());
  }
  if (selected_ != nullptr) {
    total.add(selected_->own_communicators());
  }
  return total;
}

std::size_t State::memory_bytes() const noexcept {
  return sizeof(*this) - sizeof(communicator_) + communicator_.memory_bytes() +
         world_ranks_.capacity() * sizeof(int) +
         (groups_ != nullptr ? groups_->memory_bytes() : 0) +
         (selected_ != nullptr ? selected_->memory_bytes() : 0) +
         (node_group_ != nullptr ? node_group_->memory_bytes() : 0) +
         (neighbors_ != nullptr ? neighbors_->memory_bytes() : 0) +
         (learner_ ? learner_->memory_bytes() - sizeof(*learner_) : 0) +
         (started_ != nullptr ? started_->memory_bytes() : 0) + memory_of(recorder_) +
         memory_of(recorder_of_started_) +
         (neighbor_calls_ ? neighbor_calls_->destinations.capacity() * sizeof(int) +
                                neighbor_calls_->recorder.memory_bytes()
                          : 0);
}

}  // namespace espalier::plan
