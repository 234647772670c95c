// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/exec/node/group.hpp"
#include "espalier/plan/calls/binding.hpp"
#include "espalier/plan/calls/call_words.hpp"
#include "espalier/plan/calls/named_types.hpp"
#include "espalier/plan/communicators/executor_cache.hpp"
#include "espalier/plan/communicators/kept_sizes.hpp"
#include "espalier/plan/communicators/native_groups.hpp"
#include "espalier/plan/communicators/planned_call.hpp"
#include "espalier/plan/communicators/repeated_calls.hpp"
#include "espalier/plan/communicators/started_calls.hpp"
#include "espalier/plan/devices/device_memory.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/native_algorithms/selected_calls.hpp"
#include "espalier/plan/native_reason.hpp"

namespace espalier::plan {

/// What choices may have of the memory that ranks of a node share. Equal on all ranks, except for
/// the group.
struct SharedMemory {
  exec::node::Group* group = nullptr;  ///< null: this rank shares memory with no other one
  bool is_there = false;               ///< choices that ask for it are served
  bool serves_all = false;  ///< where ranks have a group; all but native phases, asked for or not
};

/// For what a call is bound that is started any number of times.
struct PlannedFor {
  exec::MpiContext context;  ///< its messages meet no others; ranks are those of the communicator
  bool keeps_operator = false;  ///< an operator of the program lasts as long as the bound call
  /// For messages before the first start, which tell sizes; none: those of blocking calls.
  std::optional<exec::MpiContext> exchange{};
};

/// Runs chosen algorithms on one intracommunicator of a user, with everything that can be reused
/// between calls: programs, bound executors. What the shim runs and what
/// `espalier tune` times is this.
///
/// Used by one thread at a time.
class Communicator {
public:
  /// Returned instead of MPI codes, which are not negative: nothing was done, the native call is to
  /// be made. The same on all ranks.
  static constexpr int refused = -1;           ///< by profile::refuses()
  static constexpr int refused_operator = -2;  ///< not known to be defined for the datatype
  static constexpr int refused_order = -3;     ///< the operator does not commute
  static constexpr int refused_groups = -4;    ///< no communicators for native phases
  /// The operator is the user's, who may free it while the started call needs it.
  static constexpr int refused_ownership = -5;
  static constexpr int refused_waiting = -6;    ///< a started call has phases that wait natively
  static constexpr int refused_selection = -7;  ///< the MPI library cannot be told of it here
  static constexpr int refused_start = -8;      ///< an algorithm of the library for a started call
  static constexpr int refused_agreement = -9;  ///< ranks do not agree on a persistent call
  static constexpr int refused_memory = -10;    ///< ranks of a node do not share memory here
  static constexpr int refused_started_memory = -11;  ///< a started call cannot use that memory

  static constexpr int refused_pieces = -12;  ///< an operator of the program may need whole vectors

  [[nodiscard]] static constexpr bool is_refusal(int code) noexcept { return code < 0; }

  /// The reason for the native call that a refusal is.
  [[nodiscard]] static NativeReason reason_of(int refusal) noexcept;

  /// Local. `user` must outlive the object.
  /// @param target  its context is one that no other communicator of these ranks has
  Communicator(MPI_Comm user, BindingTarget const& target) noexcept
      : user_(user), target_(target) {}

  /// Collective over the communicator, but makes none, and waits for nobody that the algorithm does
  /// not wait for. A run with sizes or types not seen lately binds an executor.
  ///
  /// @param choice equal on all ranks, as is call.bytes(), which must have a value. Identified by
  ///     its address: it must outlive this object.
  /// @return MPI_SUCCESS, a refusal, or an MPI code that was delivered to the error handler of the
  ///     user's communicator. A message that failed is an error of this run only. If the rank could
  ///     not take part, for lack of memory, every later run returns the same code.
  template <typename Call> int run(algorithms::Choice const& choice, Call const& call) noexcept;

