// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/exec/node/group.hpp"
#include "espalier/plan/calls/calls.hpp"
#include "espalier/plan/communicators/communicator.hpp"
#include "espalier/plan/communicators/contexts.hpp"
#include "espalier/plan/learning/learner.hpp"
#include "espalier/plan/learning/started_learner.hpp"
#include "espalier/plan/neighbors/neighbor_class.hpp"
#include "espalier/plan/neighbors/neighbors.hpp"
#include "espalier/plan/settings/statistics.hpp"
#include "espalier/plan/watched.hpp"
#include "espalier/profile/decision.hpp"

namespace espalier::plan {

/// What is known of one communicator of the user; hangs on it as an attribute.
/// Used by one thread at a time, as MPI demands of blocking collectives.
class State {
public:
  /// For each call the table that decides; never null, not owned.
  struct Tables {
    std::array<profile::DecisionTable const*, profile::num_calls> blocking{};
    std::array<profile::DecisionTable const*, profile::num_calls> nonblocking{};
    std::array<profile::DecisionTable const*, profile::num_calls> persistent{};

    void fill(profile::DecisionTable const* table) noexcept {
      blocking.fill(table);
      nonblocking.fill(table);
      persistent.fill(table);
    }
  };

  /// How messages of ours travel.
  struct Messages {
    std::optional<int> context;  ///< number of their context; none: there can be no messages yet
    /// What shares memory with this rank; null: all messages are those of MPI.
    std::shared_ptr<exec::node::Group> group;
    SharedMemory memory{};  ///< with that group
  };

  /// What a state is made of.
  struct Facts {
    CommunicatorFacts communicator;
    profile::Shape shape;
    Tables tables{};
    std::vector<int> world_ranks;  ///< of all ranks; empty: they are the same
    Messages messages{};
    bool records = false;
    CommunicatorClass alike;  ///< for statistics, if it records
  };

  /// @param contexts  those of which the context of messages is one
  /// @param self  as Library::self()
  State(MPI_Comm comm, Facts facts, Contexts& contexts, MPI_Comm self);

  [[nodiscard]] CommunicatorFacts const& facts() const noexcept { return facts_; }

  /// From now on there may be messages, with a context. Local; before the first choice is run.
  void use(Messages messages);

  /// Number of the context of its messages, if it has one.
  [[nodiscard]] std::optional<int> context() const noexcept { return context_; }

  [[nodiscard]] NamedTypes& types() noexcept { return types_; }

  [[nodiscard]] Communicator& communicator() noexcept { return communicator_; }

  /// Its nonblocking calls, made on first use. Local. Only with a context, if calls can be started.
  [[nodiscard]] StartedCalls& started() {
    if (started_ == nullptr) {
      started_ = std::make_shared<StartedCalls>(*contexts_, context_.value());
    }
    return *started_;
  }

  /// The same for whoever needs them longer.
  [[nodiscard]] std::shared_ptr<StartedCalls> shared_started() {
    return started().shared_from_this();
  }

  [[nodiscard]] profile::DecisionTable const& table(profile::Call call) const noexcept {
    return *tables_.blocking[profile::index_of(call)];
  }

  /// Whether rules choose for some blocking call, or would if its sizes stay.
  [[nodiscard]] bool chooses() const noexcept {
    auto const choose = [](profile::DecisionTable const* table) { return table->chooses(); };
    return std::ranges::any_of(tables_.blocking, choose) ||
           std::ranges::any_of(tables_.persistent, choose);
  }

  /// The same of nonblocking calls.
  [[nodiscard]] bool chooses_started() const noexcept {
    return std::ranges::any_of(tables_.nonblocking, [](profile::DecisionTable const* table) {
      return table->chooses();
    });
  }

  /// The same for calls that are only started.
  [[nodiscard]] profile::DecisionTable const& table_of_started(profile::Call call) const noexcept {
    return *tables_.nonblocking[profile::index_of(call)];
  }

  /// The same for calls that are made to be started any number of times.
  [[nodiscard]] profile::DecisionTable const& table_of_planned(profile::Call call) const noexcept {
    return *tables_.persistent[profile::index_of(call)];
  }

  /// Makes the communicators of native phases and of algorithms of the MPI library for what tables
  /// choose. Collective over the communicator, before its first call.
  /// @throws Error mpi.
  void make_native(NativeSelections const& selections);

  /// From now on other tables decide. No call may be underway.
  void set_tables(Tables const& tables) noexcept {
    tables_ = tables;
    communicator_.forget();
    neighbor_tables_.fill(nullptr);
  }

  /// Made on first use. Local.
  [[nodiscard]] Learner& learner() { return learner_ ? *learner_ : make_learner(); }

  /// The same of nonblocking calls. Made on first use. Local.
  [[nodiscard]] StartedLearner& started_learner(Learning& learning) {
    return started_learner_ ? *started_learner_ : make_started_learner(learning);
  }

