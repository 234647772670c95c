// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/exec/node/mpi_node.hpp"
#include "espalier/mpi/attribute.hpp"
#include "espalier/plan/calls/calls.hpp"
#include "espalier/plan/communicators/contexts.hpp"
#include "espalier/plan/communicators/started_calls.hpp"
#include "espalier/plan/decision_tables.hpp"
#include "espalier/plan/irregular/irregular.hpp"
#include "espalier/plan/irregular/library.hpp"
#include "espalier/plan/learning/learning.hpp"
#include "espalier/plan/native_algorithms/native_selections.hpp"
#include "espalier/plan/native_reason.hpp"
#include "espalier/plan/notes.hpp"
#include "espalier/plan/settings/settings.hpp"
#include "espalier/plan/settings/statistics.hpp"
#include "espalier/plan/state.hpp"
#include "espalier/plan/world.hpp"
#include "espalier/profile/decision.hpp"

namespace espalier::plan {

struct AgreedHints;

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
  /// Null: the native call, and nothing is recorded.
  State* state = nullptr;
  /// Null without a state. One that does not serve the communicator is replaced already.
  profile::Decision const* decision = nullptr;
  std::int64_t block_bytes = 0;  ///< 0 where not all ranks know it
  int code = MPI_SUCCESS;        ///< as in CallDecision

  /// Null: the native call.
  [[nodiscard]] neighborhood::Algorithm const* algorithm() const noexcept {
    return decision == nullptr ? nullptr : decision->neighbors;
  }
};

/// All that one MPI process (one MPI_COMM_WORLD) decides and remembers, between MPI_Init and
/// MPI_Finalize. Different threads may decide for different communicators at the same time.
class Session {
public:
  using World = plan::World;

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

  /// Collective over `comm`, which the program just made: its ranks agree on what cannot be agreed
  /// on later, such as a context. What cannot be served (intercommunicators, ranks outside
  /// MPI_COMM_WORLD) is left alone.
  /// @return MPI_SUCCESS, or a code that was delivered to the error handler of `comm`.
  int adopt(MPI_Comm comm) noexcept;

  /// Collective over `comm`, with an info that the program gave it: heeds the keys `espalier_tune`
  /// and `espalier_fixed_sizes`. What is never served is left alone, as by adopt().
  /// @return MPI_SUCCESS, or a code that was delivered to the error handler of `comm`.
  int heed(MPI_Comm comm, MPI_Info info) noexcept;

  /// Local, except for what the standard makes equal on all ranks: communicator, result bytes; for
  /// what a promise of sizes needs the first time; and for contest(). Allocates on the first use of
  /// a communicator only, and takes locks only then. Inlined whatever else is compiled with it: as
  /// a call, it cost 50 instructions of 171.
  template <typename Call>
  [[nodiscard, gnu::always_inline]] CallDecision decide(Call const& call, MPI_Comm comm) noexcept;

  /// Whether calls of this kind may be remembered: nothing is to be known of each of them, except
  /// for what a contest counts.
  [[nodiscard]] bool remembers(profile::Call call) const noexcept {
    return remembers_any_ && may_choose_[profile::index_of(call)];
  }

  /// Whether the program promised of some communicator that sizes stay.
  [[nodiscard]] bool has_promises() const noexcept {
    return has_promises_.load(std::memory_order_relaxed);
  }

  /// State of a communicator that this thread used lately; else null. Local.
  [[nodiscard]] State* recent(MPI_Comm comm) const noexcept;

  /// The same of a call that is only started. Inlined whatever else is compiled with it: as a call,
  /// it cost 50 instructions of 84.
  template <typename Call>
  [[nodiscard, gnu::always_inline]] CallDecision
  decide_start(Call const& call, MPI_Comm comm) noexcept;

  /// The same of a call of which a persistent request is made. Where ranks agree on sizes then, the
  /// decision is only whether they have to, and that for no bytes.
  template <typename Call>
  [[nodiscard]] CallDecision decide_init(Call const& call, MPI_Comm comm) noexcept;

  /// Starts a call that decide_start() decided. Local.
  /// @return as Communicator::start()
  template <typename Call>
  [[nodiscard]] int
  start(CallDecision const& decided, Call const& call, MPI_Request& request) noexcept;

