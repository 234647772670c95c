// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/ranking/generated_choices.hpp"
#include "espalier/cost/replay/setting.hpp"
#include "espalier/learn/situation.hpp"
#include "espalier/learn/stand_in.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::learn {

/// The candidates for calls of one collective on a communicator, and their programs on a StandIn of
/// it. Programs do not depend on the size of a call. They are generated when they are first
/// replayed, which takes nine tenths of the time of a search, and kept for searches for calls of
/// other sizes, as far as a few MiB allow.
class Repertoire {
public:
  /// The variants of an algorithm: those with groups are one family, those without another one.
  using Family = std::pair<algorithms::Algorithm const*, bool>;

  /// @param node_of_rank  of the communicator, any number for each node; at least one rank
  Repertoire(schedule::Collective collective, std::vector<int> node_of_rank);

  // Programs refer to choices.
  Repertoire(Repertoire const&) = delete;
  Repertoire& operator=(Repertoire const&) = delete;
  Repertoire(Repertoire&&) = delete;
  Repertoire& operator=(Repertoire&&) = delete;
  ~Repertoire() = default;

  [[nodiscard]] bool
  is_of(schedule::Collective collective, std::vector<int> const& node_of_rank) const noexcept {
    return collective_ == collective && node_of_rank_ == node_of_rank;
  }

  [[nodiscard]] std::vector<int> const& node_of_rank() const noexcept { return node_of_rank_; }

  [[nodiscard]] StandIn const& stand_in() const noexcept { return stand_in_; }

  /// Candidates are numbered: of each family the first, then of each the second, ..., with groups
  /// and without in turn. Where time is short, few are left out of which nothing is known.
  [[nodiscard]] std::size_t size() const noexcept { return choices_.size(); }

  [[nodiscard]] algorithms::Choice const& choice(std::size_t number) const {
    return choices_[number];
  }

  [[nodiscard]] Family family(std::size_t number) const;

  /// Whether no candidate of its family comes before it.
  [[nodiscard]] bool is_first(std::size_t number) const { return is_first_[number]; }

  /// Seconds of a replay of the small communicator.
  [[nodiscard]] double seconds_of_stand_in(std::size_t number, Situation const& small);
  /// As many times more as an outline() of the large communicator is more than that of the small
  /// one.
  [[nodiscard]] double seconds(std::size_t number, Situation const& small, Situation const& large);

private:
  using Programs = std::vector<schedule::RankProgram>;

  /// What an outline() needs.
  struct Outlines {
    Programs small;
    Programs large;
  };

  void add_candidates();
  [[nodiscard]] Outlines outlines(std::size_t number) const;
  void keep(std::size_t number, Outlines outlines);

  schedule::Collective collective_;
  std::vector<int> node_of_rank_;
  StandIn stand_in_;
  std::vector<algorithms::Choice> choices_;
  std::vector<algorithms::Choice> small_;  ///< of the stand-in
  std::vector<bool> is_first_;
  cost::Setting setting_;  ///< of the stand-in, for the number of ranks
  std::unique_ptr<cost::GeneratedChoices> generated_;
  std::vector<Outlines> outlines_;  ///< those that are kept
  std::size_t outline_bytes_left_;
};

/// The repertoires that were used last. Threads may ask at the same time.
class Repertoires {
public:
  /// That of a communicator, for one search at a time: who asks meanwhile gets another one.
  [[nodiscard]] std::unique_ptr<Repertoire>
  take(schedule::Collective collective, std::vector<int> const& node_of_rank);
  void put_back(std::unique_ptr<Repertoire> used);

private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Repertoire>> known_;  ///< the last one that was used at the end
};

}  // namespace espalier::learn
