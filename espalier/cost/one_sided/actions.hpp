// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "espalier/cost/one_sided/calls.hpp"

namespace espalier::cost {

/// Something that happens once all it waits for is complete: an operation, or nothing but that.
struct Action {
  double bytes = 0;
  std::int32_t rank = 0;
  std::int32_t peer = -1;  ///< put, get, signal
  /// Put, signal: the await that it serves; await: the next one at the same counter; or -1.
  std::int32_t await = -1;
  std::int32_t num_blockers = 0;  ///< actions and arrivals that are missing
  schedule::Kind kind = schedule::Kind::copy;
};

/// The operations of several calls of all ranks, call by call and rank by rank in program order,
/// and which of them waits for which. Beside them, for each call of a rank, one action for that it
/// begins and one for that it has left.
class Actions {
public:
  /// @throws Error as replay_calls().
  explicit Actions(std::span<OneSidedCall const> calls);

  [[nodiscard]] std::int32_t size() const noexcept {
    return static_cast<std::int32_t>(actions_.size());
  }

  [[nodiscard]] int num_ranks() const noexcept { return num_ranks_; }

  [[nodiscard]] Action& operator[](std::int32_t action) {
    return actions_[static_cast<std::size_t>(action)];
  }

  [[nodiscard]] Action const& operator[](std::int32_t action) const {
    return actions_[static_cast<std::size_t>(action)];
  }

  /// What waits for an action.
  [[nodiscard]] std::span<std::int32_t const> waiting(std::int32_t action) const;

  /// That a rank has left a call.
  [[nodiscard]] std::int32_t leaving(std::size_t call, int rank) const {
    return leaving_[call][static_cast<std::size_t>(rank)];
  }

private:
  struct Edge {
    std::int32_t awaited = 0;
    std::int32_t waiting = 0;
  };

  /// A put or a signal, and which counter of its peer it raises.
  struct Raise {
    std::int32_t action = 0;
    std::int32_t counter = 0;
  };

  /// All awaits at one counter.
  struct Counter {
    std::int32_t first_await = -1;
    std::int32_t arrivals = 0;  ///< how often it must be raised
    std::int32_t raised = 0;
  };

  /// While the program of a rank is added.
  struct Program {
    schedule::RankProgram const* program = nullptr;
    std::int32_t entry = 0;
    std::vector<std::int32_t> action_of;  ///< of each operation
    /// By position: what is complete when all writes before it are, and the same for sends.
    std::map<int, std::int32_t> writes_before;
    std::map<int, std::int32_t> sends_before;
  };

  void add(OneSidedCall const& call, std::size_t number);
  void add(Program& program, Sizes const& sizes);
  std::int32_t add_entry(OneSidedCall const& call, std::size_t number, int rank);
  void add_operation(Program& program, schedule::Operation const& operation, Sizes const& sizes);
  void add_counter(Program const& program, schedule::Operation const& operation);
  std::int32_t complete_before(Program& program, int position, bool are_writes);
  std::int32_t add_action(Action const& action);
  void add_edge(std::int32_t awaited, std::int32_t waiting);
  void serve_awaits();
  void set_up_waiting();

  int num_ranks_ = 0;
  std::vector<Action> actions_;
  std::vector<Edge> edges_;  ///< until set_up_waiting()
  std::vector<std::int32_t> waiting_begin_;
  std::vector<std::int32_t> waiting_;
  std::vector<std::vector<std::int32_t>> entered_;  ///< by call and rank
  std::vector<std::vector<std::int32_t>> leaving_;
  std::vector<Raise> raises_;                   ///< of the call that is added
  std::vector<std::vector<Counter>> counters_;  ///< the same, by rank
};

}  // namespace espalier::cost
