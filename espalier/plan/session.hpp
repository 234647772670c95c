// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/exec/node/mpi_node.hpp"
#include "espalier/plan/calls/calls.hpp"
#include "espalier/plan/clock.hpp"
#include "espalier/plan/communicators/contexts.hpp"
#include "espalier/plan/communicators/planned_requests.hpp"
#include "espalier/plan/communicators/started_calls.hpp"
#include "espalier/plan/communicators/underway.hpp"
#include "espalier/plan/devices/device_memory.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/irregular/irregular.hpp"
#include "espalier/plan/irregular/library.hpp"
#include "espalier/plan/irregular/mend.hpp"
#include "espalier/plan/learning/learning.hpp"
#include "espalier/plan/native_algorithms/native_selections.hpp"
#include "espalier/plan/native_reason.hpp"
#include "espalier/plan/notes.hpp"
#include "espalier/plan/settings/settings.hpp"
#include "espalier/plan/settings/statistics.hpp"
#include "espalier/plan/state.hpp"
#include "espalier/profile/decision.hpp"
#include "espalier/watch/beacon.hpp"

namespace espalier::plan {

/// What to do with one call.
struct CallDecision {
  /// Null: the native call, and nothing is recorded.
  State* state = nullptr;
  /// Null with a state: none yet, Session::run_irregular() is to be called.
  profile::Decision const* decision = nullptr;
  std::int64_t bytes = 0;
  int code = MPI_SUCCESS;  ///< anything else: return it, the user's error handler was called
};

/// What became of a call whose arguments are out of the ordinary on this rank.
struct IrregularRun {
  int code = MPI_SUCCESS;                       ///< as of Communicator::run()
  profile::Decision const* decision = nullptr;  ///< null: the rank could not take part
  std::int64_t bytes = 0;
};

/// What to do with one neighborhood call.
struct NeighborDecision {
  Neighbors* neighbors = nullptr;  ///< null: the native call
  neighborhood::Algorithm const* algorithm = nullptr;
  int code = MPI_SUCCESS;  ///< as in CallDecision
  State* state = nullptr;  ///< of the communicator, if it records or a choice is there
};

/// All that one MPI process (one MPI_COMM_WORLD) decides and remembers, between MPI_Init and
/// MPI_Finalize. Different threads may decide for different communicators at the same time.
class Session {
public:
  /// All ranks that have this session, and facts of them. What is said here of MPI_COMM_WORLD is
  /// meant of `comm`.
  struct World {
    int rank = 0;
    int num_ranks = 1;
    /// For each rank a number that ranks of one node share; empty: one node.
    std::vector<int> node_of_rank;
    int num_processors = 0;  ///< of this node; 0: as many as it has ranks
    /// Measuring programs have one of their own. It must outlive finish().
    MPI_Comm comm = MPI_COMM_WORLD;
    /// Makes the MPI library call a function, which returns how much was done, wherever it waits or
    /// polls; null: it cannot, and nonblocking calls are native. On all ranks or on none.
    void (*follow_progress)(int (*poll)() noexcept) noexcept = nullptr;
    DeviceMemory devices{};    ///< of this rank
    bool has_devices = false;  ///< some rank has some; on all ranks alike
    /// The memory of the nodes of `comm`, if other sessions use it, too; null: prepare() makes it
    /// where it may be needed.
    std::shared_ptr<exec::node::Node> node{};
  };

  /// Local. Settings must be equal on all ranks. Warnings of the settings are reported at once.
  /// @throws Error mpi.
  Session(Settings settings, World world, Notes::Log log);
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;
  Session(Session&&) = delete;
  Session& operator=(Session&&) = delete;
  /// After finish(); MPI may be finalised.
  ~Session();

  /// Collective over MPI_COMM_WORLD, in MPI_Init: makes what collectives need, if any may be
  /// served. Before this none is.
  /// @throws Error mpi.
  void prepare();

  /// Collective over `comm`, which the program just made: its ranks agree on a context. Without
  /// this its collectives are native. What cannot be served (intercommunicators, ranks outside
  /// MPI_COMM_WORLD) is left alone.
  /// @return MPI_SUCCESS, or a code that was delivered to the error handler of `comm`.
  int adopt(MPI_Comm comm) noexcept;

