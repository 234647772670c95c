// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/mpi_places.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "espalier/watch/place.hpp"

namespace espalier::exec {
namespace {

using schedule::Kind;
using Action = MpiStep::Action;

std::uint64_t place(bool is_send, int round, int peer) noexcept {
  auto const stage = is_send ? watch::Stage::sending : watch::Stage::receiving;
  return watch::Place{.stage = stage, .round = round, .peer = peer}.to_word();
}

void add_by_operation(BoundProgram const& bound, MpiProgram& program) {
  for (BoundOperation const& operation : bound.operations) {
    program.places.push_back(place(operation.kind == Kind::send, operation.round, operation.peer));
  }
}

void add_by_request(MpiProgram& program) {
  program.places.resize(static_cast<std::size_t>(program.num_requests));
  for (MpiStep& step : program.steps) {
    if (step.action == Action::recv_now) {
      step.request = static_cast<int>(program.places.size());
      program.places.push_back(place(false, step.round, step.peer));
    } else if (step.action == Action::send || step.action == Action::recv) {
      bool const is_send = step.action == Action::send;
      program.places[static_cast<std::size_t>(step.request)] =
          place(is_send, step.round, step.peer);
    }
  }
}

}  // namespace

void add_places(BoundProgram const& bound, MpiProgram& program) {
  for (BoundOperation const& operation : bound.operations) {
    program.num_rounds = std::max(program.num_rounds, operation.round + 1);
  }
  if (program.dataflow) {
    add_by_operation(bound, program);
  } else {
    add_by_request(program);
  }
}

watch::Place Teller::first_of(MpiProgram const& program, std::span<int const> operations) noexcept {
  watch::Place first{};
  for (int const operation : operations) {
    auto const place = watch::Place::from_word(program.places[static_cast<std::size_t>(operation)]);
    bool const is_better =
        first.peer < 0 || (first.stage == watch::Stage::sending && place.stage != first.stage);
    first = is_better ? place : first;
  }
  first.num_others = static_cast<int>(operations.size()) - 1;
  return first;
}

}  // namespace espalier::exec
