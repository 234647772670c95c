// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/execution.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"

namespace espalier::verify {
namespace {

using schedule::Operation;
using schedule::RankProgram;

/// Who waits for an operation of a dataflow program, and how many it still waits for itself.
struct Dataflow {
  std::vector<int> num_missing;
  std::vector<int> begin;  ///< of the operation's followers; one more entry than operations
  std::vector<int> followers;
};

Dataflow dataflow_of(RankProgram const& program) {
  std::size_t const n = program.operations.size();
  Dataflow flow{
      .num_missing = std::vector<int>(n), .begin = std::vector<int>(n + 1), .followers = {}
  };
  for (Operation const& operation : program.operations) {
    schedule::for_each_wait(program, operation, [&](int i) {
      ++flow.begin[static_cast<std::size_t>(i) + 1];
    });
  }
  for (std::size_t i = 0; i < n; ++i) {
    flow.begin[i + 1] += flow.begin[i];
  }
  flow.followers.resize(static_cast<std::size_t>(flow.begin[n]));
  std::vector<int> next(flow.begin.begin(), flow.begin.end() - 1);
  for (std::size_t i = 0; i < n; ++i) {
    schedule::for_each_wait(program, program.operations[i], [&](int waited_for) {
      int& reference = next[static_cast<std::size_t>(waited_for)];
      flow.followers[static_cast<std::size_t>(reference++)] = static_cast<int>(i);
      ++flow.num_missing[i];
    });
  }
  return flow;
}

class Execution {
public:
  Execution(AllOperations const& all, Matching const& matching, Values& values)
      : all_(all), matching_(matching), values_(values), states_(all.size(), State::waiting),
        ranks_(static_cast<std::size_t>(all.num_ranks())) {}

  std::optional<Violation> run() {
    for (int rank = 0; rank < all_.num_ranks(); ++rank) {
      begin(rank);
      settle();
    }
    return num_complete_ == all_.size() ? std::nullopt : std::optional(deadlock());
  }

private:
  enum class State : std::uint8_t { waiting, started, complete };

  struct Progress {
    int next = 0;         ///< in rounds: the next operation to start
    int num_written = 0;  ///< all writes among the first so many operations are complete
    int num_sent = 0;     ///< all sends among the first so many operations are complete
    Dataflow flow;        ///< empty in rounds
  };

