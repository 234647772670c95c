// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/messages/mpi_waits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "espalier/watch/wait.hpp"

namespace espalier::exec {
namespace {

using schedule::Kind;
using Action = MpiStep::Action;

std::uint64_t wait_word(bool is_send, int round, int peer) noexcept {
  auto const stage = is_send ? watch::Stage::sending : watch::Stage::receiving;
  return watch::Wait{.stage = stage, .round = round, .peer = peer}.to_word();
}

void add_by_operation(BoundProgram const& bound, MpiProgram& program) {
  for (BoundOperation const& operation : bound.operations) {
    program.told_waits.push_back(
        wait_word(operation.kind == Kind::send, operation.round, operation.peer)
    );
  }
}

void add_by_request(MpiProgram& program) {
  program.told_waits.resize(static_cast<std::size_t>(program.num_requests));
  for (MpiStep& step : program.steps) {
    if (step.action == Action::native) {
      step.request = static_cast<int>(program.told_waits.size());
      program.told_waits.push_back(
          watch::Wait{.stage = watch::Stage::native, .round = step.round}.to_word()
      );
    } else if (step.action == Action::recv_now) {
      step.request = static_cast<int>(program.told_waits.size());
      program.told_waits.push_back(wait_word(false, step.round, step.peer));
    } else if (step.action == Action::send || step.action == Action::recv || step.is_near()) {
      bool const is_send = step.action == Action::send || step.action == Action::put;
      program.told_waits[static_cast<std::size_t>(step.request)] =
          wait_word(is_send, step.round, step.peer);
    }
  }
}

}  // namespace

void add_told_waits(BoundProgram const& bound, MpiProgram& program) {
  for (BoundOperation const& operation : bound.operations) {
    program.num_rounds = std::max(program.num_rounds, operation.round + 1);
  }
  if (program.dataflow) {
    add_by_operation(bound, program);
  } else {
    add_by_request(program);
  }
}

watch::Wait Teller::first_of(MpiProgram const& program, std::span<int const> operations) noexcept {
  watch::Wait first{};
  for (int const operation : operations) {
    auto const wait =
        watch::Wait::from_word(program.told_waits[static_cast<std::size_t>(operation)]);
    bool const is_better =
        first.peer < 0 || (first.stage == watch::Stage::sending && wait.stage != first.stage);
    first = is_better ? wait : first;
  }
  first.num_others = static_cast<int>(operations.size()) - 1;
  return first;
}

}  // namespace espalier::exec
