// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include <simgrid/s4u.hpp>

#include "espalier/onesided/message.hpp"

namespace espalier::onesided {

/// What ends of messages cost on a simulated machine; the platform says it in properties of hosts
/// (espalier/simulation/platform.cpp).
struct SimulatedEnds {
  double overhead_send = 0;     ///< seconds
  double overhead_receive = 0;  ///< seconds
  std::uint64_t eager_bytes = 0;
  std::uint64_t envelope_bytes = 0;  ///< that go with each message

  /// Zero where another platform says nothing.
  static SimulatedEnds of(simgrid::s4u::Host const& host);
};

/// An active message that has arrived.
struct Letter {
  int source = 0;
  MessageKind kind = MessageKind::short_message;
  bool is_reply = false;
  std::uint32_t handler = 0;
  std::uint64_t offset = 0;
  std::vector<std::byte> payload;
  Arguments arguments;
};

/// What other ranks do to a rank. All ranks of a simulation are in one process, and one runs at a
/// time.
class SimulatedRank {
public:
  /// The rank that calls this.
  SimulatedRank(std::byte* segment, int num_rounds)
      : segment_(segment), host_(simgrid::s4u::this_actor::get_host()),
        arrivals_(static_cast<std::size_t>(num_rounds)) {}

  [[nodiscard]] std::byte* at(std::uint64_t offset) const noexcept { return segment_ + offset; }

  [[nodiscard]] simgrid::s4u::Host* host() const noexcept { return host_; }

  [[nodiscard]] std::deque<Letter>& letters() noexcept { return letters_; }

  /// Something has happened to this rank. Wakes it if it sleeps.
  void notice() {
    has_news_ = true;
    if (sleeps_) {
      sleeps_ = false;
      bell_->release();
    }
  }

  /// The rank itself: sleeps until something happens, or has happened since it woke up last.
  void sleep() {
    if (!has_news_) {
      sleeps_ = true;
      bell_->acquire();
    }
    has_news_ = false;
  }

  /// Begins its next barrier. Send(round) starts the message of a round; other ranks may run
  /// meanwhile, and so may arrive().
  template <typename Send> void enter_barrier(Send&& send) {
    ++num_entered_;
    num_sent_ = 0;
    round_ = 0;
    go_on(send);
  }

  /// The message of a round of a barrier has come.
  template <typename Send> void arrive(int round, Send&& send) {
    ++arrivals_[static_cast<std::size_t>(round)];
    if (!has_passed()) {
      go_on(send);
    }
  }

  [[nodiscard]] bool has_passed() const noexcept { return num_passed_ == num_entered_; }

private:
  /// Of all barriers so far, the message of this round.
  [[nodiscard]] bool has_arrived() const {
    return arrivals_[static_cast<std::size_t>(round_)] >= num_entered_;
  }

  template <typename Send> void go_on(Send&& send) {
    auto const num_rounds = static_cast<int>(arrivals_.size());
    while (round_ < num_rounds) {
      if (num_sent_ == round_) {
        ++num_sent_;
        send(round_);
      } else if (has_arrived()) {
        ++round_;
      } else {
        return;
      }
    }
    num_passed_ = num_entered_;
    notice();
  }

  std::byte* segment_;
  simgrid::s4u::Host* host_;
  /// What SimGrid 3.32 has for suspended actors runs one twice that is resumed at that moment.
  simgrid::s4u::SemaphorePtr bell_ = simgrid::s4u::Semaphore::create(0);
  std::deque<Letter> letters_;
  bool has_news_ = false;
  bool sleeps_ = false;
  std::uint64_t num_entered_ = 0;  ///< barriers
  std::uint64_t num_passed_ = 0;
  int round_ = 0;                        ///< of the barrier that was entered last
  int num_sent_ = 0;                     ///< messages of that barrier
  std::vector<std::uint64_t> arrivals_;  ///< by round
};

/// Messages of one rank that are on their way.
class SimulatedMessages {
public:
  /// @param own  the rank that starts them; it hears of it when none is underway any more
  SimulatedMessages(SimulatedEnds const& ends, SimulatedRank& own) : ends_(ends), own_(own) {}

  SimulatedMessages(SimulatedMessages const&) = delete;
  SimulatedMessages& operator=(SimulatedMessages const&) = delete;
  SimulatedMessages(SimulatedMessages&&) = delete;
  SimulatedMessages& operator=(SimulatedMessages&&) = delete;
  ~SimulatedMessages() = default;

  /// Starts a message, and calls action() when it is there.
  /// @param seconds  until it begins
  void start(
      SimulatedRank const& from,
      SimulatedRank const& to,
      std::uint64_t num_bytes,
      std::function<void()> action,
      double seconds = 0
  );

  /// Started, and not there.
  [[nodiscard]] int num_underway() const noexcept { return num_underway_; }

private:
  SimulatedEnds ends_;
  SimulatedRank& own_;
  int num_underway_ = 0;
};

}  // namespace espalier::onesided