  /// The call with these words, if it came lately; else null. Valid until the next run.
  [[nodiscard]] RepeatedCall const* repeated(CallWords const& words) const noexcept {
    return repeated_.find(words);
  }

  /// The run of a repeated call that has an executor. Collective, and with the codes of run().
  int run_again(RepeatedCall const& call) noexcept {
    int const code = call.executor->run(call.input, call.output);
    return code == MPI_SUCCESS ? code : raise(user_, code);
  }

  /// Remembers the call that run() just ran well, or for which the decision has no choice.
  /// @param decision  must last until forget()
  /// @param contest  the same; null: none counts the call
  /// @param types  that were asked for when it was decided
  template <typename Call>
  void remember(
      Call const& call, profile::Decision const& decision, Contest* contest, NamedTypes const& types
  ) noexcept {
    bool const has_executor = last_bound_.executor != nullptr;
    bool const is_known = decision.choice ? has_executor : devices_ == nullptr;
    if (is_known && has_lasting_handles(call, types)) {
      RepeatedCall known = decision.choice ? last_bound_ : RepeatedCall();
      known.words = words_of(call);
      known.decision = &decision;
      known.contest = contest;
      repeated_.add(known);
    }
  }

  /// Other decisions are made from now on.
  void forget() noexcept {
    repeated_.forget();
    forget_sizes();
  }

  /// Whether the program promises from now on that sizes of calls stay as they are next time.
  void keep_sizes(bool are_promised) noexcept {
    forget_sizes();
    kept_.promise(are_promised);
  }

  [[nodiscard]] KeptSizes& kept_sizes() noexcept { return kept_; }

  /// The program of a call whose sizes not all ranks know, and what it has to know of them; none,
  /// on all ranks, if the choice cannot serve it. Collective over the communicator.
  /// @param exchange  for messages that tell sizes; none: the context of blocking calls
  /// @throws Error mpi.
  template <typename Call>
    requires(profile::has_agreed_sizes(Call::call))
  [[nodiscard]] std::optional<AgreedProgram> agree(
      algorithms::Choice const& choice,
      Call const& call,
      std::optional<exec::MpiContext> const& exchange = std::nullopt
  );

  /// Before the first run: `groups` must outlive the object.
  void use(NativeGroups const& groups) noexcept {
    groups_ = &groups;
    target_.context.groups = groups.groups();
  }

  /// Before the first run: `selected` must outlive the object.
  void use(SelectedCalls const& selected) noexcept { selected_ = &selected; }

  /// Before the first run: choices that cut vectors do not serve these calls with operators of the
  /// program. Some take a vector for one record; that runs with the MPI libraries, which cut only
  /// long ones.
  void keep_vectors_whole(std::bitset<profile::num_calls> const& calls) noexcept {
    whole_vectors_ = calls;
  }

  /// Before the first run, if there is any: `devices` must outlive the object.
  void use(DeviceMemory const& devices) noexcept { devices_ = &devices; }

  /// Before the first run: what follows from the context is for this communicator alone. The group
  /// must outlive the object.
  void use(exec::MpiContext const& context, SharedMemory const& memory) noexcept {
    target_.context = context;
    memory_ = memory;
  }

  /// Starts a call; the request is one of the MPI library. Local.
  ///
  /// @param started  the started calls of this communicator
  /// @return as run(); what happens after the start is told by the completion of the request.
  template <typename Call>
  int start(
      algorithms::Choice const& choice,
      Call const& call,
      StartedCalls& started,
      StartedCalls::Ending ending,
      MPI_Request& request
  ) noexcept;

  /// Binds a call that is to be started any number of times. Local, unless not all ranks know the
  /// sizes and the choice keeps blocks of others: then collective over the communicator, whose
  /// ranks tell each other how large these are.
  ///
  /// @return MPI_SUCCESS, or a refusal that is the same on all ranks.
  /// @throws Error for what this rank cannot do, of which no other rank knows.
  template <typename Call>
  [[nodiscard]] int bind_planned(
      algorithms::Choice const& choice, Call const& call, PlannedFor const& what, BoundCall& bound
  );

