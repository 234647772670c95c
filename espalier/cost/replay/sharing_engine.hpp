// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "espalier/cost/replay/dependences.hpp"
#include "espalier/cost/replay/event_queue.hpp"
#include "espalier/cost/replay/flows.hpp"
#include "espalier/cost/replay/setting.hpp"
#include "espalier/cost/replay/steps.hpp"
#include "espalier/simulation/network.hpp"

namespace espalier::cost {

/// Runs steps event by event; sharing.hpp says by which rules.
class SharingEngine {
public:
  /// @param steps matched, of as many ranks as the setting has.
  /// @param network of the setting's machine; this and the setting must outlive the engine.
  SharingEngine(Steps steps, Setting const& setting, simulation::Network const& network);
  SharingEngine(SharingEngine const&) = delete;
  SharingEngine(SharingEngine&&) = delete;
  SharingEngine& operator=(SharingEngine const&) = delete;
  SharingEngine& operator=(SharingEngine&&) = delete;
  ~SharingEngine() = default;

  enum class Outcome {
    finished,
    late,    ///< something still happens after the deadline
    costly,  ///< rates were looked at too often: given up
  };

  static constexpr double no_deadline = std::numeric_limits<double>::infinity();
  static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

  /// @throws Error argument if ranks wait for each other.
  Outcome run(double deadline = no_deadline, std::int64_t most_updates = no_limit);

  /// After run(): when the last step was complete.
  [[nodiscard]] double seconds() const noexcept { return finished_; }

private:
  /// What is known of a receive.
  struct Message {
    bool is_there = false;
    bool has_begun = false;
    bool sender_has_begun = false;
  };

  /// All that happens next, at that time.
  void step_forward(double now);
  [[nodiscard]] double next_time();
  void start_ready(double now);
  void start(std::int32_t step, double now);
  void send(std::int32_t step, double now);
  void receive(std::int32_t step, double now);
  void compute(Step const& step, std::int32_t number, double now);
  void handle(Event const& event, double now);
  void enter_lines(std::int32_t receive, double now);
  void arrive(std::int32_t receive, double now);
  void take_in(std::int32_t receive, double now);
  void complete(std::int32_t step, double now);
  /// Sets route_ to the lines of a message.
  void find_route(std::int32_t receive);
  /// Of all lines of route_.
  [[nodiscard]] double latency() const;
  [[nodiscard]] machine::Link const& link(Step const& step) const;
  [[nodiscard]] bool is_eager(Step const& step) const;
  /// After an overhead on a rank that may be paying another one.
  double after_overhead(int rank, double now, double seconds);

  void add(double time, Event::Type type, std::int32_t step) { events_.push({time, type, step}); }

  [[nodiscard]] Message& message(std::int32_t receive) {
    return messages_[static_cast<std::size_t>(receive)];
  }

  Steps steps_;
  Setting const* setting_;
  simulation::Network const* network_;
  Flows flows_;
  Dependences dependences_;
  std::vector<double> rank_free_;
  std::vector<double> compute_free_;
  std::vector<Message> messages_;
  EventQueue events_;
  std::vector<std::int32_t> ready_;
  std::vector<std::int32_t> ended_;  ///< receives whose last byte has just come
  std::vector<std::size_t> route_;
  double finished_ = 0;
};

}  // namespace espalier::cost