  /// Collective over `comm`, with an info that the program gave it: heeds the key `espalier_tune`.
  /// What is never served is left alone, as by adopt().
  /// @return MPI_SUCCESS, or a code that was delivered to the error handler of `comm`.
  int heed(MPI_Comm comm, MPI_Info info) noexcept;

  /// Local, except for what the standard makes equal on all ranks: communicator, result bytes.
  /// Allocates on the first use of a communicator only, and takes locks only then.
  template <typename Call>
  [[nodiscard]] CallDecision decide(Call const& call, MPI_Comm comm) noexcept;

  /// The same of a call that is only started. Trials are made of blocking calls alone. Inlined
  /// whatever else is compiled with it: as a call, it cost 50 instructions of 84.
  template <typename Call>
  [[nodiscard, gnu::always_inline]] CallDecision
  decide_start(Call const& call, MPI_Comm comm) noexcept;

  /// Starts a call that decide_start() decided. Local.
  /// @return as Communicator::start()
  template <typename Call>
  [[nodiscard]] int
  start(CallDecision const& decided, Call const& call, MPI_Request& request) noexcept;

  /// The same of one of which it says that it is irregular. @return code as of start().
  template <typename Call>
  [[nodiscard]] IrregularRun
  start_irregular(State& state, Call const& call, MPI_Comm comm, MPI_Request& request) noexcept;

  /// Makes a persistent request of a call that decide_start() decided, with a state. Collective
  /// over comm, as the initialisation: ranks agree that all of them can, so any rank may be out of
  /// the ordinary.
  /// @param request  null: this rank cannot take part
  /// @return MPI_SUCCESS, a refusal that is equal on all ranks, or a code that was delivered to the
  ///     error handler of comm
  template <typename Call>
  [[nodiscard]] int
  plan(CallDecision const& decided, Call const& call, MPI_Comm comm, MPI_Request* request) noexcept;

  /// Runs a call of which decide() says that it is irregular, see irregular.hpp. Collective over
  /// comm, as the call.
  template <typename Call>
  [[nodiscard]] IrregularRun run_irregular(State& state, Call const& call, MPI_Comm comm) noexcept;

  /// Collective over comm when it decides for a call on comm the first time, later local.
  [[nodiscard]] NeighborDecision decide(NeighborCall call, MPI_Comm comm) noexcept;

  [[nodiscard]] bool learns() const noexcept { return learning_.has_value(); }

  /// Ends the trial that the last call on a communicator was, if it was one. Collective over comm,
  /// as the call.
  /// @param is_native  the native call was made
  /// @return `code`, or one that was delivered to the error handler of comm.
  int end_trial(State& state, bool is_native, int code, MPI_Comm comm) noexcept;

  /// Null if nothing is learned.
  [[nodiscard]] Learning const* learning() const noexcept {
    return learning_ ? &*learning_ : nullptr;
  }

  /// What this process learned, as rank 0 of communicators. No other thread may be in a call.
  /// @param thinks_ahead  as Learning::think_ahead()
  [[nodiscard]] Learned learned(bool thinks_ahead);

  /// Why an algorithm of the MPI library, or a choice that asks for shared memory, does not serve a
  /// call on world().comm; empty if it does, and for all other choices. The same on all ranks.
  [[nodiscard]] std::string refuses(profile::Call call, algorithms::Choice const& choice) const;

  /// What is done after a refusal of Communicator::run().
  [[nodiscard]] profile::Decision const& after_refusal(int refusal) const noexcept;

  /// What was carried out of a decision, when Communicator::run() returned `code`.
  [[nodiscard]] profile::Decision const&
  carried_out(profile::Decision const& decision, int code) const noexcept {
    bool const is_refused = Communicator::is_refusal(code) && decision.choice;
    return is_refused ? after_refusal(code) : decision;
  }

  /// Collective over MPI_COMM_WORLD, right before PMPI_Finalize: frees what hangs on communicators
  /// that the user does not free. Nothing may be decided afterwards.
  void finish() noexcept;

  [[nodiscard]] Settings const& settings() const noexcept { return settings_; }

  [[nodiscard]] World const& world() const noexcept { return world_; }

