// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/dependences.hpp"

#include <algorithm>
#include <cstddef>

namespace espalier::cost {
namespace {

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

Dependences::Dependences(schedule::RankProgram const& program)
    : program_(&program), complete_(program.operations.size()),
      num_blockers_(program.operations.size()),
      num_left_(static_cast<int>(program.operations.size())) {
  set_up(writes_);
  set_up(sends_);
  set_up_waits();
}

int Dependences::position_for(Prefix const& prefix, int operation) const {
  schedule::Operation const& waiting = program_->operations[index(operation)];
  return &prefix == &writes_ ? waiting.after : waiting.after_sends;
}

void Dependences::set_up(Prefix& prefix) {
  std::vector<int> none;
  advance(prefix, none);  // past what is of the other kind
  for (int operation = 0; operation < num_left_; ++operation) {
    if (position_for(prefix, operation) > prefix.position) {
      prefix.waiting.push_back(operation);
      ++num_blockers_[index(operation)];
    }
  }
  std::ranges::stable_sort(prefix.waiting, {}, [&](int operation) {
    return position_for(prefix, operation);
  });
}

void Dependences::set_up_waits() {
  if (!program_->is_dataflow()) {
    return;
  }
  waiters_.resize(program_->operations.size());
  for (int operation = 0; operation < num_left_; ++operation) {
    for (int const awaited : program_->waits(program_->operations[index(operation)])) {
      waiters_[index(awaited)].push_back(operation);
      ++num_blockers_[index(operation)];
    }
  }
}

std::vector<int> Dependences::initially_ready() const {
  std::vector<int> ready;
  for (int operation = 0; operation < static_cast<int>(num_blockers_.size()); ++operation) {
    if (num_blockers_[index(operation)] == 0) {
      ready.push_back(operation);
    }
  }
  return ready;
}

std::vector<int> Dependences::complete(int operation) {
  std::vector<int> ready;
  complete_[index(operation)] = true;
  --num_left_;
  advance(program_->operations[index(operation)].writes() ? writes_ : sends_, ready);
  if (!waiters_.empty()) {
    for (int const waiter : waiters_[index(operation)]) {
      unblock(waiter, ready);
    }
  }
  std::ranges::sort(ready);
  return ready;
}

void Dependences::advance(Prefix& prefix, std::vector<int>& ready) {
  bool const of_writes = &prefix == &writes_;
  auto const& operations = program_->operations;
  while (prefix.position < static_cast<int>(operations.size()) &&
         (operations[index(prefix.position)].writes() != of_writes ||
          complete_[index(prefix.position)])) {
    ++prefix.position;
  }
  while (prefix.next < prefix.waiting.size() &&
         position_for(prefix, prefix.waiting[prefix.next]) <= prefix.position) {
    unblock(prefix.waiting[prefix.next++], ready);
  }
}

void Dependences::unblock(int operation, std::vector<int>& ready) {
  if (--num_blockers_[index(operation)] == 0) {
    ready.push_back(operation);
  }
}

}  // namespace espalier::cost