  /// The same of one of which it says that it is irregular. @return code as of start().
  template <typename Call>
  [[nodiscard]] IrregularRun
  start_irregular(State& state, Call const& call, MPI_Comm comm, MPI_Request& request) noexcept;

  /// Makes a persistent request of a call that decide_init() decided, with a state. Collective over
  /// comm, as the initialisation: ranks agree that all of them can, so any rank may be out of the
  /// ordinary.
  /// @param decided  becomes the decision for the size on which ranks agree
  /// @param request  null: this rank cannot take part
  /// @return MPI_SUCCESS, a refusal that is equal on all ranks, or a code that was delivered to the
  ///     error handler of comm
  template <typename Call>
  [[nodiscard]] int
  plan(CallDecision& decided, Call const& call, MPI_Comm comm, MPI_Request* request) noexcept;

  /// Runs a call of which decide() says that it is irregular, see irregular.hpp. Collective over
  /// comm, as the call.
  template <typename Call>
  [[nodiscard]] IrregularRun run_irregular(State& state, Call const& call, MPI_Comm comm) noexcept;

  /// The same of a neighborhood call. Where ESPALIER_FORCE names an algorithm, collective over comm
  /// when it decides for a call on comm the first time; otherwise local.
  template <AnyNeighborCall Call>
  [[nodiscard]] NeighborDecision decide(Call const& call, MPI_Comm comm) noexcept;

  /// The same of one that is only started. Local.
  template <AnyNeighborCall Call>
  [[nodiscard]] NeighborDecision decide_start(Call const& call, MPI_Comm comm) noexcept;

  /// The same of one of which a persistent request is made: as one that is only started, but it is
  /// no trial, and nothing is learned of it. Local.
  template <AnyNeighborCall Call>
  [[nodiscard]] NeighborDecision decide_init(Call const& call, MPI_Comm comm) noexcept;

  /// Starts a neighborhood call for which decide_start() has an algorithm, with right arguments.
  /// Local.
  /// @throws Error as Neighbors::start().
  template <AnyNeighborCall Call>
  void start(NeighborDecision const& decided, Call const& call, MPI_Request& request);

  /// Makes a persistent request of a neighborhood call that decide_init() decided, with a state.
  /// Collective over comm, as plan() of other calls.
  template <AnyNeighborCall Call>
  [[nodiscard]] int plan(
      NeighborDecision const& decided, Call const& call, MPI_Comm comm, MPI_Request* request
  ) noexcept;

  [[nodiscard]] bool learns() const noexcept { return learning_.has_value(); }

  /// Whether it learns of calls that are only started, too.
  [[nodiscard]] bool learns_of_starts() const noexcept {
    return learns() && world_.can_follow_progress;
  }

  /// Ends the trial that the last call on a communicator was, if it was one. Collective over comm,
  /// as the call.
  /// @param is_native  the native call was made
  /// @return `code`, or one that was delivered to the error handler of comm.
  int end_trial(State& state, bool is_native, int code, MPI_Comm comm) noexcept;

  /// Null if nothing is learned.
  /// @{
  [[nodiscard]] Learning const* learning() const noexcept {
    return learning_ ? &*learning_ : nullptr;
  }

  [[nodiscard]] Learning* learning() noexcept { return learning_ ? &*learning_ : nullptr; }

