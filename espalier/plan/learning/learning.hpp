// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "espalier/learn/allowance.hpp"
#include "espalier/learn/shortlist.hpp"
#include "espalier/plan/clock.hpp"
#include "espalier/plan/learning/lesson.hpp"
#include "espalier/plan/settings/settings.hpp"
#include "espalier/plan/settings/statistics.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// What a process learns from, and what it learned. Threads may use it at the same time, for
/// different communicators.
class Learning {
public:
  /// @param machine  as Settings::machine
  /// @param node_of_rank  as Session::World::node_of_rank. Not copied.
  Learning(LearningBound const& bound, MachineText machine, std::span<int const> node_of_rank);

  /// Seconds that may still be lost here.
  [[nodiscard]] double left() const noexcept { return allowance_.left(elapsed()); }

  void charge(double seconds) noexcept { allowance_.charge(seconds); }

  [[nodiscard]] LearningReport report() const;

  /// What is worth trying, the best first; nothing if all is known to be slower. Takes a few
  /// milliseconds.
  /// @param world_ranks  the ranks of the communicator in MPI_COMM_WORLD; empty: the same
  [[nodiscard]] std::vector<learn::Proposal> propose(
      profile::Call call, profile::Shape shape, double bytes, std::vector<int> const& world_ranks
  );

  /// On one rank of the communicator.
  void note(Lesson lesson);
  /// Of communicators whose rank 0 this process is.
  [[nodiscard]] std::vector<Lesson> lessons() const;
  /// What was noted last of such a call.
  [[nodiscard]] std::optional<Lesson>
  lesson(profile::Call call, profile::Shape shape, std::int64_t bytes) const;

private:
  using Key = std::tuple<profile::Call, int, int, std::int64_t>;

  [[nodiscard]] double elapsed() const noexcept {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  [[nodiscard]] learn::Place place_of(int num_ranks, std::vector<int> const& world_ranks);
  void find_links();

  Clock::time_point start_ = Clock::now();
  learn::Allowance allowance_;
  std::span<int const> node_of_rank_;
  MachineText machine_;

  mutable std::mutex mutex_;  ///< guards what follows
  bool has_links_ = false;
  machine::Link between_nodes_;
  machine::Link within_node_;
  std::map<Key, Lesson> lessons_;
};

}  // namespace espalier::plan