  [[nodiscard]] bool records() const noexcept { return records_; }

  [[nodiscard]] Notes& notes() noexcept { return notes_; }

  [[nodiscard]] Notes const& notes() const noexcept { return notes_; }

  /// All calls so far, also on communicators in use. No other thread may be in a call.
  [[nodiscard]] Totals totals() const;
  [[nodiscard]] std::size_t memory_bytes() const;

private:
  /// None for arguments that are out of the ordinary on this rank.
  template <typename Call>
  static std::optional<std::int64_t> result_bytes(Call const& call, State& state);

  [[nodiscard]] profile::Decision const&
  decision_at(State const& state, profile::Call call, std::int64_t bytes) const noexcept {
    return is_empty(state, call, bytes) ? native_.decision(NativeReason::no_data)
                                        : state.table(call).at(bytes);
  }

  /// The same of a call that is only started.
  [[nodiscard]] profile::Decision const&
  decision_of_start(State const& state, profile::Call call, std::int64_t bytes) const noexcept {
    return is_empty(state, call, bytes) ? native_.decision(NativeReason::no_data)
                                        : state.table_of_started(call).at(bytes);
  }

  static bool is_empty(State const& state, profile::Call call, std::int64_t bytes) noexcept {
    return bytes == 0 && profile::has_known_size(call) && !state.facts().is_intercommunicator;
  }

  /// Whether a call that is only started can be served at all. The same on all ranks.
  [[nodiscard]] bool may_start(State const& state, profile::Call call) const noexcept {
    return contexts_.starts() && state.table_of_started(call).chooses();
  }

  template <typename Call>
  [[nodiscard]] int start_choice(
      State& state,
      algorithms::Choice const& choice,
      Call const& call,
      StartedCalls::Ending ending,
      MPI_Request& request
  ) noexcept;

  /// What runs in place of a decision while the program learns; a trial is noted in the state. The
  /// next call in the contest on this rank, as on all ranks of the communicator. Local.
  [[nodiscard]] profile::Decision const*
  contest(State& state, profile::Call call, std::int64_t bytes, profile::Decision const& decision);

  using TableKey = std::tuple<profile::Call, profile::Form, int, int, profile::Placement>;

  /// What serves the call, null if that is the native one. Collective.
  [[nodiscard]] neighborhood::Algorithm const*
  choose(NeighborCall call, State& state, MPI_Comm comm);

  static int on_delete(MPI_Comm comm, int keyval, void* attribute, void* session) noexcept;
  static int on_delete_context(MPI_Comm comm, int keyval, void* number, void* session) noexcept;
  [[nodiscard]] bool serves_any() const noexcept;
  [[nodiscard]] std::string
  refuses_native(profile::Call call, algorithms::Choice const& choice) const;
  [[nodiscard]] bool wants_memory() const;
  /// Collective over MPI_COMM_WORLD.
  void share_memory();
  /// Gives a communicator with a context its part of the memory, if there is some.
  void share_memory(State::Facts& facts);
  /// Collective over MPI_COMM_WORLD.
  void select_native();
  void claim_context(MPI_Comm comm);
  void set_context(MPI_Comm comm, int number);
  /// None if adopt() was not called, or there was none left.
  [[nodiscard]] std::optional<int> context_of(MPI_Comm comm) const;
  void make_native(MPI_Comm comm);
  void make_neighbors(MPI_Comm comm);
  /// Whether the program wants the communicator to be native.
  [[nodiscard]] bool is_left_alone(MPI_Comm comm) const;
  /// State of a communicator, made on first use; null if MPI does not know the communicator.
  State* find(MPI_Comm comm);
  State* find_attribute(MPI_Comm comm);
  State* create(MPI_Comm comm);
  void release(State* state) noexcept;
  [[nodiscard]] State::Facts facts_of(MPI_Comm comm);
  [[nodiscard]] CommunicatorClass
  class_of(CommunicatorFacts const& facts, std::vector<int> const& ranks) const;
  /// Sets the shape, too, where decisions depend on it.
  [[nodiscard]] State::Tables
  tables_for(MPI_Comm comm, State::Facts& facts, std::vector<int> const& ranks);
  profile::DecisionTable const& table_for(profile::CallForm call, profile::Shape shape);
  /// Of a communicator with these ranks of MPI_COMM_WORLD, in its order.
  [[nodiscard]] profile::Shape shape_of(std::vector<int> ranks) const;