  /// @}

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
    bool const is_refused = Communicator::is_refusal(code) && !decision.is_native();
    return is_refused ? after_refusal(code) : decision;
  }

  /// Collective over MPI_COMM_WORLD, right before PMPI_Finalize: frees what hangs on communicators
  /// that the user does not free. Nothing may be decided afterwards.
  void finish() noexcept;

  [[nodiscard]] Settings const& settings() const noexcept { return settings_; }

  [[nodiscard]] World const& world() const noexcept { return world_; }

  /// That of our messages; MPI_COMM_NULL if no call can be started.
  [[nodiscard]] MPI_Comm comm_of_started() const noexcept {
    return contexts_.starts() ? contexts_.context(Contexts::world, {}).comm : MPI_COMM_NULL;
  }

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

  /// Why no call is started, where contexts do not.
  [[nodiscard]] NativeReason reason_not_to_start() const noexcept;

  /// Whether a call that is only started can be served at all. The same on all ranks.
  [[nodiscard]] bool may_start(State const& state, profile::Call call) const noexcept {
    return contexts_.starts() && state.table_of_started(call).chooses();
  }

  /// The same of one of which a persistent request is made.
  [[nodiscard]] bool may_plan(State const& state, profile::Call call) const noexcept {
    return contexts_.starts() && state.table_of_planned(call).chooses();
  }

  void follow(AgreedHints const& hints, MPI_Comm comm);

  /// Whether the program promised that sizes of such calls stay.
  template <typename Call>
  [[nodiscard, gnu::always_inline]] static bool has_promise([[maybe_unused]] State& state
  ) noexcept {
    if constexpr (profile::has_agreed_sizes(Call::call)) {
      return state.communicator().kept_sizes().are_promised();
    } else {
      return false;
    }
  }

  /// What decides for a call that has a promise; null: what decides for others. Collective over
  /// comm the first time, later local.
  /// @throws ClassError if sizes did not stay on this rank; Error mpi.
  template <typename Call>
  [[nodiscard, gnu::noinline]] profile::Decision const*
  decision_of_kept(State& state, Call const& call, MPI_Comm comm);

  /// Finds it out in the first call. Collective over comm.
  /// @throws Error mpi.
  template <typename Call>
    requires(profile::has_agreed_sizes(Call::call))
  void keep_sizes(State& state, Call const& call, MPI_Comm comm);

  /// Decides by the size on which the ranks agree. Collective over comm.
  /// @param takes_part  this rank can
  /// @return MPI_SUCCESS, or refused_agreement if one of them cannot
  /// @throws Error mpi.
  template <typename Call>
  [[nodiscard]] int
  agree_on_size(CallDecision& decided, Call const& call, MPI_Comm comm, bool takes_part);

  template <typename Call>
  [[nodiscard]] int start_choice(
      State& state,
      algorithms::Choice const& choice,
      Call const& call,
      StartedCalls::Ending ending,
      MPI_Request& request
  ) noexcept;

  /// What this rank has for a persistent request.
  struct PlannedHere {
    std::int64_t bytes;                          ///< that all ranks must speak of
    BoundCall bound{};                           ///< if it can take part
    int code = Communicator::refused_agreement;  ///< as of Communicator::bind_planned()
  };

  /// Makes the request if all ranks can take part.
  /// @return as plan()
  [[nodiscard]] int
  add_planned(State& state, PlannedHere here, MPI_Comm comm, MPI_Request* request) noexcept;

  /// What runs in place of a decision while the program learns; a trial is noted in the state. The
  /// next call in the contest on this rank, as on all ranks of the communicator. Local, unless the
  /// call is the first one there that sends messages of ours: then the ranks agree on a context.
  [[nodiscard]] profile::Decision const*
  contest(State& state, profile::Call call, std::int64_t bytes, profile::Decision const& decision);

  /// What a call runs that is only started, while the program learns. Whether it is timed is noted
  /// in the state. Counts the call, on all ranks of the communicator. Local.
  [[nodiscard]] profile::Decision const& turn_of_start(
      State& state, profile::Call call, std::int64_t bytes, profile::Decision const& stands
  );

  [[nodiscard]] bool may_choose(NeighborForm one) const noexcept {
    return may_choose_neighbors_[index_of(one)];
  }

  /// The MPI library may write into the requests of such calls, so none of them can be ours, see
  /// World::writes_into_requests.
  [[nodiscard]] bool is_written_when_started(profile::Call call) const noexcept;

  /// What runs in place of a decision while the program learns, as contest() and turn_of_start().
  [[nodiscard]] profile::Decision const& turn_of_neighbors(
      profile::CallForm call,
      State& state,
      std::int64_t block_bytes,
      profile::Decision const& decision
  );

  /// A persistent call has the decision of one that is only started.
  template <AnyNeighborCall Call>
  [[nodiscard]] NeighborDecision
  decide_in(profile::Form form, Call const& call, MPI_Comm comm) noexcept;

  /// What decides for a call. Collective the first time if an algorithm is forced, but not for a
  /// call that is only started.
  [[nodiscard]] profile::DecisionTable const& table(NeighborForm one, State& state, MPI_Comm comm);
  [[nodiscard]] profile::DecisionTable const&
  find_table(NeighborForm one, State& state, MPI_Comm comm);
  [[nodiscard]] profile::DecisionTable const&
  find_ruled(NeighborForm one, State& state, MPI_Comm comm);
  [[nodiscard]] profile::DecisionTable const&
  find_forced(NeighborForm one, profile::DecisionTable const& forced, State& state, MPI_Comm comm);
  /// For blocks of a size, 0 if not all ranks know it; of no data if they do.
  [[nodiscard]] profile::Decision const& decision_at(
      NeighborForm one, State& state, profile::DecisionTable const& table, std::int64_t block_bytes
  );
  /// The decision, or the one for the native call if its algorithm does not serve the communicator.
  [[nodiscard]] profile::Decision const&
  served(NeighborForm one, State& state, profile::Decision const& decision);
  /// Makes known what rules and learning need. Collective over a communicator that was just made.
  void survey_neighbors(MPI_Comm comm);

  static int on_delete(MPI_Comm comm, int keyval, void* attribute, void* session) noexcept;
  [[nodiscard]] std::string
  refuses_native(profile::Call call, algorithms::Choice const& choice) const;
  /// Rank 0 says what all ranks reckon with. Collective over MPI_COMM_WORLD.
  void ask_for_outlook(Learning& learning) const;
  [[nodiscard]] bool wants_memory() const;
  /// Collective over MPI_COMM_WORLD.
  void share_memory();
  /// Gives a communicator with a context its part of the memory, if there is some.
  /// @param world_ranks  as State::Facts::world_ranks
  void share_memory(State::Messages& messages, std::vector<int> const& world_ranks, int num_ranks);
  /// Collective over MPI_COMM_WORLD.
  void select_native();
  /// Gives a communicator that was just made a context, unless none but trials will need it. The
  /// same on all ranks.
  void give_context_early(MPI_Comm comm);
  /// Collective over the communicator, if it has none.
  void give_context(MPI_Comm comm);
  /// The same when a call needs one; from then on all are native, on all ranks, if there is none.
  /// @return whether it has a context
  bool give_context(State& state);
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
  /// Sets the shape, too, where decisions depend on it.
  [[nodiscard]] State::Tables
  tables_for(MPI_Comm comm, State::Facts& facts, std::vector<int> const& ranks);

  /// Leaves to the MPI library what World::writes_into_requests is about.
  void leave_written(State::Tables& tables) const noexcept;

  Settings settings_;
  World world_;
  bool records_;
  bool needs_native_;     ///< some choice has native phases, or is an algorithm of the library
  bool looks_at_all_;     ///< at calls that are native for sure, too
  bool looks_at_starts_;  ///< the same of calls that are only started
  bool remembers_any_;
  bool serves_any_;  ///< some call on some communicator
  /// Only calls that learn need contexts. On most communicators none does.
  bool gives_contexts_late_;
  std::atomic<bool> has_promises_{false};
  std::array<bool, profile::num_calls> may_choose_{};
  std::array<bool, profile::num_calls> may_choose_started_{};   ///< of nonblocking calls
  std::array<bool, profile::num_calls> may_choose_planned_{};   ///< of persistent calls
  std::array<bool, profile::num_calls> tells_started_apart_{};  ///< from blocking calls
  std::array<bool, profile::num_calls> tells_planned_apart_{};  ///< from nonblocking calls
  std::bitset<profile::num_calls>
      unforced_;  ///< blocking calls of which ESPALIER_FORCE says nothing
  std::array<bool, num_neighbor_forms> may_choose_neighbors_{};
  mpi::Attribute state_;  ///< of each communicator that was asked for it
  mpi::Attribute hint_;   ///< a null pointer where the program no longer wants to be left alone
  Contexts contexts_;
  std::shared_ptr<exec::node::Node> node_;  ///< null: every message is one of MPI
  Library library_;
  NativeSelections native_selections_;

  NativeDecisions native_;
  Notes notes_;
  std::optional<Learning> learning_;

  DecisionTables tables_;
  std::array<std::optional<profile::DecisionTable>, num_neighbor_forms> forced_neighbors_;

  mutable std::mutex mutex_;  ///< guards what follows
  std::vector<std::unique_ptr<State>> states_;
};

}  // namespace espalier::plan
