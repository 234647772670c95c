// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/threads/thread_executor.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/exec/threads/byte_runs.hpp"
#include "espalier/exec/threads/program_progress.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::Kind;
using Clock = std::chrono::steady_clock;

/// Runs of bytes; they belong to the sender in rendezvous mode, to the message otherwise.
struct Message {
  SourceRuns runs;
  std::vector<std::byte> copied;
  std::int64_t num_bytes = 0;
  int source = -1;
  bool is_taken = false;  ///< guarded by the inbox of the source
};

/// What other ranks hand to a rank. Every change wakes it.
struct Inbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<Message>>> by_source_and_tag;
  std::uint64_t num_changes = 0;

  template <typename Change> void change(Change&& apply) {
    std::lock_guard const lock(mutex);
    apply();
    ++num_changes;
    changed.notify_one();
  }
};

/// Shared by the threads of one run.
struct World {
  World(std::size_t num_ranks, ThreadOptions const& run_options)
      : options(run_options), inboxes(num_ranks), waiting(num_ranks),
        deadline(Clock::now() + run_options.time_limit) {}

  void stop(std::exception_ptr failure) {
    {
      std::lock_guard const lock(mutex);
      if (first_failure == nullptr) {
        first_failure = std::move(failure);
      }
    }
    stop();
  }

  void stop() {
    is_stopped = true;
    for (Inbox& inbox : inboxes) {
      inbox.change([] {});
    }
  }

  ThreadOptions const& options;
  std::deque<Inbox> inboxes;
  std::vector<std::string> waiting;  ///< per rank: what it waited for when the time was over
  Clock::time_point deadline;
  std::atomic<bool> is_stopped = false;
  std::mutex mutex;
  std::exception_ptr first_failure;
};

/// The thread of one rank.
class Runner {
public:
  Runner(World& world, ThreadRank const& rank, int number)
      : world_(world), rank_(rank), program_(rank.program), number_(number),
        inbox_(world.inboxes[static_cast<std::size_t>(number)]),
        scratch_(static_cast<std::size_t>(program_.scratch_bytes)), progress_(program_) {}

  void run() {
    while (!world_.is_stopped) {
      std::uint64_t const seen = num_changes();
      bool moved = progress_.start_what_may_start([this](std::size_t i) { start(i); });
      moved = receive() || moved;
      moved = finish_sends() || moved;
      if (progress_.is_all_complete()) {
        return;
      }
      if (!moved && !wait_for_change(seen)) {
        report_waiting();
        return;
      }
    }
    report_waiting();
  }

private:
  [[nodiscard]] BoundOperation const& operation(std::size_t i) const {
    return program_.operations[i];
  }

  std::uint64_t num_changes() {
    std::lock_guard const lock(inbox_.mutex);
    return inbox_.num_changes;
  }

  /// False when the time is over.
  bool wait_for_change(std::uint64_t seen) {
    std::unique_lock lock(inbox_.mutex);
    return inbox_.changed.wait_until(lock, world_.deadline, [&] {
      return inbox_.num_changes != seen;
    });
  }

  void start(std::size_t i) {
    BoundOperation const& op = operation(i);
    if (op.is_empty()) {
      progress_.complete(i);
    } else if (op.kind == Kind::send) {
      send(i);
    } else if (op.kind == Kind::recv) {
      open_receives_.push_back(i);
    } else {
      op.kind == Kind::copy ? copy(op) : reduce(op);
      progress_.complete(i);
    }
  }

  void send(std::size_t i) {
    BoundOperation const& op = operation(i);
    auto message = std::make_shared<Message>();
    message->source = number_;
    message->runs = sources_of(op.buffer, program_.pieces(op));
    message->num_bytes = num_bytes(op.num_elements);
    if (world_.options.mode == SendMode::buffered) {
      for (auto const& [data, size] : message->runs) {
        message->copied.insert(message->copied.end(), data, data + size);
      }
      message->runs = {{message->copied.data(), message->copied.size()}};
      progress_.complete(i);
    } else {
      open_sends_.emplace_back(i, message);
    }
    Inbox& inbox = world_.inboxes[static_cast<std::size_t>(op.peer)];
    inbox.change([&] { inbox.by_source_and_tag[{number_, op.tag}].push_back(message); });
  }

  bool receive() {
    auto const matched = match();
    for (Match const& found : matched) {
      BoundOperation const& op = operation(found.receive);
      Message& message = *found.message;
      require_size(found.receive, message.num_bytes);
      copy_runs(message.runs, destinations_of(op));
      Inbox& sender = world_.inboxes[static_cast<std::size_t>(message.source)];
      sender.change([&] { message.is_taken = true; });
      progress_.complete(found.receive);
    }
    return !matched.empty();
  }

  struct Match {
    std::size_t receive = 0;
    std::shared_ptr<Message> message;
  };

