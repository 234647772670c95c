// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/one_sided/calls_engine.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::cost {

using schedule::Kind;

namespace {

constexpr double never = -1;

}  // namespace

CallsEngine::CallsEngine(Actions actions, OneSidedMachine const& machine)
    : actions_(std::move(actions)), machine_(machine),
      ranks_(static_cast<std::size_t>(actions_.num_ranks())),
      completed_(static_cast<std::size_t>(actions_.size()), never) {
  auto const& nodes = machine_.node_of_rank;
  if (!nodes.empty() && nodes.size() != ranks_.size()) {
    throw Error(
        ErrorCode::argument,
        "expected the nodes of " + std::to_string(ranks_.size()) + " ranks, got those of " +
            std::to_string(nodes.size())
    );
  }
  nodes_.resize(nodes.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(nodes)) + 1);
}

void CallsEngine::run() {
  for (std::int32_t action = 0; action < actions_.size(); ++action) {
    if (actions_[action].num_blockers == 0) {
      ready_.push_back(action);
    }
  }
  double now = 0;
  while (true) {
    std::ranges::sort(ready_);
    for (std::int32_t const action : ready_) {
      start(action, now);
    }
    ready_.clear();
    if (events_.is_empty()) {
      break;
    }
    now = events_.next_time();
    while (!events_.is_empty() && events_.next_time() == now) {
      Event const event = events_.pop();
      handle(static_cast<Happening>(event.order >> 32U), event.step(), now);
    }
  }
  require_all_complete();
}

void CallsEngine::require_all_complete() const {
  if (std::ranges::find(completed_, never) != completed_.end()) {
    throw Error(
        ErrorCode::argument, "expected programs that end, got ranks that wait for each other"
    );
  }
}

void CallsEngine::start(std::int32_t action, double now) {
  Action const& started = actions_[action];
  if (started.kind == Kind::copy || started.kind == Kind::reduce) {
    bool const copies = started.kind == Kind::copy;
    double const per_byte =
        copies ? machine_.speed.per_copied_byte : machine_.speed.per_combined_byte;
    double const seconds = started.bytes * per_byte;
    if (seconds > 0) {
      double& free = rank(started.rank).memory;
      free = std::max(now, free) + seconds;
      now = free;
    }
    add(now, Happening::done, action);
  } else if (started.kind == Kind::await) {
    add(now, Happening::done, action);
  } else {
    double& free = rank(started.rank).processor;
    free = std::max(now, free) + network(started).overhead;
    add(free, Happening::leaves, action);
  }
}

void CallsEngine::handle(Happening happening, std::int32_t action, double now) {
  switch (happening) {
  case Happening::done:
    complete(action, now);
    break;
  case Happening::raises:
    raise(action, now);
    break;
  case Happening::is_there:
    arrive(action, now);
    break;
  case Happening::reaches:
    reach(action, now);
    break;
  case Happening::returns:
    come_back(action, now);
    break;
  case Happening::answers:
    answer(action, now);
    break;
  case Happening::leaves:
    leave(action, now);
    break;
  }
}

void CallsEngine::leave(std::int32_t action, double now) {
  Action const& sent = actions_[action];
  double& free = ports(sent, sent.rank).outgoing;
  double const begins = std::max(now, free);
  free = begins + passing(sent, bytes_sent(sent));
  add(begins + network(sent).latency, Happening::reaches, action);
  if (sent.kind != Kind::get) {
    add(free, Happening::done, action);
  }
}

void CallsEngine::reach(std::int32_t action, double now) {
  Action const& received = actions_[action];
  double& free = ports(received, received.peer).incoming;
  free = std::max(now, free) + passing(received, bytes_sent(received));
  add(free, received.kind == Kind::get ? Happening::answers : Happening::is_there, action);
}

void CallsEngine::arrive(std::int32_t action, double now) {
  if (machine_.overhead_receive > 0 && !is_within(actions_[action])) {
    double& free = rank(actions_[action].peer).processor;
    free = std::max(now, free) + machine_.overhead_receive;
    add(free, Happening::raises, action);
  } else {
    raise(action, now);
  }
}

void CallsEngine::answer(std::int32_t action, double now) {
  Action const& asked = actions_[action];
  double& free = ports(asked, asked.peer).outgoing;
  double const begins = std::max(now, free);
  free = begins + passing(asked, asked.bytes);
  add(begins + network(asked).latency, Happening::returns, action);
}

void CallsEngine::come_back(std::int32_t action, double now) {
  Action const& asked = actions_[action];
  double& free = ports(asked, asked.rank).incoming;
  free = std::max(now, free) + passing(asked, asked.bytes);
  add(free, Happening::done, action);
}

void CallsEngine::raise(std::int32_t action, double now) {
  delivered_ = std::max(delivered_, now);
  for (std::int32_t served = actions_[action].await; served >= 0; served = actions_[served].await) {
    unblock(served);
  }
}

void CallsEngine::complete(std::int32_t action, double now) {
  completed_[static_cast<std::size_t>(action)] = now;
  for (std::int32_t const waiting : actions_.waiting(action)) {
    unblock(waiting);
  }
}

void CallsEngine::unblock(std::int32_t action) {
  if (--actions_[action].num_blockers == 0) {
    ready_.push_back(action);
  }
}

}  // namespace espalier::cost
