// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/cost/dependences.hpp"
#include "espalier/cost/partners.hpp"

namespace espalier::cost {
namespace {

using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

/// Something that happens to an operation. At equal times completions come first, so that what they
/// allow starts in program order.
struct Event {
  enum class Type { done, arrives, starts };

  double time = 0;
  Type type = Type::starts;
  Place place{};

  friend bool operator>(Event const& a, Event const& b) {
    return std::tie(a.time, a.type, a.place) > std::tie(b.time, b.type, b.place);
  }
};

/// What one rank does one after another.
struct Ports {
  double send_free = 0;
  double receive_free = 0;
  double reduce_free = 0;
};

/// A receive: whether it has begun, and when its data are there.
struct Reception {
  bool has_begun = false;
  std::optional<double> taken_in;
};

struct RankState {
  explicit RankState(RankProgram const& program)
      : dependences(program), receptions(program.operations.size()) {}

  Dependences dependences;
  std::vector<Reception> receptions;  ///< by operation
  Ports ports{};
  double finished = 0;
};

class Replay {
public:
  Replay(std::span<RankProgram const> programs, Network const& network, double block_bytes)
      : programs_(programs), network_(network), block_bytes_(block_bytes), partners_(programs),
        ranks_(programs.begin(), programs.end()) {}

  std::vector<double> run() {
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
      start(rank, state(rank).dependences.initially_ready(), 0);
    }
    while (!events_.empty()) {
      Event const event = events_.top();
      events_.pop();
      handle(event);
    }
    std::vector<double> finished;
    for (RankState const& rank : ranks_) {
      if (!rank.dependences.all_complete()) {
        throw Error(ErrorCode::argument, "ranks wait for each other");
      }
      finished.push_back(rank.finished);
    }
    return finished;
  }

private:
  [[nodiscard]] RankState& state(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  [[nodiscard]] Reception& reception(Place place) {
    return state(place.rank).receptions[static_cast<std::size_t>(place.operation)];
  }

  [[nodiscard]] Operation const& operation(Place place) const {
    RankProgram const& program = programs_[static_cast<std::size_t>(place.rank)];
    return program.operations[static_cast<std::size_t>(place.operation)];
  }

  [[nodiscard]] double bytes(Place place) const {
    RankProgram const& program = programs_[static_cast<std::size_t>(place.rank)];
    auto const num_blocks = schedule::num_blocks(program.slots(operation(place)));
    return static_cast<double>(num_blocks) * block_bytes_;
  }

  [[nodiscard]] double message_time(Place place) const {
    return network_.per_message + network_.per_byte * bytes(place);
  }

  void start(int rank, std::vector<int> const& ready, double now) {
    for (int const operation : ready) {
      add(now, Event::Type::starts, {.rank = rank, .operation = operation});
    }
  }

  void add(double time, Event::Type type, Place place) {
    events_.push({.time = time, .type = type, .place = place});
  }

  void handle(Event const& event) {
    switch (event.type) {
    case Event::Type::starts:
      begin(event.place, event.time);
      break;
    case Event::Type::arrives:
      take_in(event.place, event.time);
      break;
    case Event::Type::done:
      RankState& rank = state(event.place.rank);
      rank.finished = std::max(rank.finished, event.time);
      start(event.place.rank, rank.dependences.complete(event.place.operation), event.time);
      break;
    }
  }

  void begin(Place place, double now) {
    Ports& ports = state(place.rank).ports;
    switch (operation(place).kind) {
    case Kind::send:
      send(place, std::max(now, ports.send_free));
      break;
    case Kind::recv:
      reception(place).has_begun = true;
      if (reception(place).taken_in) {
        add(std::max(now, *reception(place).taken_in), Event::Type::done, place);
      }
      break;
    case Kind::reduce:
      ports.reduce_free =
          std::max(now, ports.reduce_free) + network_.per_combined_byte * bytes(place);
      add(ports.reduce_free, Event::Type::done, place);
      break;
    case Kind::copy:
      add(now, Event::Type::done, place);
      break;
    }
  }

  void send(Place place, double now) {
    double const sent = now + message_time(place);
    state(place.rank).ports.send_free = sent;
    add(sent, Event::Type::done, place);
    add(now + network_.latency, Event::Type::arrives, partners_.of(place));
  }

  /// The first byte is there; the last one comes while the message occupies the receiver.
  void take_in(Place place, double now) {
    double& free = state(place.rank).ports.receive_free;
    free = std::max(now, free) + message_time(place);
    reception(place).taken_in = free;
    if (reception(place).has_begun) {
      add(free, Event::Type::done, place);
    }
  }

  std::span<RankProgram const> programs_;
  Network network_;
  double block_bytes_;
  Partners partners_;
  std::vector<RankState> ranks_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace

Network network(Hockney const& machine) {
  return {
      .per_message = machine.alpha,
      .per_byte = machine.beta,
      .latency = 0,
      .per_combined_byte = machine.gamma,
  };
}

Network network(LogGP const& machine, Overhead overhead) {
  bool const sender_pays = overhead != Overhead::receiver;
  bool const receiver_pays = overhead != Overhead::sender;
  return {
      .per_message = machine.gap + (sender_pays ? machine.overhead : 0),
      .per_byte = machine.per_byte,
      .latency = machine.latency + (receiver_pays ? machine.overhead : 0),
      .per_combined_byte = 0,
  };
}

std::vector<double>
replay(std::span<RankProgram const> programs, Network const& network, double block_bytes) {
  return Replay(programs, network, block_bytes).run();
}

double replay_time(
    algorithms::Choice const& choice,
    int num_ranks,
    int root,
    Network const& network,
    double block_bytes
) {
  std::vector<RankProgram> programs;
  for (int rank = 0; rank < num_ranks; ++rank) {
    programs.push_back(choice.generate(num_ranks, root, rank));
  }
  return std::ranges::max(replay(programs, network, block_bytes));
}

}  // namespace espalier::cost