  /// Takes the messages of open receives, all in one step: between two looks a message could come
  /// in that belongs to the receive looked at first.
  std::vector<Match> match() {
    std::vector<Match> matched;
    std::lock_guard const lock(inbox_.mutex);
    std::erase_if(open_receives_, [&](std::size_t i) {
      auto const place = inbox_.by_source_and_tag.find({operation(i).peer, operation(i).tag});
      if (place == inbox_.by_source_and_tag.end() || place->second.empty()) {
        return false;
      }
      matched.push_back({.receive = i, .message = std::move(place->second.front())});
      place->second.pop_front();
      return true;
    });
    return matched;
  }

  bool finish_sends() {
    std::lock_guard const lock(inbox_.mutex);
    return std::erase_if(open_sends_, [&](auto const& open) {
             if (open.second->is_taken) {
               progress_.complete(open.first);
             }
             return open.second->is_taken;
           }) > 0;
  }

  void copy(BoundOperation const& op) {
    copy_runs(sources_of(op.source, program_.sources(op)), destinations_of(op));
  }

  void reduce(BoundOperation const& op) {
    if (!world_.options.combine) {
      throw Error(ErrorCode::argument, "the program reduces: ThreadOptions::combine must be given");
    }
    combine_runs(
        sources_of(op.source, program_.sources(op)),
        destinations_of(op),
        world_.options.combine,
        program_.element_extent_bytes
    );
  }

  [[nodiscard]] std::int64_t num_bytes(std::int64_t num_elements) const {
    return num_elements * program_.element_extent_bytes;
  }

  SourceRuns sources_of(Buffer buffer, std::span<Piece const> pieces) {
    std::byte const* const base = buffer == Buffer::input ? rank_.input : writable(buffer);
    return source_runs(base, pieces, program_.element_extent_bytes);
  }

  DestinationRuns destinations_of(BoundOperation const& op) {
    return destination_runs(
        writable(op.buffer), program_.pieces(op), program_.element_extent_bytes
    );
  }

  std::byte* writable(Buffer buffer) {
    return buffer == Buffer::output ? rank_.output : scratch_.data();
  }

  [[nodiscard]] std::string describe(std::size_t i) const {
    BoundOperation const& op = operation(i);
    return "operation " + std::to_string(i) + " (" +
           (op.kind == Kind::send ? "send to " : "receive from ") + std::to_string(op.peer) +
           ", tag " + std::to_string(op.tag) + ")";
  }

  void require_size(std::size_t i, std::int64_t found) const {
    std::int64_t const expected = num_bytes(operation(i).num_elements);
    if (expected != found) {
      throw Error(
          ErrorCode::argument,
          "rank " + std::to_string(number_) + ", " + describe(i) + ": expected " +
              std::to_string(expected) + " bytes, got " + std::to_string(found)
      );
    }
  }

  /// The first open message, or else the first operation that could not start.
  void report_waiting() {
    std::string text = "rank " + std::to_string(number_) + " waits for ";
    if (!open_receives_.empty()) {
      text += describe(open_receives_.front());
    } else if (!open_sends_.empty()) {
      text += describe(open_sends_.front().first);
    } else {
      text += "the start of operation " + std::to_string(progress_.first_not_started());
    }
    world_.waiting[static_cast<std::size_t>(number_)] = std::move(text);
    if (!world_.is_stopped.exchange(true)) {
      world_.stop();
    }
  }

  World& world_;
  ThreadRank const& rank_;
  BoundProgram const& program_;
  int number_;
  Inbox& inbox_;
  std::vector<std::byte> scratch_;
  ProgramProgress progress_;
  std::vector<std::size_t> open_receives_;
  std::vector<std::pair<std::size_t, std::shared_ptr<Message>>> open_sends_;
};

void run_rank(World& world, ThreadRank const& rank, int number) {
  try {
    Runner(world, rank, number).run();
  } catch (std::exception const&) {
    world.stop(std::current_exception());
  }
}

void check(World const& world) {
  if (world.first_failure != nullptr) {
    std::rethrow_exception(world.first_failure);
  }
  if (world.is_stopped) {
    std::string text = "the schedule must end within " +
                       std::to_string(world.options.time_limit.count()) + " ms, but ";
    int num_named = 0;
    for (std::string const& waiting : world.waiting) {
      if (!waiting.empty() && num_named < 4) {
        text += (num_named++ == 0 ? "" : "; ") + waiting;
      }
    }
    throw Error(ErrorCode::argument, text);
  }
  for (std::size_t rank = 0; rank < world.inboxes.size(); ++rank) {
    for (auto const& [source_and_tag, messages] : world.inboxes[rank].by_source_and_tag) {
      if (!messages.empty()) {
        throw Error(
            ErrorCode::argument,
            "every message must be received, but rank " + std::to_string(rank) + " left one from " +
                std::to_string(source_and_tag.first) + " with tag " +
                std::to_string(source_and_tag.second)
        );
      }
    }
  }
}

}  // namespace

void run_threads(std::vector<ThreadRank> const& ranks, ThreadOptions const& options) {
  World world(ranks.size(), options);
  ThreadCrew own;
  ThreadCrew& crew = options.crew != nullptr ? *options.crew : own;
  crew.run(ranks.size(), [&](std::size_t rank) {
    run_rank(world, ranks[rank], static_cast<int>(rank));
  });
  check(world);
}

}  // namespace espalier::exec
