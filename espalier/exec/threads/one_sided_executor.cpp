// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/threads/one_sided_executor.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/exec/threads/program_progress.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::Kind;
using Clock = std::chrono::steady_clock;

/// What the threads of one run share: the memory and the counters of all ranks.
class SharedMemory {
public:
  SharedMemory(std::vector<ThreadRank> const& all_ranks, OneSidedOptions const& run_options)
      : options(run_options), ranks(all_ranks), waiting(all_ranks.size()),
        deadline(Clock::now() + run_options.time_limit) {
    std::vector<std::size_t> num_counters(ranks.size());
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      scratch_.emplace_back(static_cast<std::size_t>(ranks[rank].program.scratch_bytes));
      for (BoundOperation const& operation : ranks[rank].program.operations) {
        if (operation.tag >= 0) {
          std::size_t& most = num_counters[owner_of_counter(operation, rank)];
          most = std::max(most, static_cast<std::size_t>(operation.tag) + 1);
        }
      }
    }
    for (std::size_t const number : num_counters) {
      counters_.emplace_back(number);
    }
  }

  [[nodiscard]] std::byte const* readable(int rank, Buffer buffer) {
    return buffer == Buffer::input ? ranks[static_cast<std::size_t>(rank)].input
                                   : writable(rank, buffer);
  }

  [[nodiscard]] std::byte* writable(int rank, Buffer buffer) {
    auto const index = static_cast<std::size_t>(rank);
    return buffer == Buffer::output ? ranks[index].output : scratch_[index].data();
  }

  [[nodiscard]] std::atomic<int>& counter(int rank, int number) {
    return counters_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(number)];
  }

  void stop(std::exception_ptr failure) {
    std::lock_guard const lock(mutex_);
    if (first_failure_ == nullptr) {
      first_failure_ = std::move(failure);
    }
    is_stopped = true;
  }

  /// After the run.
  void check() {
    if (first_failure_ != nullptr) {
      std::rethrow_exception(first_failure_);
    }
    if (is_stopped) {
      throw Error(ErrorCode::argument, described_hang());
    }
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      for (BoundOperation const& operation : ranks[rank].program.operations) {
        if (operation.kind == Kind::await) {
          check_counter(static_cast<int>(rank), operation);
        }
      }
    }
  }

  OneSidedOptions const& options;
  std::vector<ThreadRank> const& ranks;
  std::vector<std::string> waiting;  ///< per rank: what it waited for when the time was over
  Clock::time_point deadline;
  std::atomic<bool> is_stopped = false;

private:
  static std::size_t owner_of_counter(BoundOperation const& operation, std::size_t rank) {
    bool const is_of_peer = operation.kind == Kind::put || operation.kind == Kind::signal;
    return is_of_peer ? static_cast<std::size_t>(operation.peer) : rank;
  }

  [[nodiscard]] std::string described_hang() const {
    constexpr int most_named = 4;
    std::string text =
        "the schedule must end within " + std::to_string(options.time_limit.count()) + " ms, but ";
    int num_named = 0;
    for (std::string const& what : waiting) {
      if (!what.empty() && num_named < most_named) {
        text += (num_named++ == 0 ? "" : "; ") + what;
      }
    }
    return text;
  }

  void check_counter(int rank, BoundOperation const& await) {
    if (int const found = counter(rank, await.tag).load(); found != await.arrivals) {
      throw Error(
          ErrorCode::argument,
          "counter " + std::to_string(await.tag) + " of rank " + std::to_string(rank) +
              " is awaited at " + std::to_string(await.arrivals) + ", but was raised " +
              std::to_string(found) + " times"
      );
    }
  }

  std::vector<std::vector<std::byte>> scratch_;
  std::vector<std::vector<std::atomic<int>>> counters_;
  std::mutex mutex_;
  std::exception_ptr first_failure_;
};

/// The thread of one rank.
class OneSidedRunner {
public:
  OneSidedRunner(SharedMemory& shared, int rank)
      : shared_(shared), rank_(rank),
        program_(shared.ranks[static_cast<std::size_t>(rank)].program), progress_(program_) {}

  void run() {
    call(shared_.options.enter);
    while (!progress_.is_all_complete()) {
      bool moved = progress_.start_what_may_start([this](std::size_t i) { start(i); });
      moved = finish_awaits() || moved;
      if (!moved && !deliver_last() && !wait()) {
        return;
      }
    }
    call(shared_.options.leave);
    while (deliver_last()) {
    }
  }

private:
  /// Data on the way to a peer.
  struct Packet {
    BoundOperation const* put = nullptr;
    std::vector<std::byte> bytes;
  };

  void call(std::function<void(int rank)> const& user) const {
    if (user) {
      user(rank_);
    }
  }

  [[nodiscard]] BoundOperation const& operation(std::size_t i) const {
    return program_.operations[i];
  }

