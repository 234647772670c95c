// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/sharing_engine.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::cost {
namespace {

using schedule::Kind;

std::vector<double> bandwidths(simulation::Network const& network) {
  std::vector<double> result;
  for (simulation::Line const& line : network.lines()) {
    result.push_back(line.bandwidth);
  }
  return result;
}

}  // namespace

SharingEngine::SharingEngine(
    Steps steps, Setting const& setting, simulation::Network const& network
)
    : steps_(std::move(steps)), setting_(&setting), network_(&network), flows_(bandwidths(network)),
      dependences_(steps_), rank_free_(setting.core_of.size()),
      compute_free_(setting.core_of.size()), messages_(static_cast<std::size_t>(steps_.size())) {
  int const last = setting.machine.num_levels() - 1;
  for (Step& step : steps_.all()) {
    if (step.kind == Kind::send && step.partner >= 0) {
      int const own = setting.core_of[static_cast<std::size_t>(step.rank)];
      int const other = setting.core_of[static_cast<std::size_t>(steps_[step.partner].rank)];
      step.level = static_cast<std::uint8_t>(std::min(setting.machine.crossing(own, other), last));
      steps_[step.partner].level = step.level;
    }
  }
}

machine::Link const& SharingEngine::link(Step const& step) const {
  return setting_->machine.link(step.level);
}

bool SharingEngine::is_eager(Step const& step) const {
  return step.bytes <= static_cast<double>(link(step).eager_bytes);
}

double SharingEngine::after_overhead(int rank, double now, double seconds) {
  double& free = rank_free_[static_cast<std::size_t>(rank)];
  free = std::max(free, now) + seconds;
  return free;
}

SharingEngine::Outcome SharingEngine::run(double deadline, std::int64_t most_updates) {
  dependences_.initially_ready(ready_);
  start_ready(0);
  double now = next_time();
  while (now < no_deadline) {
    if (now > deadline) {
      return Outcome::late;
    }
    if (flows_.num_updates() > most_updates) {
      return Outcome::costly;
    }
    step_forward(now);
    now = next_time();
  }
  if (!dependences_.all_complete()) {
    throw Error(
        ErrorCode::argument, "expected programs that end, got ranks that wait for each other"
    );
  }
  return Outcome::finished;
}

double SharingEngine::next_time() {
  double const next_end = flows_.next_end();
  return events_.is_empty() ? next_end : std::min(events_.next_time(), next_end);
}

void SharingEngine::step_forward(double now) {
  // Rounding must not part what ends together.
  double const together = now * (1 + 1e-12);
  if (flows_.next_end() <= together) {
    flows_.end_until(together, ended_);
    for (std::int32_t const receive : ended_) {
      arrive(receive, now);
    }
    ended_.clear();
  }
  while (!events_.is_empty() && events_.next_time() <= together) {
    handle(events_.pop(), now);
  }
  start_ready(now);
}

void SharingEngine::start_ready(double now) {
  while (!ready_.empty()) {
    std::vector<std::int32_t> ready = std::exchange(ready_, {});
    std::ranges::sort(ready);
    for (std::int32_t const step : ready) {
      start(step, now);
    }
  }
}

void SharingEngine::start(std::int32_t step, double now) {
  Step const& started = steps_[step];
  if (started.kind == Kind::copy || started.kind == Kind::reduce) {
    compute(started, step, now);
  } else if (started.partner < 0) {
    add(now, Event::Type::done, step);
  } else if (started.kind == Kind::send) {
    send(step, now);
  } else {
    receive(step, now);
  }
}

void SharingEngine::compute(Step const& step, std::int32_t number, double now) {
  machine::Speed const& speed = setting_->machine.speed();
  double const per_byte = step.kind == Kind::copy ? speed.per_copied_byte : speed.per_combined_byte;
  double& free = compute_free_[static_cast<std::size_t>(step.rank)];
  free = std::max(now, free) + step.bytes * per_byte;
  add(free, Event::Type::done, number);
}

void SharingEngine::send(std::int32_t step, double now) {
  Step const& sent = steps_[step];
  Message& received = message(sent.partner);
  received.sender_has_begun = true;
  if (is_eager(sent)) {
    double const leaves = after_overhead(sent.rank, now, link(sent).overhead_send);
    add(leaves, Event::Type::done, step);
    add(leaves, Event::Type::leaves, sent.partner);
  } else if (received.has_begun) {
    add(now, Event::Type::leaves, sent.partner);
  }
}

void SharingEngine::receive(std::int32_t step, double now) {
  Message& received = message(step);
  received.has_begun = true;
  if (received.is_there) {
    take_in(step, now);
  } else if (received.sender_has_begun && !is_eager(steps_[step])) {
    add(now, Event::Type::leaves, step);
  }
}

void SharingEngine::handle(Event const& event, double now) {
  switch (event.type()) {
  case Event::Type::done:
    complete(event.step(), now);
    break;
  case Event::Type::leaves:
    find_route(event.step());
    add(now + latency(), Event::Type::arrives, event.step());
    break;
  case Event::Type::arrives:
    enter_lines(event.step(), now);
    break;
  case Event::Type::hops:
    break;
  }
}

void SharingEngine::enter_lines(std::int32_t receive, double now) {
  Step const& received = steps_[receive];
  if (received.bytes <= 0) {
    arrive(receive, now);
    return;
  }
  find_route(receive);
  flows_.begin(receive, route_, received.bytes, now);
}

void SharingEngine::find_route(std::int32_t receive) {
  auto const core_of = [&](Step const& step) {
    return setting_->core_of[static_cast<std::size_t>(step.rank)];
  };
  Step const& received = steps_[receive];
  network_->find_route(core_of(steps_[received.partner]), core_of(received), route_);
}

double SharingEngine::latency() const {
  double sum = 0;
  for (std::size_t const line : route_) {
    sum += network_->lines()[line].latency;
  }
  return sum;
}

void SharingEngine::arrive(std::int32_t receive, double now) {
  Step const& received = steps_[receive];
  message(receive).is_there = true;
  if (!is_eager(received)) {
    add(now, Event::Type::done, received.partner);
  }
  if (message(receive).has_begun) {
    take_in(receive, now);
  }
}

void SharingEngine::take_in(std::int32_t receive, double now) {
  Step const& received = steps_[receive];
  double const overhead = is_eager(received) ? link(received).overhead_receive : 0;
  add(after_overhead(received.rank, now, overhead), Event::Type::done, receive);
}

void SharingEngine::complete(std::int32_t step, double now) {
  finished_ = std::max(finished_, now);
  dependences_.complete(step, ready_);
}

}  // namespace espalier::cost