  Progress& progress(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  State& state(OperationReference reference) { return states_[all_.index(reference)]; }

  [[nodiscard]] OperationReference partner(OperationReference reference) const {
    return {.rank = all_[reference].peer, .operation = matching_.partner[all_.index(reference)]};
  }

  void begin(int rank) {
    RankProgram const& program = all_.program(rank);
    skip_complete(rank);
    if (!program.is_dataflow()) {
      advance(rank);
      return;
    }
    progress(rank).flow = dataflow_of(program);
    auto const num_operations = static_cast<int>(program.operations.size());
    for (int i = 0; i < num_operations; ++i) {
      if (progress(rank).flow.num_missing[static_cast<std::size_t>(i)] == 0) {
        start({.rank = rank, .operation = i});
      }
    }
  }

  /// In rounds: starts what may start.
  void advance(int rank) {
    Progress& at = progress(rank);
    auto const& operations = all_.program(rank).operations;
    while (static_cast<std::size_t>(at.next) < operations.size() &&
           may_start(at, operations[static_cast<std::size_t>(at.next)])) {
      start({.rank = rank, .operation = at.next++});
    }
  }

  static bool may_start(Progress const& at, Operation const& operation) {
    return operation.after <= at.num_written && operation.after_sends <= at.num_sent;
  }

  void start(OperationReference reference) {
    state(reference) = State::started;
    Operation const& operation = all_[reference];
    if (operation.peer < 0) {
      values_.apply(reference);
      finish(reference);
      return;
    }
    OperationReference const other = partner(reference);
    if (state(other) != State::started) {
      return;
    }
    if (operation.writes()) {
      values_.transfer(other, reference);
    } else {
      values_.transfer(reference, other);
    }
    finish(reference);
    finish(other);
  }

  void finish(OperationReference reference) {
    state(reference) = State::complete;
    ++num_complete_;
    completed_.push_back(reference);
  }

  /// Tells those who wait for what has completed, until nothing more happens.
  void settle() {
    while (!completed_.empty()) {
      OperationReference const reference = completed_.back();
      completed_.pop_back();
      if (all_.program(reference.rank).is_dataflow()) {
        release_followers(reference);
      } else {
        skip_complete(reference.rank);
        advance(reference.rank);
      }
    }
  }

  void skip_complete(int rank) {
    Progress& at = progress(rank);
    skip_complete(rank, true, at.num_written);
    skip_complete(rank, false, at.num_sent);
  }

  void skip_complete(int rank, bool writes, int& num_complete) {
    auto const num_operations = static_cast<int>(all_.program(rank).operations.size());
    for (; num_complete < num_operations; ++num_complete) {
      OperationReference const reference{.rank = rank, .operation = num_complete};
      if (all_[reference].writes() == writes && state(reference) != State::complete) {
        return;
      }
    }
  }

  void release_followers(OperationReference reference) {
    Dataflow& flow = progress(reference.rank).flow;
    auto const i = static_cast<std::size_t>(reference.operation);
    for (int k = flow.begin[i]; k < flow.begin[i + 1]; ++k) {
      int const follower = flow.followers[static_cast<std::size_t>(k)];
      if (--flow.num_missing[static_cast<std::size_t>(follower)] == 0) {
        start({.rank = reference.rank, .operation = follower});
      }
    }
  }

  Violation deadlock() {
    std::vector<OperationReference> const circle = find_circle(first_incomplete());
    std::string text;
    constexpr std::size_t most_named = 8;
    std::size_t num_named = 0;
    for (OperationReference const reference : circle) {
      if (state(reference) != State::started || ++num_named > most_named) {
        continue;
      }
      text += formatted(
          "{}rank {} waits for rank {} in operation {} ({})",
          text.empty() ? "" : ", ",
          reference.rank,
          all_[reference].peer,
          reference.operation,
          to_text(all_.program(reference.rank), all_[reference])
      );
    }
    if (num_named > most_named) {
      text += formatted(", and {} more", num_named - most_named);
    }
    auto const first = std::ranges::find_if(circle, [&](OperationReference reference) {
      return state(reference) == State::started;
    });
    return {
        .rule = ProverRule::deadlock,
        .rank = first->rank,
        .operation = first->operation,
        .text = "the ranks wait for each other if sends wait for their receives: " + text,
    };
  }

  OperationReference first_incomplete() {
    for (int rank = 0;; ++rank) {
      auto const n = static_cast<int>(all_.program(rank).operations.size());
      for (int i = 0; i < n; ++i) {
        if (state({.rank = rank, .operation = i}) != State::complete) {
          return {.rank = rank, .operation = i};
        }
      }
    }
  }

  /// Follows who waits for whom until an operation comes a second time.
  std::vector<OperationReference> find_circle(OperationReference reference) {
    std::vector<OperationReference> path;
    std::vector<bool> is_seen(all_.size(), false);
    while (!is_seen[all_.index(reference)]) {
      is_seen[all_.index(reference)] = true;
      path.push_back(reference);
      reference = state(reference) == State::started ? partner(reference) : waited_for(reference);
    }
    path.erase(path.begin(), std::ranges::find(path, reference));
    return path;
  }

  /// An incomplete operation of the same rank that keeps this one from starting.
  OperationReference waited_for(OperationReference reference) {
    RankProgram const& program = all_.program(reference.rank);
    Progress const& at = progress(reference.rank);
    Operation const& next = all_[{.rank = reference.rank, .operation = at.next}];
    bool const waits_for_send = next.after <= at.num_written;
    OperationReference result{
        .rank = reference.rank, .operation = waits_for_send ? at.num_sent : at.num_written
    };
    if (program.is_dataflow()) {
      schedule::for_each_wait(program, all_[reference], [&](int i) {
        if (state({.rank = reference.rank, .operation = i}) != State::complete) {
          result.operation = i;
        }
      });
    }
    return result;
  }

  AllOperations const& all_;
  Matching const& matching_;
  Values& values_;
  std::vector<State> states_;
  std::vector<Progress> ranks_;
  std::vector<OperationReference> completed_;
  std::size_t num_complete_ = 0;
};

}  // namespace

std::optional<Violation>
execute(AllOperations const& all, Matching const& matching, Values& values) {
  return Execution(all, matching, values).run();
}

}  // namespace espalier::verify
