// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/communicator.hpp"

#include <optional>
#include <utility>

#include "espalier/algorithms/choices/choice_arguments.hpp"
#include "espalier/algorithms/composed/native.hpp"
#include "espalier/exec/collectives/mpi_sizes.hpp"
#include "espalier/plan/calls/bindings.hpp"
#include "espalier/plan/calls/calls.hpp"
#include "espalier/plan/calls/native_calls.hpp"
#include "espalier/plan/calls/operators.hpp"
#include "espalier/plan/calls/sizes_here.hpp"
#include "espalier/plan/communicators/agreed_sizes.hpp"
#include "espalier/plan/communicators/contexts.hpp"
#include "espalier/plan/devices/staged.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/profile/call.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::plan {
namespace {

using algorithms::Choice;
using exec::MpiExecutor;

/// Whether operands stay in the order of ranks.
bool keeps_order(Choice const& choice, int num_ranks, int root) {
  return choice.refuses(num_ranks, root).empty() &&
         choice.order(num_ranks, root) != algorithms::OperandOrder::any;
}

/// Whether operators get parts of the vector that a program gives.
bool cuts_vectors(Choice const& choice, int num_ranks) {
  return choice.num_segments() > 1 || choice.num_pieces(num_ranks) > 1;
}

}  // namespace

template <typename Call> int Communicator::judge(Choice const& choice, Call const& call) {
  if constexpr (requires { call.op; }) {
    Combining const found = combining(call.op, types_.facts(call.datatype));
    if (found == Combining::unknown) {
      return refused_operator;
    }
    if (found == Combining::ordered && !keeps_order(choice, target_.num_ranks, root_of(call))) {
      return refused_order;
    }
    bool const needs_whole =
        whole_vectors_.test(profile::index_of(Call::call)) && !is_predefined(call.op);
    return needs_whole && cuts_vectors(choice, target_.num_ranks) ? refused_pieces : MPI_SUCCESS;
  }
  return MPI_SUCCESS;
}

exec::node::Group* Communicator::group_for(Choice const& choice) const noexcept {
  // A rank in a phase of the MPI library does not go on with what others of its node wait for.
  bool const is_served =
      algorithms::wants_shared_memory(choice) || (memory_.serves_all && !choice.has_native_calls());
  return is_served ? memory_.group : nullptr;
}

template <typename Call>
schedule::RankProgram const*
Communicator::find_program(Choice const& choice, Call const& call, BindingTarget& target) {
  if constexpr (profile::has_agreed_sizes(Call::call)) {
    KeptSizes::Kept const* const kept = kept_.find(Call::call, root_of(call));
    if (kept != nullptr && kept->decision != nullptr && &*kept->decision->choice == &choice) {
      target.agreed_bytes = kept->agreed.bytes;
      return &kept->agreed.program;
    }
  }
  return programs_.get(choice, Call::call, target.num_ranks, root_of(call), target.rank);
}

void Communicator::forget_sizes() noexcept {
  if (!kept_.is_empty()) {
    kept_.forget();
    repeated_.forget();
    executors_.clear();
  }
}

template <typename Call> int Communicator::bind_and_run(Choice const& choice, Call const& call) {
  if (int const refusal = judge(choice, call); refusal != MPI_SUCCESS) {
    return refusal;
  }
  Binding binding = bind(call, target_, types_);
  binding.key.choice = &choice;
  if (binding.may_stay) {
    if (MpiExecutor* const executor = executors_.find(binding.key, binding.counts)) {
      return run_bound(*executor, binding);
    }
  }
  if (choice.has_native_calls() && (groups_ == nullptr || !groups_->serve(choice))) {
    return refused_groups;
  }
  if (algorithms::wants_shared_memory(choice) && !memory_.is_there) {
    return refused_memory;
  }
  BindingTarget target = target_;
  auto const* const program = find_program(choice, call, target);
  if (program == nullptr) {
    return refused;
  }
  target.context = Contexts::part(target_.context, Call::call);
  target.context.group = group_for(choice);
  MpiExecutor executor = make_executor(call, target, *program);
  if (!binding.may_stay) {
    return executor.run(binding.input, binding.output);
  }
  // Others may go for it. Calls that come again are then found in the cache once more, which so
  // learns which of them are in use.
  repeated_.forget();
  return run_bound(executors_.insert(binding.key, binding.counts, std::move(executor)), binding);
}

int Communicator::run_bound(MpiExecutor& executor, Binding const& binding) noexcept {
  if (devices_ == nullptr) {
    last_bound_ = {.executor = &executor, .input = binding.input, .output = binding.output};
  }
  return executor.run(binding.input, binding.output);
}

