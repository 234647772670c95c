// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/simulated/simulated_conduit.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <utility>

#include "espalier/mpi/own_communicator.hpp"
#include "espalier/onesided/lines.hpp"
#include "espalier/onesided/mpi/mpi_attachment.hpp"
#include "espalier/onesided/operations.hpp"
#include "espalier/onesided/simulated/simulated_rank.hpp"

namespace espalier::onesided {
namespace {

using mpi::OwnCommunicator;
using simgrid::s4u::Engine;
using simgrid::s4u::this_actor::sleep_for;

constexpr std::size_t max_medium_bytes = 4096;

/// What a poll takes that follows another one at the same time.
constexpr double poll_seconds = 1e-7;

constexpr std::align_val_t alignment{line_bytes};

struct Freed {
  void operator()(std::byte* memory) const noexcept { ::operator delete(memory, alignment); }
};

using Segment = std::unique_ptr<std::byte, Freed>;

Segment make_segment(std::uint64_t num_bytes) {
  Segment segment(static_cast<std::byte*>(::operator new(num_bytes, alignment)));
  std::memset(segment.get(), 0, num_bytes);
  return segment;
}

/// Rounds of a dissemination among so many ranks.
int num_rounds(int num_ranks) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(num_ranks - 1)));
}

struct Operation {
  bool is_local = false;
  bool is_over = false;
};

class SimulatedConduit final : public Conduit {
public:
  using Conduit::Attached;

  SimulatedConduit(Attached attached, OwnCommunicator comm, Segment segment)
      : Conduit(std::move(attached)), comm_(std::move(comm)), segment_(std::move(segment)),
        ends_(SimulatedEnds::of(*simgrid::s4u::this_actor::get_host())),
        own_(segment_.get(), num_rounds(num_ranks())), messages_(ends_, own_) {
    for (std::uint64_t const address :
         gather_all(comm_.get(), reinterpret_cast<std::uintptr_t>(&own_))) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): of an object of this process, from another rank.
      ranks_.push_back(reinterpret_cast<SimulatedRank*>(address));
    }
  }

  SimulatedConduit(SimulatedConduit const&) = delete;
  SimulatedConduit& operator=(SimulatedConduit const&) = delete;
  SimulatedConduit(SimulatedConduit&&) = delete;
  SimulatedConduit& operator=(SimulatedConduit&&) = delete;

  /// Nobody's messages reach this rank after all have seen the end of their own.
  ~SimulatedConduit() override {
    while (messages_.num_underway() > 0) {
      own_.sleep();
    }
    PMPI_Barrier(comm_.get());
  }

  [[nodiscard]] int most_raising_at_once(int /*rank*/, std::size_t /*num_bytes*/) const override {
    return std::numeric_limits<int>::max();
  }

