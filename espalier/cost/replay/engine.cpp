// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/engine.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::cost {

using schedule::Kind;

Engine::Engine(Steps steps, Setting const& setting)
    : steps_(std::move(steps)), fabric_(setting), dependences_(steps_),
      speed_(setting.machine.speed()), ports_(setting.core_of.size()),
      messages_(static_cast<std::size_t>(steps_.size())),
      use_(static_cast<std::size_t>(fabric_.num_levels())) {
  if (steps_.num_ranks() != setting.num_ranks()) {
    throw Error(
        ErrorCode::argument,
        "expected a program for each of " + std::to_string(setting.num_ranks()) + " ranks, got " +
            std::to_string(steps_.num_ranks())
    );
  }
  find_levels();
}

void Engine::find_levels() {
  for (Step& step : steps_.all()) {
    if (step.kind != Kind::send || step.partner < 0) {
      continue;
    }
    Step& receive = steps_[step.partner];
    int const level = fabric_.crossing(step.rank, receive.rank);
    step.level = static_cast<std::uint8_t>(level);
    receive.level = step.level;
    LevelUse& use = use_[static_cast<std::size_t>(level)];
    ++use.messages;
    use.bytes += step.bytes;
  }
}

double Engine::lower_bound() const {
  double most = 0;
  for (int rank = 0; rank < steps_.num_ranks(); ++rank) {
    double sending = 0;
    double receiving = 0;
    double gap = 0;
    for (std::int32_t i = steps_.begin(rank); i < steps_.end(rank); ++i) {
      Step const& step = steps_[i];
      if (step.partner < 0) {
        continue;
      }
      machine::Link const& link = fabric_.link(step.level);
      bool const sends = step.kind == Kind::send;
      double const overhead = sends ? link.overhead_send : link.overhead_receive;
      (sends ? sending : receiving) +=
          overhead + link.gap + step.bytes * fabric_.per_byte(step.level);
      gap = std::max(gap, link.gap);
    }
    most = std::max(most, std::max(sending, receiving) - gap);
  }
  return most;
}

bool Engine::run(double deadline) {
  dependences_.initially_ready(ready_);
  double now = 0;
  while (true) {
    std::ranges::sort(ready_);
    for (std::int32_t const step : ready_) {
      start(step, now);
    }
    ready_.clear();
    if (events_.is_empty()) {
      break;
    }
    now = events_.next_time();
    if (now > deadline) {
      return false;
    }
    while (!events_.is_empty() && events_.next_time() == now) {
      handle(events_.pop(), now);
    }
  }
  if (!dependences_.all_complete()) {
    throw Error(
        ErrorCode::argument, "expected programs that end, got ranks that wait for each other"
    );
  }
  return std::ranges::none_of(ports_, [&](Ports const& rank) { return rank.finished > deadline; });
}

Replay Engine::result() const {
  Replay replay{.levels = use_};
  for (Ports const& ports : ports_) {
    replay.finished.push_back(ports.finished);
  }
  for (int level = 0; level < fabric_.num_levels(); ++level) {
    replay.levels[static_cast<std::size_t>(level)].busiest = fabric_.busiest(level);
    replay.levels[static_cast<std::size_t>(level)].waiting = fabric_.waiting(level);
  }
  return replay;
}

void Engine::handle(Event const& event, double now) {
  switch (event.type()) {
  case Event::Type::done:
    complete(event.step(), now);
    break;
  case Event::Type::arrives:
    arrive(event.step(), now);
    break;
  case Event::Type::hops:
    hop(event.step(), now);
    break;
  case Event::Type::leaves:
    leave(event.step(), now);
    break;
  }
}

void Engine::start(std::int32_t step, double now) {
  Step const& started = steps_[step];
  switch (started.kind) {
  case Kind::send:
    send(step, now);
    break;
  case Kind::recv:
    receive(step, now);
    break;
  case Kind::copy:
  case Kind::reduce:
  case Kind::native:  // Steps::add() refuses this and what follows
  case Kind::put:
  case Kind::get:
  case Kind::signal:
  case Kind::await:
    compute(step, now);
    break;
  }
}

void Engine::compute(std::int32_t step, double now) {
  Step const& computed = steps_[step];
  double const per_byte =
      computed.kind == Kind::copy ? speed_.per_copied_byte : speed_.per_combined_byte;
  double const seconds = computed.bytes * per_byte;
  if (seconds > 0) {
    double& free = ports_of(computed).compute_free;
    free = std::max(now, free) + seconds;
    now = free;
  }
  add(now, Event::Type::done, step);
}