template <typename Call> int Communicator::run_staged(Choice const& choice, Call const& call) {
  if (int const refusal = judge(choice, call); refusal != MPI_SUCCESS) {
    return refusal;
  }
  CommunicatorFacts const facts{.num_ranks = target_.num_ranks, .rank = target_.rank};
  Staged const staged(call, facts, *devices_);
  int const code = bind_and_run(choice, staged.call());
  if (!is_refusal(code)) {
    staged.put_back();
  }
  return code;
}

template <typename Call>
int Communicator::judge_start(
    Choice const& choice, Call const& call, [[maybe_unused]] bool keeps_operator
) {
  if (int const refusal = judge(choice, call); refusal != MPI_SUCCESS) {
    return refusal;
  }
  if (algorithms::is_of_library(choice)) {
    return refused_start;
  }
  if (choice.has_native_calls()) {
    return refused_waiting;
  }
  if (algorithms::wants_shared_memory(choice)) {
    return refused_started_memory;
  }
  if constexpr (requires { call.op; }) {
    if (!keeps_operator && !is_predefined(call.op)) {
      return refused_ownership;
    }
  }
  return MPI_SUCCESS;
}

template <typename Call>
std::optional<MpiExecutor> Communicator::make_started(
    Choice const& choice, Call const& call, exec::MpiContext const& context
) {
  auto const* const program =
      programs_.get(choice, Call::call, target_.num_ranks, root_of(call), target_.rank);
  if (program == nullptr) {
    return std::nullopt;
  }
  BindingTarget target = target_;
  target.context = context;
  target.context.ranks = target_.context.ranks;
  return make_executor(call, target, *program);
}

template <typename Call>
std::vector<std::int64_t> Communicator::exchanged_sizes(
    Call const& call, schedule::RankProgram const& program, exec::MpiContext context
) {
  CommunicatorFacts const facts{.num_ranks = target_.num_ranks, .rank = target_.rank};
  context.ranks = target_.context.ranks;
  std::vector<std::int64_t> sizes = sizes_known_here(call, facts, types_);
  if constexpr (profile::collective_of(Call::call) == algorithms::Collective::alltoall) {
    return exec::scratch_sizes(program, context, sizes);
  } else {
    return part_sizes_of_root(std::move(sizes), call.root, target_.rank, context);
  }
}

template <typename Call>
  requires(profile::has_agreed_sizes(Call::call))
std::optional<AgreedProgram> Communicator::agree(
    Choice const& choice, Call const& call, std::optional<exec::MpiContext> const& exchange
) {
  profile::CallForm const form{.call = Call::call, .form = profile::Form::persistent};
  int const root = root_of(call);
  if (!profile::refuses(form, choice, target_.num_ranks, root).empty()) {
    return std::nullopt;
  }
  AgreedProgram agreed{
      .program = choice.generate(target_.num_ranks, root, target_.rank), .bytes = {}
  };
  if (choice.facts(target_.num_ranks, root).scratch > 0) {
    if constexpr (profile::collective_of(Call::call) == algorithms::Collective::alltoall) {
      agreed.program = schedule::written_once(agreed.program);
    }
    exec::MpiContext const context =
        exchange ? *exchange : Contexts::part(target_.context, Call::call);
    agreed.bytes = exchanged_sizes(call, agreed.program, context);
  }
  return agreed;
}

template <typename Call>
std::optional<MpiExecutor>
Communicator::make_planned(Choice const& choice, Call const& call, PlannedFor const& what) {
  if constexpr (profile::has_agreed_sizes(Call::call)) {
    std::optional<AgreedProgram> const agreed = agree(choice, call, what.exchange);
    if (!agreed) {
      return std::nullopt;
    }
    BindingTarget target = target_;
    target.context = what.context;
    target.context.ranks = target_.context.ranks;
    target.agreed_bytes = agreed->bytes;
    return make_executor(call, target, agreed->program);
  } else {
    return make_started(choice, call, what.context);
  }
}

template <typename Call>
int Communicator::bind_and_start(
    Choice const& choice,
    Call const& call,
    StartedCalls& started,
    StartedCalls::Ending ending,
    MPI_Request& request
) {
  if (int const refusal = judge_start(choice, call); refusal != MPI_SUCCESS) {
    return refusal;
  }
  Binding binding = bind(call, target_, types_);
  binding.key.choice = &choice;
  std::optional<MpiExecutor> executor = started.take(binding);
  if (!executor) {
    executor = make_started(choice, call, started.context());
  }
  if (!executor) {
    return refused;
  }
  started.start(std::move(*executor), binding, std::move(ending), request);
  return MPI_SUCCESS;
}