private:
  Slot do_put(Remote to, void const* from, std::size_t num_bytes) override {
    if (to.rank == rank()) {
      std::memmove(own_.at(to.offset), from, num_bytes);
      return complete;
    }
    Slot const slot = operations_.take({.is_local = is_eager(num_bytes)});
    Operation& operation = operations_[slot];
    send(to.rank, num_bytes, carrying(from, num_bytes, [this, to, &operation](auto data) {
           land(to, data);
           operation.is_local = true;
           own_.notice();
           messages_.start(rank_at(to.rank), own_, 0, [this, &operation] {
             operation.is_over = true;
             own_.notice();
           });
         }));
    return slot;
  }

  Slot do_get(void* to, Remote from, std::size_t num_bytes) override {
    if (from.rank == rank()) {
      std::memmove(to, own_.at(from.offset), num_bytes);
      return complete;
    }
    Slot const slot = operations_.take({});
    Operation& operation = operations_[slot];
    send(from.rank, 0, [this, to, from, num_bytes, &operation] {
      std::byte const* const at = rank_at(from.rank).at(from.offset);
      auto const landed = [this, to, &operation](std::span<std::byte const> data) {
        std::memcpy(to, data.data(), data.size());
        operation = {.is_local = true, .is_over = true};
        own_.notice();
      };
      messages_.start(rank_at(from.rank), own_, num_bytes, copied(at, num_bytes, landed));
    });
    return slot;
  }

  Slot do_put_raising(Remote to, void const* from, std::size_t num_bytes, Raise raise) override {
    if (to.rank == rank()) {
      land(to, {static_cast<std::byte const*>(from), num_bytes});
      add({.rank = to.rank, .offset = raise.offset}, raise.amount);
      return complete;
    }
    if (is_eager(num_bytes)) {
      send(to.rank, num_bytes, copied(from, num_bytes, [this, to, raise](auto data) {
             land(to, data);
             add({.rank = to.rank, .offset = raise.offset}, raise.amount);
           }));
      return complete;
    }
    Slot const slot = operations_.take({});
    Operation& operation = operations_[slot];
    send(to.rank, num_bytes, [this, to, from, num_bytes, raise, &operation] {
      land(to, {static_cast<std::byte const*>(from), num_bytes});
      operation = {.is_local = true, .is_over = true};
      own_.notice();
      add({.rank = to.rank, .offset = raise.offset}, raise.amount);
    });
    return slot;
  }

  void do_post_put(Remote to, void const* from, std::size_t num_bytes) override {
    leave(do_put(to, from, num_bytes));
  }

  void do_post_get(void* to, Remote from, std::size_t num_bytes) override {
    leave(do_get(to, from, num_bytes));
  }

  bool try_fence() override {
    return operations_.end_dropped([this](Slot slot) { return is_over(slot); });
  }

  bool is_local(Slot slot) override { return operations_[slot].is_local; }

  bool is_over(Slot slot) override {
    if (!operations_[slot].is_over) {
      return false;
    }
    operations_.free(slot);
    return true;
  }

  void leave_to_fence(Slot slot) noexcept override { operations_.drop(slot); }

  bool try_signal(Remote counter, std::uint64_t amount) override {
    if (counter.rank == rank()) {
      add(counter, amount);
    } else {
      send(counter.rank, 0, [this, counter, amount] { add(counter, amount); });
    }
    return true;
  }

  std::uint64_t load_counter(std::uint64_t offset) override { return *counter_at(own_, offset); }

  bool try_send(Outgoing const& outgoing) override {
    Letter const letter{
        .source = rank(),
        .kind = outgoing.kind,
        .is_reply = outgoing.is_reply,
        .handler = outgoing.handler,
        .offset = outgoing.offset,
        .payload = {outgoing.payload.begin(), outgoing.payload.end()},
        .arguments = outgoing.arguments,
    };
    std::uint64_t const num_bytes = letter.payload.size() + letter.arguments.values().size_bytes();
    SimulatedRank& target = rank_at(outgoing.rank);
    if (outgoing.rank == rank()) {
      post(target, letter);
    } else {
      send(outgoing.rank, num_bytes, [&target, letter] { post(target, letter); });
    }
    return true;
  }

  /// What comes while handlers run is left to the next poll.
  void do_poll() override {
    std::size_t const num_letters = own_.letters().size();
    for (std::size_t i = 0; i < num_letters; ++i) {
      hand_over();
    }
    double const now = Engine::get_clock();
    if (num_letters == 0 && now == last_poll_) {
      sleep_for(poll_seconds);
    }
    last_poll_ = Engine::get_clock();
  }

  void do_wait(exec::node::Patience& /*patience*/) override {
    if (own_.letters().empty()) {
      own_.sleep();
    }
    last_poll_ = never;
    if (!own_.letters().empty()) {
      do_poll();
    }
  }

  void do_notify() override {
    last_poll_ = never;
    own_.enter_barrier([this](int round) { send_round(rank(), round); });
  }

  bool has_passed() override { return own_.has_passed(); }

  /// The simulator ends a program whose ranks all wait.
  void look_around() override {}

  [[nodiscard]] SimulatedRank& rank_at(int rank) const {
    return *ranks_[static_cast<std::size_t>(rank)];
  }

  static std::uint64_t* counter_at(SimulatedRank const& rank, std::uint64_t offset) {
    return reinterpret_cast<std::uint64_t*>(rank.at(offset));
  }

  [[nodiscard]] bool is_eager(std::size_t num_bytes) const noexcept {
    return num_bytes <= ends_.eager_bytes;
  }

  /// From this rank, which takes its time.
  void send(int to, std::uint64_t num_bytes, std::function<void()> action) {
    last_poll_ = never;
    if (ends_.overhead_send > 0) {
      sleep_for(ends_.overhead_send);
    }
    messages_.start(own_, rank_at(to), num_bytes, std::move(action));
  }

  /// The action with the data as they are now.
  template <typename Action>
  static std::function<void()> copied(void const* from, std::size_t num_bytes, Action action) {
    auto const* const begin = static_cast<std::byte const*>(from);
    return [data = std::vector<std::byte>(begin, begin + num_bytes), action] {
      action(std::span(data));
    };
  }

  /// The action with the data as they are now, or as they are then if their source has to stay.
  template <typename Action>
  std::function<void()> carrying(void const* from, std::size_t num_bytes, Action action) const {
    if (is_eager(num_bytes)) {
      return copied(from, num_bytes, action);
    }
    return [from, num_bytes, action] {
      action(std::span(static_cast<std::byte const*>(from), num_bytes));
    };
  }

  void land(Remote to, std::span<std::byte const> data) const {
    if (!data.empty()) {
      std::memmove(rank_at(to.rank).at(to.offset), data.data(), data.size());
    }
  }

  void add(Remote counter, std::uint64_t amount) const {
    SimulatedRank& target = rank_at(counter.rank);
    *counter_at(target, counter.offset) += amount;
    target.notice();
  }

  void leave(Slot slot) {
    if (slot != complete) {
      operations_.drop(slot);
    }
  }

  static void post(SimulatedRank& target, Letter const& letter) {
    if (letter.kind == MessageKind::long_message && !letter.payload.empty()) {
      std::memcpy(target.at(letter.offset), letter.payload.data(), letter.payload.size());
    }
    target.letters().push_back(letter);
    target.notice();
  }

  /// A handler may throw; its message counts as handled.
  void hand_over() {
    Letter letter = std::move(own_.letters().front());
    own_.letters().pop_front();
    if (letter.source != rank() && ends_.overhead_receive > 0) {
      sleep_for(ends_.overhead_receive);
    }
    bool const is_long = letter.kind == MessageKind::long_message;
    deliver({
        .source = letter.source,
        .is_reply = letter.is_reply,
        .handler = letter.handler,
        .payload =
            {is_long ? own_.at(letter.offset) : letter.payload.data(), letter.payload.size()},
        .arguments = letter.arguments.values(),
    });
  }

  /// The message of a round of a barrier, of any rank.
  void send_round(int from, int round) {
    int const to = (from + (1 << round)) % num_ranks();
    messages_.start(
        rank_at(from),
        rank_at(to),
        0,
        [this, to, round] {
          rank_at(to).arrive(round, [this, to](int next) { send_round(to, next); });
        },
        ends_.overhead_send
    );
  }

  static constexpr double never = -1;

  OwnCommunicator comm_;
  Segment segment_;
  SimulatedEnds ends_;
  SimulatedRank own_;
  SimulatedMessages messages_;
  std::vector<SimulatedRank*> ranks_;
  Operations<Operation> operations_;
  double last_poll_ = never;  ///< when; this rank has done nothing since
};

}  // namespace

std::unique_ptr<Conduit>
attach_simulated(MPI_Comm comm, std::uint64_t segment_bytes, std::vector<Handler> handlers) {
  OwnCommunicator own = OwnCommunicator::duplicate(comm);
  std::vector<std::uint64_t> sizes = exchange_sizes(own.get(), segment_bytes, handlers.size());
  Segment segment = make_segment(segment_bytes);
  SimulatedConduit::Attached attached{
      .rank = own.rank(),
      .segment_bytes = std::move(sizes),
      .segment = segment.get(),
      .max_medium_bytes = max_medium_bytes,
      .handlers = std::move(handlers),
  };
  return std::make_unique<SimulatedConduit>(
      std::move(attached), std::move(own), std::move(segment)
  );
}

}  // namespace espalier::onesided
