// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "espalier/cost/replay/dependences.hpp"
#include "espalier/cost/replay/event_queue.hpp"
#include "espalier/cost/replay/fabric.hpp"
#include "espalier/cost/replay/replay.hpp"
#include "espalier/cost/replay/steps.hpp"

namespace espalier::cost {

/// Runs steps event by event; replay.hpp says by which rules.
class Engine {
public:
  static constexpr double no_deadline = std::numeric_limits<double>::infinity();

  /// @param steps matched.
  /// @throws Error argument unless there are steps of as many ranks as the setting has.
  Engine(Steps steps, Setting const& setting);

  /// Seconds that the ports of some rank are busy: no replay takes less.
  [[nodiscard]] double lower_bound() const;
  /// False if something still happens after the deadline; then there is no result.
  /// @throws Error argument if ranks wait for each other.
  bool run(double deadline = no_deadline);
  /// After run().
  [[nodiscard]] Replay result() const;

private:
  /// What one rank does one after another, and the sends that wait for the first of them to leave.
  struct Ports {
    double send_free = 0;
    double receive_free = 0;
    double compute_free = 0;
    double finished = 0;
    std::int32_t first_queued = -1;
    std::int32_t last_queued = -1;
    bool send_leaves = false;  ///< a send has begun whose bytes have not left
  };

  /// What is known of a send or a receive.
  struct Message {
    double there = -1;  ///< receive: when its data are complete; -1 if not known
    Fabric::Passage passage{};
    bool has_begun = false;         ///< receive
    bool sender_waits = false;      ///< receive: its send waits until it has begun
    std::int32_t next_queued = -1;  ///< send: the one after it at the port
  };

  void find_levels();
  void handle(Event const& event, double now);
  void start(std::int32_t step, double now);
  void compute(std::int32_t step, double now);
  void receive(std::int32_t step, double now);
  void send(std::int32_t step, double now);
  void queue_send(std::int32_t step, double now);
  void begin_send(std::int32_t step, double now);
  void leave(std::int32_t step, double now);
  void depart(std::int32_t step, double now);
  void hop(std::int32_t step, double now);
  void next_send(Ports& ports);
  void arrive(std::int32_t step, double now);
  void take_in(std::int32_t step, double now);
  void complete(std::int32_t step, double now);

  void add(double time, Event::Type type, std::int32_t step) { events_.push({time, type, step}); }

  /// Of a message, from its sender or after the last hop; rendezvous included.
  [[nodiscard]] double latency(Step const& received) const;

  [[nodiscard]] Ports& ports_of(Step const& step) {
    return ports_[static_cast<std::size_t>(step.rank)];
  }

  [[nodiscard]] Message& message(std::int32_t step) {
    return messages_[static_cast<std::size_t>(step)];
  }

  Steps steps_;
  Fabric fabric_;
  Dependences dependences_;
  machine::Speed speed_;
  std::vector<Ports> ports_;
  std::vector<Message> messages_;
  std::vector<LevelUse> use_;
  EventQueue events_;
  std::vector<std::int32_t> ready_;  ///< to be started now
};

}  // namespace espalier::cost
