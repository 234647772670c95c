// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/communicator.hpp"

#include <utility>

#include "espalier/plan/calls/bindings.hpp"
#include "espalier/plan/calls/calls.hpp"
#include "espalier/plan/calls/operators.hpp"
#include "espalier/plan/communicators/contexts.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::plan {
namespace {

using algorithms::Choice;
using exec::MpiExecutor;

template <typename Call> int root_of(Call const& call) noexcept {
  if constexpr (requires { call.root; }) {
    return call.root;
  } else {
    return 0;
  }
}

}  // namespace

template <typename Call> int Communicator::judge(Choice const& choice, Call const& call) {
  if constexpr (requires { call.op; }) {
    switch (combining(call.op, types_.facts(call.datatype))) {
    case Combining::unknown:
      return refused_operator;
    case Combining::commutative:
      return MPI_SUCCESS;
    case Combining::ordered:
      break;
    }
    int const root = root_of(call);
    bool const keeps_order = choice.refuses(target_.num_ranks, root).empty() &&
                             choice.order(target_.num_ranks, root) != algorithms::OperandOrder::any;
    return keeps_order ? MPI_SUCCESS : refused_order;
  }
  return MPI_SUCCESS;
}

template <typename Call> int Communicator::bind_and_run(Choice const& choice, Call const& call) {
  if (int const refusal = judge(choice, call); refusal != MPI_SUCCESS) {
    return refusal;
  }
  Binding binding = bind(call, target_, types_);
  binding.key.choice = &choice;
  if (binding.may_stay) {
    if (MpiExecutor* const executor = executors_.find(binding.key, binding.counts)) {
      return executor->run(binding.input, binding.output);
    }
  }
  auto const* const program =
      programs_.get(choice, Call::call, target_.num_ranks, root_of(call), target_.rank);
  if (program == nullptr) {
    return refused;
  }
  BindingTarget target = target_;
  target.context = Contexts::part(target_.context, Call::call);
  MpiExecutor executor = make_executor(call, target, *program);
  if (!binding.may_stay) {
    return executor.run(binding.input, binding.output);
  }
  return executors_.insert(binding.key, binding.counts, std::move(executor))
      .run(binding.input, binding.output);
}

template <typename Call> int Communicator::run(Choice const& choice, Call const& call) noexcept {
  int code = broken_code_;
  if (code == MPI_SUCCESS) {
    bool is_bound = false;
    code = guard([&] {
      int const result = bind_and_run(choice, call);
      is_bound = true;
      return result;
    });
    if (!is_bound) {
      broken_code_ = code;
      leave_messages();
    }
  }
  return code == MPI_SUCCESS || is_refusal(code) ? code : raise(user_, code);
}

std::size_t Communicator::memory_bytes() const noexcept {
  return sizeof(*this) - sizeof(programs_) - sizeof(executors_) + programs_.memory_bytes() +
         executors_.memory_bytes();
}

#include "espalier/plan/communicators/communicator_runs.inc"

}  // namespace espalier::plan