  /// The nonblocking call that is about to be started is timed, unless the counts are null.
  void time_start(std::shared_ptr<Completions> counts) noexcept {
    timed_start_ = std::move(counts);
  }

  /// The counts of the call that was just started; null if it is not timed.
  [[nodiscard]] std::shared_ptr<Completions> take_timed_start() noexcept {
    return std::exchange(timed_start_, nullptr);
  }

  /// Notes what its communicator learned, before the state goes. Local.
  void leave(Learning& learning) {
    if (learner_) {
      learner_->leave(learning);
    }
    if (started_learner_) {
      started_learner_->leave();
    }
  }

  /// What is learned from the call underway.
  struct Trial {
    Contest* contest = nullptr;  ///< that counts it; null: none
    Clock::time_point start;     ///< of what follows
    bool is_trial = false;
    bool is_timed = false;    ///< only that
    bool has_choice = false;  ///< it is not the native call
  };

  [[nodiscard]] Trial& trial() noexcept { return trial_; }

  /// What neighborhood collectives need, made on first use. Local.
  [[nodiscard]] Neighbors& neighbors();

  /// From now on neighbors() needs no communicator, and rules may speak of its calls. Before its
  /// first call. The same on all ranks. @throws Error mpi.
  void take(PreparedNeighbors prepared, NeighborClass const& found);

  /// None before take().
  [[nodiscard]] std::optional<NeighborClass> const& neighbor_class() const noexcept {
    return neighbor_class_;
  }

  /// With the neighborhood, after take().
  [[nodiscard]] profile::Shape neighbor_shape() const noexcept;

  /// What decides for a neighborhood call; null if that is not known yet. Not owned.
  [[nodiscard]] profile::DecisionTable const*& neighbor_table(NeighborForm one) noexcept {
    return neighbor_tables_[index_of(one)];
  }

  [[nodiscard]] profile::Shape const& shape() const noexcept { return shape_; }

  /// As Facts::world_ranks.
  [[nodiscard]] std::vector<int> const& world_ranks() const noexcept { return world_ranks_; }

  /// Lets go of what hangs in MPI, see Communicator::abandon(). Local.
  void abandon() noexcept;

  /// Which communicators it is counted with, if it has a recorder.
  [[nodiscard]] CommunicatorClass const& alike() const noexcept { return alike_; }

  [[nodiscard]] Recorder* recorder() noexcept { return recorder_ ? &*recorder_ : nullptr; }

  /// The same of nonblocking calls, made on first use.
  [[nodiscard]] Recorder& recorder_of_started() {
    return recorder_of_started_ ? *recorder_of_started_ : recorder_of_started_.emplace();
  }

  /// The same of neighborhood calls, and to whom they send.
  struct NeighborCalls {
    std::vector<int> destinations;  ///< as destinations_of()
    NeighborRecorder recorder;
  };

  /// Made on first use. Local.
  /// @throws Error mpi.
  [[nodiscard]] NeighborCalls& neighbor_calls();

  /// Adds what was counted to totals or notes.
  template <typename Sink> void report(Sink& sink) const {
    if (recorder_) {
      sink.add(alike_, *recorder_, CountedForm::blocking);
      sink.add(own_communicators());
    }
    if (recorder_of_started_) {
      sink.add(alike_, *recorder_of_started_, CountedForm::nonblocking);
    }
    if (neighbor_calls_) {
      sink.add(alike_, neighbor_calls_->recorder);
    }
  }

  /// What the watch is told of the communicator, made on first use. Local.
  /// @throws Error mpi.
  [[nodiscard]] Watched& watched();

  /// What neighborhood collectives on the communicator made.
  [[nodiscard]] OwnCommunicators own_communicators() const noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  Learner& make_learner();
  StartedLearner& make_started_learner(Learning& learning);
  void make_groups();
  void make_selected(NativeSelections const& selections);

  CommunicatorFacts facts_;
  profile::Shape shape_;
  Tables tables_;
  std::vector<int> world_ranks_;
  std::optional<int> context_;
  Contexts* contexts_;
  std::shared_ptr<exec::node::Group> node_group_;  ///< before executors, which use it
  NamedTypes types_;
  Trial trial_;
  std::optional<Learner> learner_;  ///< has choices that the next one points to
  std::optional<StartedLearner> started_learner_;
  std::shared_ptr<Completions> timed_start_;
  std::unique_ptr<NativeGroups> groups_;     ///< null: none are needed
  std::unique_ptr<SelectedCalls> selected_;  ///< the same
  Communicator communicator_;
  std::shared_ptr<StartedCalls> started_;
  std::unique_ptr<Neighbors> neighbors_;
  std::optional<NeighborClass> neighbor_class_;
  std::array<profile::DecisionTable const*, num_neighbor_forms> neighbor_tables_{};
  CommunicatorClass alike_;
  std::optional<Recorder> recorder_;
  std::optional<Recorder> recorder_of_started_;
  std::optional<NeighborCalls> neighbor_calls_;
  std::optional<Watched> watched_;
};

}  // namespace espalier::plan