  Settings settings_;
  World world_;
  bool records_;
  bool needs_native_;  ///< some choice has native phases, or is an algorithm of the library
  bool looks_at_all_;  ///< at calls that are native for sure, too
  std::array<bool, profile::num_calls> may_choose_{};
  std::array<bool, profile::num_calls> may_choose_started_{};  ///< of nonblocking calls
  std::array<bool, profile::num_calls> tells_forms_apart_{};
  int keyval_ = MPI_KEYVAL_INVALID;
  int context_keyval_ = MPI_KEYVAL_INVALID;
  int hint_keyval_ = MPI_KEYVAL_INVALID;  ///< its attribute is set where it is left alone
  Contexts contexts_;
  std::shared_ptr<exec::node::Node> node_;  ///< null: every message is one of MPI
  Library library_;
  NativeSelections native_selections_;

  NativeDecisions native_;
  Notes notes_;
  std::optional<Learning> learning_;

  mutable std::mutex mutex_;  ///< guards what follows
  std::map<TableKey, profile::DecisionTable> tables_;
  std::vector<std::unique_ptr<State>> states_;
};

/// Whether all ranks of an intracommunicator are ranks of MPI_COMM_WORLD: only they have the same
/// settings. The same on all of them.
/// @throws Error mpi.
[[nodiscard]] bool is_within_world(MPI_Comm comm);

template <typename Call>
std::optional<std::int64_t> Session::result_bytes(Call const& call, State& state) {
  try {
    return call.bytes(state.facts(), state.types());
  } catch (Error const&) {
    return std::nullopt;
  }
}

template <typename Call> CallDecision Session::decide(Call const& call, MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_NULL || (!looks_at_all_ && !may_choose_[profile::index_of(Call::call)])) {
    return {};
  }
  CallDecision decided;
  int const code = guard([&] {
    State* const state = find(comm);
    if (state == nullptr) {
      return MPI_SUCCESS;
    }
    profile::DecisionTable const& table = state->table(Call::call);
    if (!looks_at_all_ && !table.chooses()) {
      return MPI_SUCCESS;
    }
    if (auto const bytes = result_bytes(call, *state)) {
      profile::Decision const& decision = decision_at(*state, Call::call, *bytes);
      decided = {.state = state, .decision = &decision, .bytes = *bytes};
      if (learns()) [[unlikely]] {
        decided.decision = contest(*state, Call::call, *bytes, decision);
      }
    } else if (table.chooses() || learns()) {
      decided = {.state = state};
    }
    return MPI_SUCCESS;
  });
  if (code != MPI_SUCCESS) {
    decided.code = raise(comm, code);
  }
  return decided;
}

template <typename Call>
inline CallDecision Session::decide_start(Call const& call, MPI_Comm comm) noexcept {
  bool const may_choose = may_choose_started_[profile::index_of(Call::call)];
  if (comm == MPI_COMM_NULL || (!records_ && !may_choose)) {
    return {};
  }
  CallDecision decided;
  int const code = guard([&]() __attribute__((always_inline)) {
    State* const state = find(comm);
    if (state == nullptr || (!records_ && !may_start(*state, Call::call))) {
      return MPI_SUCCESS;
    }
    auto const bytes = result_bytes(call, *state);
    profile::Decision const* decision = nullptr;
    if (bytes) {
      decision = &decision_of_start(*state, Call::call, *bytes);
    }
    bool const is_served =
        bytes ? decision->choice.has_value() : state->table_of_started(Call::call).chooses();
    if (is_served && !contexts_.starts()) {
      decision =
          &native_.decision(world_.has_devices ? NativeReason::devices : NativeReason::no_progress);
    }
    if (is_served || bytes) {
      decided = {.state = state, .decision = decision, .bytes = bytes.value_or(0)};
    }
    return MPI_SUCCESS;
  });
  if (code != MPI_SUCCESS) {
    decided.code = raise(comm, code);
  }
  return decided;
}

