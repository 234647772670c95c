// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/dependences.hpp"

#include <algorithm>
#include <span>

namespace espalier::cost {
namespace {

std::size_t index(std::int32_t i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

Dependences::Dependences(Steps& steps)
    : steps_(&steps), prefixes_(index(steps.num_ranks()) * 2), num_left_(steps.size()) {
  set_up(writes_);
  set_up(sends_);
  set_up_waits();
}

void Dependences::set_up(Awaited& awaited) {
  for (int rank = 0; rank < steps_->num_ranks(); ++rank) {
    set_up(awaited, rank);
  }
}

void Dependences::set_up(Awaited& awaited, int rank) {
  auto const position_for = [&](std::int32_t step) { return (*steps_)[step].*awaited.position; };
  auto const begin = static_cast<std::int32_t>(awaited.waiting.size());
  Prefix& own = prefix(awaited, rank);
  own = {.next = begin, .end = begin, .position = steps_->begin(rank)};
  std::vector<std::int32_t> none;
  advance(awaited, rank, none);  // past what is of the other kind
  for (std::int32_t step = steps_->begin(rank); step < steps_->end(rank); ++step) {
    if (position_for(step) > own.position) {
      awaited.waiting.push_back(step);
      ++(*steps_)[step].num_blockers;
    }
  }
  own.end = static_cast<std::int32_t>(awaited.waiting.size());
  auto const waiting = std::span(awaited.waiting).subspan(index(begin));
  if (!std::ranges::is_sorted(waiting, {}, position_for)) {
    std::ranges::stable_sort(waiting, {}, position_for);
  }
}

void Dependences::set_up_waits() {
  if (steps_->waits().empty()) {
    return;
  }
  waiters_begin_.resize(index(steps_->size()) + 1);
  for (Steps::Wait const& wait : steps_->waits()) {
    ++waiters_begin_[index(wait.awaited) + 1];
    ++(*steps_)[wait.waiting].num_blockers;
  }
  for (std::size_t step = 1; step < waiters_begin_.size(); ++step) {
    waiters_begin_[step] += waiters_begin_[step - 1];
  }
  std::vector<std::int32_t> place = waiters_begin_;
  waiters_.resize(steps_->waits().size());
  for (Steps::Wait const& wait : steps_->waits()) {
    waiters_[index(place[index(wait.awaited)]++)] = wait.waiting;
  }
}

void Dependences::initially_ready(std::vector<std::int32_t>& ready) const {
  for (std::int32_t step = 0; step < steps_->size(); ++step) {
    if ((*steps_)[step].num_blockers == 0) {
      ready.push_back(step);
    }
  }
}

void Dependences::complete(std::int32_t step, std::vector<std::int32_t>& ready) {
  Step& completed = (*steps_)[step];
  completed.is_complete = true;
  --num_left_;
  Awaited const& awaited = completed.writes() ? writes_ : sends_;
  if (!awaited.waiting.empty()) {
    advance(awaited, completed.rank, ready);
  }
  if (!waiters_.empty()) {
    for (std::int32_t i = waiters_begin_[index(step)]; i < waiters_begin_[index(step) + 1]; ++i) {
      unblock(waiters_[index(i)], ready);
    }
  }
}

void Dependences::advance(Awaited const& awaited, int rank, std::vector<std::int32_t>& ready) {
  Prefix& own = prefix(awaited, rank);
  std::int32_t const end = steps_->end(rank);
  while (own.position < end && ((*steps_)[own.position].writes() != awaited.are_writes ||
                                (*steps_)[own.position].is_complete)) {
    ++own.position;
  }
  while (own.next < own.end) {
    std::int32_t const waiting = awaited.waiting[index(own.next)];
    if ((*steps_)[waiting].*awaited.position > own.position) {
      return;
    }
    ++own.next;
    unblock(waiting, ready);
  }
}

void Dependences::unblock(std::int32_t step, std::vector<std::int32_t>& ready) {
  if (--(*steps_)[step].num_blockers == 0) {
    ready.push_back(step);
  }
}

}  // namespace espalier::cost
