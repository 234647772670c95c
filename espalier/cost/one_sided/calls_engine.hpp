// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "espalier/cost/one_sided/actions.hpp"
#include "espalier/cost/replay/event_queue.hpp"

namespace espalier::cost {

/// Runs actions event by event; calls.hpp says by which rules.
class CallsEngine {
public:
  CallsEngine(Actions actions, OneSidedMachine const& machine);

  /// @throws Error argument if ranks wait for each other.
  void run();

  /// When an action was complete; after run().
  [[nodiscard]] double completed(std::int32_t action) const {
    return completed_[static_cast<std::size_t>(action)];
  }

  [[nodiscard]] double delivered() const noexcept { return delivered_; }

  [[nodiscard]] Actions const& actions() const noexcept { return actions_; }

private:
  /// Of a message, in the order in which they are handled at the same time.
  enum class Happening : std::uint8_t {
    done,      ///< the action is complete
    raises,    ///< the target has taken part
    is_there,  ///< at the target
    reaches,   ///< begins to reach the target
    returns,   ///< the answer to a get begins to reach the initiator
    answers,   ///< the request of a get asks to be answered
    leaves,    ///< asks for the port of the initiator
  };

  /// When each port of a rank or a node is free.
  struct Ports {
    double outgoing = 0;
    double incoming = 0;
  };

  /// When each of what a rank has is free.
  struct Rank {
    double processor = 0;
    double memory = 0;  ///< copies and reductions
    Ports ports;
  };

  void start(std::int32_t action, double now);
  void handle(Happening happening, std::int32_t action, double now);
  void leave(std::int32_t action, double now);
  void reach(std::int32_t action, double now);
  void arrive(std::int32_t action, double now);
  void answer(std::int32_t action, double now);
  void come_back(std::int32_t action, double now);
  void raise(std::int32_t action, double now);
  void complete(std::int32_t action, double now);
  void unblock(std::int32_t action);
  void require_all_complete() const;

  void add(double time, Happening happening, std::int32_t action) {
    auto const order = static_cast<std::uint64_t>(happening) << 32U;
    events_.push(Event(time, order | static_cast<std::uint32_t>(action)));
  }

  /// What messages between the ranks of an action go through.
  [[nodiscard]] LogGP const& network(Action const& action) const {
    return is_within(action) ? machine_.within : machine_.network;
  }

  [[nodiscard]] bool is_within(Action const& action) const {
    return machine_.is_within(action.rank, action.peer);
  }

  /// Seconds for which a message takes a port.
  [[nodiscard]] double passing(Action const& action, double bytes) const {
    return network(action).gap + bytes * network(action).per_byte;
  }

  /// At one of the ends of an action.
  [[nodiscard]] Ports& ports(Action const& action, int end) {
    bool const are_own = machine_.node_of_rank.empty() || is_within(action);
    return are_own
               ? rank(end).ports
               : nodes_[static_cast<std::size_t>(machine_
                                                     .node_of_rank[static_cast<std::size_t>(end)])];
  }

  /// What the initiator sends: a get asks with nothing.
  [[nodiscard]] static double bytes_sent(Action const& action) {
    return action.kind == schedule::Kind::get ? 0 : action.bytes;
  }

  [[nodiscard]] Rank& rank(int number) { return ranks_[static_cast<std::size_t>(number)]; }

  Actions actions_;
  OneSidedMachine machine_;
  std::vector<Rank> ranks_;
  std::vector<Ports> nodes_;
  std::vector<double> completed_;
  double delivered_ = 0;
  EventQueue events_;
  std::vector<std::int32_t> ready_;  ///< to be started now
};

}  // namespace espalier::cost