template <typename Action>
int Communicator::take_part(profile::CallForm function, Action&& action) noexcept {
  int code = broken_code_;
  if (code == MPI_SUCCESS) {
    bool is_bound = false;
    code = guard(function, [&] {
      int const result = std::forward<Action>(action)();
      is_bound = true;
      return result;
    });
    if (!is_bound) {
      broken_code_ = code;
      repeated_.forget();
      leave_messages();
    }
  }
  return code == MPI_SUCCESS || is_refusal(code) ? code : raise(user_, code);
}

// On a communicator of ours errors come as codes, on the user's they were delivered already.
template <typename Call>
int Communicator::run_selected(Choice const& choice, Call const& call) noexcept {
  int delivered = MPI_SUCCESS;
  int const code = guard([&]() -> int {
    SelectedCalls::Selected const* const selected =
        selected_ == nullptr ? nullptr : selected_->find(Call::call, choice);
    if (selected == nullptr) {
      return refused_selection;
    }
    if (int const refusal = judge(choice, call); refusal != MPI_SUCCESS) {
      return refusal;
    }
    if (selected->comm != MPI_COMM_NULL) {
      return call_native(call, selected->comm);
    }
    WrittenVariables const written(selected->selection->settings);
    delivered = call_native(call, user_);
    return MPI_SUCCESS;
  });
  if (code == MPI_SUCCESS) {
    return delivered;
  }
  return is_refusal(code) ? code : raise(user_, code);
}

template <typename Call> int Communicator::run(Choice const& choice, Call const& call) noexcept {
  last_bound_ = {};
  if (algorithms::is_of_library(choice)) {
    return run_selected(choice, call);
  }
  constexpr profile::CallForm function{.call = Call::call};
  if (devices_ != nullptr) [[unlikely]] {
    return take_part(function, [&] { return run_staged(choice, call); });
  }
  return take_part(function, [&] { return bind_and_run(choice, call); });
}

template <typename Call>
int Communicator::start(
    Choice const& choice,
    Call const& call,
    StartedCalls& started,
    StartedCalls::Ending ending,
    MPI_Request& request
) noexcept {
  constexpr profile::CallForm function{.call = Call::call, .form = profile::Form::nonblocking};
  return take_part(function, [&] {
    return bind_and_start(choice, call, started, std::move(ending), request);
  });
}

template <typename Call>
int Communicator::bind_planned(
    Choice const& choice, Call const& call, PlannedFor const& what, BoundCall& bound
) {
  if (broken_code_ != MPI_SUCCESS) {
    throw LibraryError(broken_code_);
  }
  if (int const refusal = judge_start(choice, call, what.keeps_operator); refusal != MPI_SUCCESS) {
    return refusal;
  }
  Binding const binding = bind(call, target_, types_);
  std::optional<MpiExecutor> executor = make_planned(choice, call, what);
  if (!executor) {
    return refused;
  }
  bound = {
      .executor = std::make_unique<MpiExecutor>(std::move(*executor)),
      .input = binding.input,
      .output = binding.output,
  };
  return MPI_SUCCESS;
}

NativeReason Communicator::reason_of(int refusal) noexcept {
  switch (refusal) {
  case refused_operator:
    return NativeReason::refused_operator;
  case refused_order:
    return NativeReason::refused_order;
  case refused_groups:
    return NativeReason::no_groups;
  case refused_selection:
    return NativeReason::refused_selection;
  case refused_start:
    return NativeReason::refused_start;
  case refused_memory:
    return NativeReason::refused_memory;
  case refused_started_memory:
    return NativeReason::refused_started_memory;
  case refused_ownership:
    return NativeReason::refused_ownership;
  case refused_pieces:
    return NativeReason::whole_vectors;
  case refused_waiting:
    return NativeReason::refused_waiting;
  case refused_agreement:
    return NativeReason::no_agreement;
  default:
    return NativeReason::refused;
  }
}

std::size_t Communicator::memory_bytes() const noexcept {
  return sizeof(*this) - sizeof(programs_) - sizeof(executors_) - sizeof(repeated_) -
         sizeof(kept_) + programs_.memory_bytes() + executors_.memory_bytes() +
         repeated_.memory_bytes() + kept_.memory_bytes();
}

#include "espalier/plan/communicators/communicator_runs.inc"

}  // namespace espalier::plan