  [[nodiscard]] MPI_Comm user() const noexcept { return user_; }

  /// Local. This rank does not take part in a collective of the others, whose messages stay.
  void leave_messages() noexcept { has_left_messages_ = true; }

  [[nodiscard]] bool has_left_messages() const noexcept { return has_left_messages_; }

  /// Local. Lets go of everything in MPI: for objects that end when MPI is gone.
  void abandon() noexcept {
    repeated_.forget();
    executors_.clear();
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  template <typename Call> int bind_and_run(algorithms::Choice const& choice, Call const& call);
  /// Runs an executor of the cache.
  int run_bound(exec::MpiExecutor& executor, Binding const& binding) noexcept;
  /// As bind_and_run() with memory of the processor in place of that of devices.
  template <typename Call> int run_staged(algorithms::Choice const& choice, Call const& call);
  /// Of a choice that is an algorithm of the MPI library.
  template <typename Call>
  int run_selected(algorithms::Choice const& choice, Call const& call) noexcept;
  template <typename Call>
  int bind_and_start(
      algorithms::Choice const& choice,
      Call const& call,
      StartedCalls& started,
      StartedCalls::Ending ending,
      MPI_Request& request
  );
  /// Refusal of a call that is started and completed later, MPI_SUCCESS if there is none.
  template <typename Call>
  [[nodiscard]] int
  judge_start(algorithms::Choice const& choice, Call const& call, bool keeps_operator = false);
  /// An executor for it; none if the choice refuses.
  template <typename Call>
  [[nodiscard]] std::optional<exec::MpiExecutor>
  make_started(algorithms::Choice const& choice, Call const& call, exec::MpiContext const& context);
  /// The same of a call that is planned. Collective as bind_planned().
  template <typename Call>
  [[nodiscard]] std::optional<exec::MpiExecutor>
  make_planned(algorithms::Choice const& choice, Call const& call, PlannedFor const& what);
  /// Bytes as BindingTarget::agreed_bytes. Collective over the communicator.
  template <typename Call>
  [[nodiscard]] std::vector<std::int64_t>
  exchanged_sizes(Call const& call, schedule::RankProgram const& program, exec::MpiContext context);
  /// The program of a blocking call; null if the choice refuses. What it has to know of sizes goes
  /// to the target. Valid until the next call.
  template <typename Call>
  [[nodiscard]] schedule::RankProgram const*
  find_program(algorithms::Choice const& choice, Call const& call, BindingTarget& target);
  /// What was learned of sizes, and what was bound with it.
  void forget_sizes() noexcept;
  /// Runs the action, after which a rank that could not take part never does again.
  /// @param function  for texts of errors
  template <typename Action> int take_part(profile::CallForm function, Action&& action) noexcept;
  /// How messages of a choice travel inside the node; null: by MPI.
  [[nodiscard]] exec::node::Group* group_for(algorithms::Choice const& choice) const noexcept;
  /// Refusal of an operator, MPI_SUCCESS if there is none.
  template <typename Call>
  [[nodiscard]] int judge(algorithms::Choice const& choice, Call const& call);

  MPI_Comm user_;
  BindingTarget target_;
  NativeGroups const* groups_ = nullptr;     ///< null: there are none
  SelectedCalls const* selected_ = nullptr;  ///< the same
  DeviceMemory const* devices_ = nullptr;    ///< the same
  SharedMemory memory_;
  int broken_code_ = MPI_SUCCESS;
  bool has_left_messages_ = false;
  std::bitset<profile::num_calls> whole_vectors_;  ///< by call
  NamedTypes types_;
  ProgramCache programs_;
  ExecutorCache executors_;
  RepeatedCall last_bound_;  ///< the executor of the last run, if it stays, and its memory
  RepeatedCalls repeated_;   ///< points to executors of the cache
  KeptSizes kept_;
};

}  // namespace espalier::plan