template <typename Call>
int Session::start_choice(
    State& state,
    algorithms::Choice const& choice,
    Call const& call,
    StartedCalls::Ending ending,
    MPI_Request& request
) noexcept {
  world_.follow_progress(Underway::poll);
  return state.communicator().start(choice, call, state.started(), std::move(ending), request);
}

template <typename Call>
int Session::start(CallDecision const& decided, Call const& call, MPI_Request& request) noexcept {
  auto const& choice = decided.decision->choice;
  return choice ? start_choice(*decided.state, *choice, call, {}, request) : Communicator::refused;
}

template <typename Call>
int Session::plan(
    CallDecision const& decided, Call const& call, MPI_Comm comm, MPI_Request* request
) noexcept {
  State& state = *decided.state;
  if (!may_start(state, Call::call)) {
    return Communicator::refused;
  }
  // MPI_SUCCESS is not an int in every MPI.
  int const code = guard([&]() -> int {
    BoundCall bound;
    int result = Communicator::refused_agreement;
    if (decided.decision != nullptr && request != nullptr) {
      auto const& choice = decided.decision->choice;
      result = choice ? state.communicator().bind_planned(*choice, call, state.started(), bound)
                      : Communicator::refused;
    }
    bool const takes_part = result == MPI_SUCCESS;
    auto const slot = state.started().planned_slots().claim(comm, takes_part, decided.bytes);
    if (!slot) {
      return Communicator::is_refusal(result) ? result : Communicator::refused_agreement;
    }
    world_.follow_progress(Underway::poll);
    *request = PlannedRequests::add(std::move(bound), state.shared_started(), *slot);
    return MPI_SUCCESS;
  });
  return code == MPI_SUCCESS || Communicator::is_refusal(code) ? code : raise(comm, code);
}

template <typename Call>
IrregularRun Session::start_irregular(
    State& state, Call const& call, MPI_Comm comm, MPI_Request& request
) noexcept {
  IrregularRun run;
  int const code = guard([&] {
    auto const mended = std::make_shared<Mended<Call>>(mend(call, state.facts(), library_));
    run.bytes = mended->bytes;
    run.decision = &decision_of_start(state, Call::call, mended->bytes);
    if (!run.decision->choice) {
      run.code = Communicator::refused;
      return MPI_SUCCESS;
    }
    if (mended->first) {
      mended->add(unpack(mended->first->data, mended->first->place));
    }
    auto const ending = [mended] {
      if (mended->last) {
        mended->add(unpack(mended->last->data, mended->last->place));
      }
      return mended->code;
    };
    run.code = start_choice(state, *run.decision->choice, mended->call, ending, request);
    return MPI_SUCCESS;
  });
  if (code != MPI_SUCCESS) {
    state.communicator().leave_messages();
    run.code = raise(comm, code);
  }
  return run;
}

template <typename Call>
IrregularRun Session::run_irregular(State& state, Call const& call, MPI_Comm comm) noexcept {
  IrregularRun run;
  int const code = guard([&] {
    Mended<Call> mended = mend(call, state.facts(), library_);
    run.bytes = mended.bytes;
    run.decision = &decision_at(state, Call::call, mended.bytes);
    if (learns()) {
      run.decision = contest(state, Call::call, mended.bytes, *run.decision);
    }
    if (!run.decision->choice) {
      run.code = Communicator::refused;
      return MPI_SUCCESS;
    }
    if (mended.first) {
      mended.add(unpack(mended.first->data, mended.first->place));
    }
    if (watch::Beacon* const beacon = watch::current_beacon()) {
      beacon->set_algorithm(run.decision->choice->text());
    }
    run.code = state.communicator().run(*run.decision->choice, mended.call);
    if (run.code == MPI_SUCCESS) {
      if (mended.last) {
        mended.add(unpack(mended.last->data, mended.last->place));
      }
      run.code = mended.code == MPI_SUCCESS ? MPI_SUCCESS : raise(comm, mended.code);
    }
    return MPI_SUCCESS;
  });
  if (code != MPI_SUCCESS) {
    state.communicator().leave_messages();
    run.code = raise(comm, code);
  }
  return run;
}

}  // namespace espalier::plan