void Engine::receive(std::int32_t step, double now) {
  std::int32_t const sender = steps_[step].partner;
  if (sender < 0) {
    add(now, Event::Type::done, step);
    return;
  }
  Message& received = message(step);
  received.has_begun = true;
  if (received.there >= 0) {
    add(std::max(now, received.there), Event::Type::done, step);
  }
  if (received.sender_waits) {
    queue_send(sender, now);
  }
}

void Engine::send(std::int32_t step, double now) {
  Step const& sent = steps_[step];
  if (sent.partner < 0) {
    add(now, Event::Type::done, step);
    return;
  }
  Message& received = message(sent.partner);
  machine::Link const& link = fabric_.link(sent.level);
  bool const is_eager = sent.bytes <= static_cast<double>(link.eager_bytes);
  if (is_eager || received.has_begun) {
    queue_send(step, now);
  } else {
    received.sender_waits = true;
  }
}

void Engine::queue_send(std::int32_t step, double now) {
  Ports& ports = ports_of(steps_[step]);
  if (!ports.send_leaves) {
    begin_send(step, std::max(now, ports.send_free));
    return;
  }
  (ports.first_queued < 0 ? ports.first_queued : message(ports.last_queued).next_queued) = step;
  ports.last_queued = step;
}

/// The port is free at `begins`, which may be later than now.
void Engine::begin_send(std::int32_t step, double begins) {
  Step const& sent = steps_[step];
  double const ready = begins + fabric_.link(sent.level).overhead_send;
  if (fabric_.is_shared(sent.level)) {
    ports_of(sent).send_leaves = true;
    add(ready, Event::Type::leaves, step);
  } else {
    depart(step, ready);
  }
}

void Engine::leave(std::int32_t step, double now) {
  Step const& sent = steps_[step];
  double const leaves =
      fabric_.leave(sent.rank, sent.level, sent.bytes, message(step).passage, now);
  if (leaves > now) {
    add(leaves, Event::Type::leaves, step);
    return;
  }
  depart(step, now);
  Ports& ports = ports_of(sent);
  ports.send_leaves = false;
  next_send(ports);
}

/// Its bytes leave at a time that may be later than now if nothing is shared.
void Engine::depart(std::int32_t step, double leaves) {
  Step const& sent = steps_[step];
  double const gone = leaves + sent.bytes * fabric_.per_byte(sent.level);
  ports_of(sent).send_free = gone + fabric_.link(sent.level).gap;
  if (dependences_.sends_matter()) {
    add(gone, Event::Type::done, step);
  } else {
    complete(step, gone);
  }
  if (fabric_.must_hop(sent.level)) {
    add(leaves, Event::Type::hops, sent.partner);
  } else {
    add(leaves + latency(steps_[sent.partner]), Event::Type::arrives, sent.partner);
  }
}

double Engine::latency(Step const& received) const {
  machine::Link const& link = fabric_.link(received.level);
  bool const is_eager = received.bytes <= static_cast<double>(link.eager_bytes);
  return fabric_.latency(steps_[received.partner].rank, received.rank, received.level) +
         (is_eager ? 0 : link.rendezvous_latency);
}

void Engine::hop(std::int32_t step, double now) {
  Step const& received = steps_[step];
  double const reaches = fabric_.hop(
      steps_[received.partner].rank, received.rank, received.bytes, message(step).passage, now
  );
  if (reaches > now) {
    add(reaches, Event::Type::hops, step);
  } else {
    add(now + latency(received), Event::Type::arrives, step);
  }
}

/// Begins what has queued while a send waited to leave: as many as cannot wait themselves, and one.
void Engine::next_send(Ports& ports) {
  while (ports.first_queued >= 0 && !ports.send_leaves) {
    std::int32_t const next = ports.first_queued;
    ports.first_queued = message(next).next_queued;
    begin_send(next, ports.send_free);
  }
}

void Engine::arrive(std::int32_t step, double now) {
  Step const& received = steps_[step];
  double const comes =
      fabric_.enter(received.rank, received.level, received.bytes, message(step).passage, now);
  if (comes > now) {
    add(comes, Event::Type::arrives, step);
  } else {
    take_in(step, now);
  }
}

void Engine::take_in(std::int32_t step, double now) {
  Step const& received = steps_[step];
  machine::Link const& link = fabric_.link(received.level);
  Ports& ports = ports_of(received);
  double const there = std::max(now, ports.receive_free) +
                       received.bytes * fabric_.per_byte(received.level) + link.overhead_receive;
  ports.receive_free = there + link.gap;
  message(step).there = there;
  if (message(step).has_begun) {
    add(there, Event::Type::done, step);
  }
}

void Engine::complete(std::int32_t step, double now) {
  double& finished = ports_of(steps_[step]).finished;
  finished = std::max(finished, now);
  dependences_.complete(step, ready_);
}

}  // namespace espalier::cost
