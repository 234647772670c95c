// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/session.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

#include "espalier/algorithms/choices/choice_arguments.hpp"
#include "espalier/algorithms/composed/native.hpp"
#include "espalier/mpi/handle_bits.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/mpi/world_ranks.hpp"
#include "espalier/plan/clock.hpp"
#include "espalier/plan/communicators/open_requests.hpp"
#include "espalier/plan/communicators/planned_requests.hpp"
#include "espalier/plan/communicators/underway.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/native_algorithms/native_menu.hpp"

namespace espalier::plan {
namespace {

/// Counts states that ended, in all sessions: a remembered state is valid as long as none ended
/// since. MPI may give the handle of a freed communicator to the next one.
constinit std::atomic<std::uint64_t> num_ended{0};

/// States this thread used last, so that most calls need not ask MPI for the attribute.
struct Recent {
  Session const* session = nullptr;
  State* state = nullptr;
  MPI_Comm comm{};
  std::uint64_t ended = 0;
};

constexpr std::size_t num_recent = 4;

// The initial-exec model costs no call; the library is loaded with the program, never later. Only
// SimGrid loads a copy of the program for each rank, and there is no room for all of them.
#ifdef ESPALIER_MPI_SIMULATED
constinit thread_local std::array<Recent, num_recent> recent{};
#else
[[gnu::tls_model("initial-exec")]] constinit thread_local std::array<Recent, num_recent> recent{};
#endif

/// The place of a communicator among the recent ones.
Recent& recent_place(MPI_Comm comm) noexcept {
  static_assert(std::has_single_bit(num_recent));
  constexpr int shift = 64 - std::countr_zero(num_recent);
  return recent[(mpi::bits_of(comm) * 0x9e3779b97f4a7c15U) >> shift];
}

}  // namespace

Session::Session(Settings settings, World world, Notes::Log log)
    : settings_(std::move(settings)), world_(std::move(world)), records_(settings_.records()),
      needs_native_(settings_.has_native_phases() || !settings_.wanted_native().empty()),
      looks_at_all_(records_ || settings_.learning.has_value()),
      looks_at_starts_(records_ || (settings_.learning && world_.can_follow_progress)),
      remembers_any_(!records_ && !world_.has_devices), serves_any_(settings_.may_choose_any()),
      gives_contexts_late_(!settings_.has_choices() && !needs_native_), state_(on_delete, this),
      notes_(std::move(log)), tables_(settings_, notes_) {
  for (profile::Call const call : profile::all_calls) {
    profile::CallForm const started{.call = call, .form = profile::Form::nonblocking};
    profile::CallForm const planned{.call = call, .form = profile::Form::persistent};
    // Where sizes stay, rules for persistent calls serve blocking ones, too.
    may_choose_[profile::index_of(call)] =
        settings_.may_choose(call) ||
        (profile::has_agreed_sizes(call) && settings_.may_choose(planned));
    may_choose_started_[profile::index_of(call)] = settings_.may_choose(started);
    may_choose_planned_[profile::index_of(call)] = settings_.may_choose(planned);
    tells_started_apart_[profile::index_of(call)] = settings_.tells_apart(started);
    tells_planned_apart_[profile::index_of(call)] = settings_.tells_apart(planned);
    unforced_.set(profile::index_of(call), settings_.forced_for({.call = call}) == nullptr);
  }
  for (NeighborForm const one : all_neighbor_forms) {
    may_choose_neighbors_[index_of(one)] = settings_.may_choose(one) && !world_.has_devices;
    if (profile::Decision const* const forced = settings_.forced_for(one)) {
      forced_neighbors_[index_of(one)].emplace(*forced);
    }
  }
  if (settings_.learning) {
    learning_.emplace(settings_, world_.node_of_rank, world_.occupancy);
  }
  for (std::string const& line : settings_.warnings) {
    notes_.warn(line);
  }
}

Session::~Session() {
  // The next session may have the same address.
  num_ended.fetch_add(1, std::memory_order_acq_rel);
}

int Session::on_delete(MPI_Comm, int, void* attribute, void* session) noexcept {
  static_cast<Session*>(session)->release(static_cast<State*>(attribute));
  return MPI_SUCCESS;
}

void Session::prepare() {
  if (!serves_any_) {
    return;
  }
  contexts_.open(world_.comm, world_.follow_progress != nullptr);
  library_.open();
  if (learning_) {
    ask_for_outlook(*learning_);
  }
  share_memory();
  if (learning_ && !world_.has_concurrent_calls) {
    learning_->let_communicators_have_order();
  }
  std::vector<int> ranks(static_cast<std::size_t>(world_.num_ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  if (auto const complaint = complaint_about_shape(settings_, world_.shape_of(std::move(ranks)))) {
    notes_.warn(*complaint);
  }
  select_native();
  make_native(world_.comm);
}

void Session::select_native() {
  std::vector<WantedNative> const wanted = settings_.wanted_native();
  if (wanted.empty()) {
    return;
  }
  native_selections_.open(world_.comm, wanted);
  for (std::string const& problem : native_selections_.problems()) {
    notes_.warn(problem + "; using the native call");
  }
}

std::string Session::refuses_native(profile::Call call, algorithms::Choice const& choice) const {
  if (native_selections_.find(call, choice) != nullptr) {
    return refuses_ranks(choice, world_.num_ranks);
  }
  std::vector<std::string> const& problems = native_selections_.problems();
  return problems.empty() ? choice.text() + " was not asked for" : problems.front();
}

std::string Session::refuses(profile::Call call, algorithms::Choice const& choice) const {
  if (algorithms::is_of_library(choice)) {
    return refuses_native(call, choice);
  }
  bool const is_served = !algorithms::wants_shared_memory(choice) ||
                         (node_ != nullptr && node_->serves(Contexts::world));
  return is_served ? std::string()
                   : native_reason_texts[static_cast<std::size_t>(NativeReason::refused_memory)];
}

void Session::ask_for_outlook(Learning& learning) const {
  Learning::Outlook outlook;
  if (world_.rank == 0) {
    outlook = learning.outlook(world_.num_ranks);
  }
  mpi::require_success(PMPI_Bcast(&outlook, sizeof outlook, MPI_BYTE, 0, world_.comm), "MPI_Bcast");
  learning.heed(outlook);
}

profile::Decision const* Session::contest(
    State& state, profile::Call call, std::int64_t bytes, profile::Decision const& decision
) {
  bool const is_contested = decision.is_open || (decision.rule >= 0 && !decision.is_native());
  if (!is_contested) {
    state.trial() = {};
    return &decision;
  }
  Contest& contest = state.learner().contest(call, bytes, decision, *learning_);
  Contest::Turn const turn = contest.next();
  bool const needs_context = !state.context() && (turn.is_trial || !turn.decision->is_native());
  if (needs_context && !give_context(state)) [[unlikely]] {
    state.trial() = {};
    return &native_.decision(NativeReason::no_context);
  }
  if (needs_context) {
    contest.count_agreement();
  }
  if (!turn.is_trial && !turn.is_timed) {
    state.trial() = {.contest = &contest};
    return turn.decision;
  }
  Clock::time_point const start = Clock::now();
  contest.begin(start, turn);
  state.trial() = {
      .contest = &contest,
      .start = start,
      .is_trial = turn.is_trial,
      .is_timed = turn.is_timed,
      .has_choice = !turn.decision->is_native(),
  };
  return turn.decision;
}

profile::Decision const& Session::turn_of_start(
    State& state, profile::Call call, std::int64_t bytes, profile::Decision const& stands
) {
  bool const is_learned = stands.rule >= 0 && stands.source == profile::Source::memory;
  if (!learning_ || (!stands.is_open && !is_learned) || is_written_when_started(call)) {
    return stands;
  }
  bool const may_try = contexts_.starts() && state.context();
  StartedTrials::Turn turn = state.started_learner(*learning_).next(call, bytes, stands, may_try);
  state.time_start(std::move(turn.counts));
  return *turn.decision;
}

bool Session::is_written_when_started(profile::Call call) const noexcept {
  bool const has_arrays = profile::is_neighborhood(call) ? !has_equal_blocks(neighbor_call(call))
                                                         : call == profile::Call::alltoallw;
  return world_.writes_into_requests && has_arrays;
}

int Session::end_trial(State& state, bool is_native, int code, MPI_Comm comm) noexcept {
  State::Trial const trial = std::exchange(state.trial(), {});
  if (trial.is_timed) {
    trial.contest->note_time(trial.start, is_native && trial.has_choice, *learning_);
  }
  if (!trial.is_trial) {
    return code;
  }
  int const problem = guard([&] {
    trial.contest->conclude(trial.start, is_native && trial.has_choice, *learning_);
    return MPI_SUCCESS;
  });
  return problem == MPI_SUCCESS ? code : raise(comm, problem);
}

int Session::add_planned(
    State& state, PlannedHere here, MPI_Comm comm, MPI_Request* request
) noexcept {
  // MPI_SUCCESS is not an int in every MPI.
  int const code = guard([&]() -> int {
    bool const takes_part = here.code == MPI_SUCCESS;
    auto& slots = state.started().planned_slots();
    auto const slot = slots.claim(comm, find_largest_at_once, takes_part, here.bytes);
    if (!slot) {
      return Communicator::is_refusal(here.code) ? here.code : Communicator::refused_agreement;
    }
    world_.follow_progress(Underway::poll);
    *request = PlannedRequests::add(std::move(here.bound), state.shared_started(), *slot);
    return MPI_SUCCESS;
  });
  return code == MPI_SUCCESS || Communicator::is_refusal(code) ? code : raise(comm, code);
}

NativeReason Session::reason_not_to_start() const noexcept {
  if (world_.has_devices) {
    return NativeReason::devices;
  }
  return settings_.has_choices() || settings_.starts_what_was_learned()
             ? NativeReason::no_progress
             : NativeReason::only_learned;
}

profile::Decision const& Session::after_refusal(int refusal) const noexcept {
  return native_.decision(Communicator::reason_of(refusal));
}

State* Session::recent(MPI_Comm comm) const noexcept {
  Recent const& place = recent_place(comm);
  std::uint64_t const ended = num_ended.load(std::memory_order_acquire);
  bool const is_here = place.comm == comm && place.session == this && place.ended == ended;
  return is_here ? place.state : nullptr;
}

State* Session::find(MPI_Comm comm) {
  State* const state = recent(comm);
  return state != nullptr ? state : find_attribute(comm);
}

// Apart from what every call does, as its registers would have to be saved there.
[[gnu::noinline]] State* Session::find_attribute(MPI_Comm comm) {
  std::uint64_t const ended = num_ended.load(std::memory_order_acquire);
  std::optional<void*> attribute;
  if (state_.find(comm, attribute) != MPI_SUCCESS) {
    return nullptr;
  }
  State* const state = attribute ? static_cast<State*>(*attribute) : create(comm);
  recent_place(comm) = {.session = this, .state = state, .comm = comm, .ended = ended};
  return state;
}

State* Session::create(MPI_Comm comm) {
  auto state = std::make_unique<State>(comm, facts_of(comm), contexts_, library_.self());
  if (world_.devices.is_present()) {
    state->communicator().use(world_.devices);
  }
  state->communicator().keep_vectors_whole(unforced_);
  State* const address = state.get();
  {
    std::lock_guard const lock(mutex_);
    states_.push_back(std::move(state));
  }
  try {
    state_.set(comm, address);
  } catch (Error const&) {
    release(address);
    throw;
  }
  return address;
}

void Session::release(State* state) noexcept {
  std::unique_ptr<State> owned;
  num_ended.fetch_add(1, std::memory_order_acq_rel);
  {
    std::lock_guard const lock(mutex_);
    auto const found =
        std::ranges::find_if(states_, [&](auto const& s) { return s.get() == state; });
    if (found == states_.end()) {
      return;
    }
    owned = std::move(*found);
    *found = std::move(states_.back());
    states_.pop_back();
    if (owned->communicator().has_left_messages() && owned->context()) {
      contexts_.retire(*owned->context());
    }
    owned->report(notes_);
    if (learning_) {
      static_cast<void>(guard([&] {
        owned->leave(*learning_);
        return MPI_SUCCESS;
      }));
    }
  }
  std::optional<int> const context = owned->context();
  owned.reset();
  if (gives_contexts_late_ && context) {
    contexts_.let_go(*context);
  }
}

State::Facts Session::facts_of(MPI_Comm comm) {
  State::Facts facts{.communicator = facts_of_communicator(comm), .records = records_};
  std::vector<int> ranks;
  if (!facts.communicator.is_intercommunicator && facts.communicator.num_ranks > 1) {
    ranks = mpi::world_ranks(comm, world_.comm);
    facts.messages.context = contexts_.of(comm);
  }
  facts.tables = tables_for(comm, facts, ranks);
  if (records_) {
    facts.alike = world_.class_of(facts.communicator, ranks);
  }
  bool const is_same = ranks.empty() || (ranks.front() == 0 && std::ranges::is_sorted(ranks) &&
                                         ranks.back() + 1 == facts.communicator.num_ranks);
  if (!is_same) {
    facts.world_ranks = std::move(ranks);
  }
  share_memory(facts.messages, facts.world_ranks, facts.communicator.num_ranks);
  return facts;
}

State::Tables
Session::tables_for(MPI_Comm comm, State::Facts& facts, std::vector<int> const& ranks) {
  State::Tables tables{};
  bool const may_have_context = facts.messages.context || contexts_.is_put_off(comm);
  if (facts.communicator.is_intercommunicator) {
    tables.fill(&native_.table(NativeReason::intercommunicator));
  } else if (facts.communicator.num_ranks == 1) {
    tables.fill(&native_.table(NativeReason::one_rank));
  } else if (std::ranges::find(ranks, MPI_UNDEFINED) != ranks.end()) {
    tables.fill(&native_.table(NativeReason::outside_world));
  } else if (serves_any_ && !may_have_context) {
    tables.fill(&native_.table(NativeReason::no_context));
  } else if (is_left_alone(comm)) {
    facts.shape = world_.shape_of(ranks);  // the program may change its mind
    tables.fill(&native_.table(NativeReason::left_alone));
  } else {
    facts.shape = world_.shape_of(ranks);
    for (profile::Call const call : profile::all_calls) {
      auto const index = profile::index_of(call);
      tables.blocking[index] = &tables_.find({.call = call}, facts.shape);
      tables.nonblocking[index] =
          tells_started_apart_[index]
              ? &tables_.find({.call = call, .form = profile::Form::nonblocking}, facts.shape)
              : tables.blocking[index];
      tables.persistent[index] =
          tells_planned_apart_[index]
              ? &tables_.find({.call = call, .form = profile::Form::persistent}, facts.shape)
              : tables.nonblocking[index];
    }
    if (world_.writes_into_requests) {
      leave_written(tables);
    }
  }
  return tables;
}

/// Fortran functions of Open MPI 5 note in requests of these calls which arrays go in the end.
void Session::leave_written(State::Tables& tables) const noexcept {
  profile::DecisionTable const& written = native_.table(NativeReason::written_requests);
  auto const leave = [&](profile::DecisionTable const*& table) {
    table = table->chooses() ? &written : table;
  };
  leave(tables.nonblocking[profile::index_of(profile::Call::alltoallw)]);
  for (profile::Call const call : profile::all_calls) {
    if (profile::has_lists(call)) {
      leave(tables.persistent[profile::index_of(call)]);
    }
  }
}

void Session::finish() noexcept {
  PlannedRequests::close();
  OpenRequests::close();
  for (MPI_Comm const comm : {world_.comm, MPI_COMM_SELF}) {
    std::optional<void*> attribute;
    if (state_.find(comm, attribute) == MPI_SUCCESS && attribute) {
      state_.remove(comm);
    }
  }
  // Communicators that the user did not free: nothing collective may be done for them now. They may
  // outlive this object.
  while (!states_.empty()) {
    State* const state = states_.back().get();
    state->abandon();
    state_.remove(state->communicator().user());
    release(state);
  }
  state_.free();
  hint_.free();
  node_.reset();
  native_selections_.close();
  contexts_.close();
  library_.close();
}

Learned Session::learned(bool thinks_ahead) {
  if (!learning_) {
    return {};
  }
  std::lock_guard const lock(mutex_);
  for (auto const& state : states_) {
    state->leave(*learning_);
  }
  if (thinks_ahead) {
    learning_->think_ahead();
  }
  return learning_->learned();
}

Totals Session::totals() const {
  Totals totals = notes_.totals();
  std::lock_guard const lock(mutex_);
  for (auto const& state : states_) {
    state->report(totals);
  }
  PlannedRequests::report(totals);
  return totals;
}

std::size_t Session::memory_bytes() const {
  std::lock_guard const lock(mutex_);
  std::size_t total =
      sizeof(*this) + world_.node_of_rank.capacity() * sizeof(int) + tables_.memory_bytes();
  for (auto const& state : states_) {
    total += state->memory_bytes();
  }
  return total;
}

}  // namespace espalier::plan
