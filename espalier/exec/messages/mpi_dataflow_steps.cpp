// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "espalier/exec/messages/mpi_steps.hpp"

namespace espalier::exec {
namespace {

using schedule::Kind;

/// Enters an operation with all it waits for; returns how many these are.
int link(BoundProgram const& program, std::vector<std::vector<int>>& successors, int index) {
  BoundOperation const& operation = program.operations[static_cast<std::size_t>(index)];
  int num_waits = 0;
  for (int const other : program.waits(operation)) {
    successors[static_cast<std::size_t>(other)].push_back(index);
    ++num_waits;
  }
  for (int other = 0; other < std::max(operation.after, operation.after_sends); ++other) {
    auto const o = static_cast<std::size_t>(other);
    bool const sends = program.operations[o].kind == Kind::send;
    if (other < (sends ? operation.after_sends : operation.after)) {
      successors[o].push_back(index);
      ++num_waits;
    }
  }
  return num_waits;
}

void add(StepMaker& maker, BoundOperation const& operation) {
  if (operation.is_empty()) {
    return;
  }
  if (operation.kind == Kind::copy || operation.kind == Kind::reduce) {
    maker.add_local(operation);
    return;
  }
  std::vector<MpiStep>& steps = maker.program().steps;
  MpiStep step = maker.message(operation);
  step.request = maker.program().num_requests++;
  if (!step.is_near()) {
    step.region = maker.message_region(operation);
    steps.push_back(step);
    return;
  }
  auto const packing = maker.place_near(operation, step);
  bool const is_first = packing && operation.kind == Kind::send;
  if (is_first) {
    steps.push_back(*packing);
  }
  steps.push_back(step);
  if (packing && !is_first) {
    steps.push_back(*packing);
  }
}

}  // namespace

void compile_dataflow(StepMaker& maker) {
  BoundProgram const& bound = maker.bound();
  MpiProgram& program = maker.program();
  MpiDataflow flow;
  std::vector<std::vector<int>> successors(bound.operations.size());
  for (std::size_t i = 0; i < bound.operations.size(); ++i) {
    BoundOperation const& operation = bound.operations[i];
    flow.step_begin.push_back(static_cast<int>(program.steps.size()));
    flow.num_waits.push_back(link(bound, successors, static_cast<int>(i)));
    if (flow.num_waits.back() == 0) {
      flow.initially_ready.push_back(static_cast<int>(i));
    }
    add(maker, operation);
  }
  flow.step_begin.push_back(static_cast<int>(program.steps.size()));
  for (std::vector<int> const& list : successors) {
    flow.successor_begin.push_back(static_cast<int>(flow.successors.size()));
    flow.successors.insert(flow.successors.end(), list.begin(), list.end());
  }
  flow.successor_begin.push_back(static_cast<int>(flow.successors.size()));
  program.dataflow = std::move(flow);
}

}  // namespace espalier::exec