  void start(std::size_t i) {
    BoundOperation const& op = operation(i);
    switch (op.kind) {
    case Kind::await:
      open_awaits_.push_back(i);
      return;
    case Kind::signal:
      raise(op);
      break;
    case Kind::put:
      put(op);
      break;
    case Kind::get:
    case Kind::copy:
      copy_runs(sources(op), destinations(op));
      break;
    case Kind::reduce:
      reduce(op);
      break;
    case Kind::send:
    case Kind::recv:
    case Kind::native:
      throw Error(ErrorCode::argument, "a one-sided schedule has no messages and no native calls");
    }
    progress_.complete(i);
  }

  void put(BoundOperation const& op) {
    if (shared_.options.delivery == Delivery::at_once) {
      copy_runs(sources(op), destinations(op));
      raise(op);
      return;
    }
    Packet packet{.put = &op, .bytes = {}};
    for (auto const& [data, size] : sources(op)) {
      packet.bytes.insert(packet.bytes.end(), data, data + size);
    }
    on_the_way_.push_back(std::move(packet));
  }

  bool deliver_last() {
    if (on_the_way_.empty()) {
      return false;
    }
    Packet const packet = std::move(on_the_way_.back());
    on_the_way_.pop_back();
    copy_runs({{packet.bytes.data(), packet.bytes.size()}}, destinations(*packet.put));
    raise(*packet.put);
    return true;
  }

  void raise(BoundOperation const& op) {
    if (op.tag != schedule::no_counter) {
      shared_.counter(op.peer, op.tag).fetch_add(1, std::memory_order_release);
    }
  }

  bool finish_awaits() {
    return std::erase_if(open_awaits_, [&](std::size_t i) {
             BoundOperation const& op = operation(i);
             bool const has_arrived =
                 shared_.counter(rank_, op.tag).load(std::memory_order_acquire) >= op.arrivals;
             if (has_arrived) {
               progress_.complete(i);
             }
             return has_arrived;
           }) > 0;
  }

  void reduce(BoundOperation const& op) {
    if (!shared_.options.combine) {
      throw Error(
          ErrorCode::argument, "the program reduces: OneSidedOptions::combine must be given"
      );
    }
    combine_runs(
        sources(op), destinations(op), shared_.options.combine, program_.element_extent_bytes
    );
  }

  [[nodiscard]] SourceRuns sources(BoundOperation const& op) const {
    int const owner = schedule::has_remote_sources(op.kind) ? op.peer : rank_;
    return source_runs(
        shared_.readable(owner, op.source), program_.sources(op), program_.element_extent_bytes
    );
  }

  [[nodiscard]] DestinationRuns destinations(BoundOperation const& op) const {
    int const owner = schedule::has_remote_slots(op.kind) ? op.peer : rank_;
    return destination_runs(
        shared_.writable(owner, op.buffer), program_.pieces(op), program_.element_extent_bytes
    );
  }

  /// False when the time is over or another rank has failed.
  bool wait() {
    // With more threads than cores, who only yields keeps those away that could raise a counter.
    constexpr int yields_before_sleep = 4;
    constexpr std::chrono::microseconds sleep{20};
    if (++num_waits_ % (yields_before_sleep + 1) == 0) {
      std::this_thread::sleep_for(sleep);
    } else {
      std::this_thread::yield();
    }
    if (!shared_.is_stopped && Clock::now() < shared_.deadline) {
      return true;
    }
    shared_.waiting[static_cast<std::size_t>(rank_)] = described_wait();
    shared_.is_stopped = true;
    return false;
  }

  [[nodiscard]] std::string described_wait() const {
    std::string const who = "rank " + std::to_string(rank_) + " waits for ";
    if (open_awaits_.empty()) {
      return who + "the start of operation " + std::to_string(progress_.first_not_started());
    }
    BoundOperation const& op = operation(open_awaits_.front());
    return who + "counter " + std::to_string(op.tag) + " to reach " + std::to_string(op.arrivals) +
           ", which is " + std::to_string(shared_.counter(rank_, op.tag).load()) +
           " in operation " + std::to_string(open_awaits_.front());
  }

  SharedMemory& shared_;
  int rank_;
  BoundProgram const& program_;
  ProgramProgress progress_;
  std::vector<std::size_t> open_awaits_;
  std::vector<Packet> on_the_way_;
  std::uint64_t num_waits_ = 0;
};

void run_rank(SharedMemory& shared, int rank) {
  try {
    OneSidedRunner(shared, rank).run();
  } catch (std::exception const&) {
    shared.stop(std::current_exception());
  }
}

}  // namespace

void run_one_sided(std::vector<ThreadRank> const& ranks, OneSidedOptions const& options) {
  SharedMemory shared(ranks, options);
  ThreadCrew own;
  ThreadCrew& crew = options.crew != nullptr ? *options.crew : own;
  crew.run(ranks.size(), [&](std::size_t rank) { run_rank(shared, static_cast<int>(rank)); });
  shared.check();
}

}  // namespace espalier::exec
