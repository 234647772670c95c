// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "espalier/learn/allowance.hpp"
#include "espalier/learn/race.hpp"
#include "espalier/learn/repertoire.hpp"
#include "espalier/learn/shortlist.hpp"
#include "espalier/machine/sources/occupancy.hpp"
#include "espalier/neighborhood/choice.hpp"
#include "espalier/plan/clock.hpp"
#include "espalier/plan/learning/learned.hpp"
#include "espalier/plan/learning/started_kinds.hpp"
#include "espalier/plan/settings/settings.hpp"
#include "espalier/plan/settings/statistics.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// What a process learns from, and what it learned. Threads may use it at the same time, for
/// different communicators.
class Learning {
public:
  /// How the race of a kind of calls begins. The same on all ranks.
  struct Start {
    learn::Race race;
    Trials const* trials = nullptr;  ///< of earlier runs, not owned; null: there were none
  };

  /// A call of some kind.
  struct Example {
    std::int64_t bytes = 0;  ///< of the result
    /// The ranks of the communicator in MPI_COMM_WORLD; empty: the same.
    std::vector<int> const& world_ranks;
    double native_seconds = 0;  ///< that it takes natively; 0: not known
  };

  /// @param settings  of a program that learns
  /// @param node_of_rank  as Session::World::node_of_rank. Not copied.
  Learning(
      Settings const& settings,
      std::span<int const> node_of_rank,
      machine::Occupancy const& occupancy
  );

  /// Seconds that may still be lost here.
  [[nodiscard]] double left() const noexcept { return allowance_.left(elapsed()); }

  void charge(double seconds) noexcept { allowance_.charge(seconds); }

  void gain(double seconds) noexcept { allowance_.gain(seconds); }

  /// Seconds that a call saves with a choice, compared to the native call, as far as trials of
  /// earlier runs say; 0 if it saves nothing or nobody knows.
  [[nodiscard]] double saved(KindOfCalls const& kind, std::string const& algorithm) const;

  /// What one rank says of the machine before anything is learned, as ranks may see different
  /// networks. Numbers, so that it can be sent.
  struct Outlook {
    double gains_by_memory = 0;   ///< not 0: learn::may_gain_by_memory()
    double seconds_per_byte = 0;  ///< between nodes, as slow as the network may be
  };

  /// Of all ranks of MPI_COMM_WORLD.
  [[nodiscard]] Outlook outlook(int num_ranks);

  /// The same on all ranks.
  void heed(Outlook const& outlook) noexcept { outlook_ = outlook; }

  [[nodiscard]] bool may_gain_by_memory() const noexcept { return outlook_.gains_by_memory != 0; }

  /// Whether calls may take so long that an exchange behind one of them, which stops ranks that run
  /// ahead, loses a large part of what may be lost. The same on all ranks.
  [[nodiscard]] bool are_looks_dear(KindOfCalls const& kind) const noexcept;

  /// Before anything is proposed: ranks of a node share memory, which is worth trying, too.
  void share_memory() noexcept { shares_memory_ = true; }

  /// Ranks come to the communicators that they have in common in the same order, as no two threads
  /// are in MPI at the same time. The same on all ranks; before anything is learned.
  void let_communicators_have_order() noexcept { have_order_ = true; }

  /// Calls of a kind are made on a communicator for the first time.
  /// @param world_ranks  as in Example
  /// @return on how many with the same ranks they were before: the same on all of them; 0 without
  ///   an order
  [[nodiscard]] int count_contest(std::vector<int> const& world_ranks, KindOfCalls const& kind);

  /// An exchange of so many ranks took this rank so long, waiting or not.
  void note_exchange(int num_ranks, double seconds);
  /// The shortest of those; 0 if there was none.
  [[nodiscard]] double usual_exchange(int num_ranks) const;

  /// Of each rank of MPI_COMM_WORLD; empty: all are on one.
  [[nodiscard]] std::span<int const> node_of_rank() const noexcept { return node_of_rank_; }

  [[nodiscard]] LearningReport report() const;

  [[nodiscard]] Start start(KindOfCalls const& kind) const;

  /// How long candidates are looked for: in a call of a program, for which others wait, or until
  /// little is left to look at.
  enum class Search { usual, thorough };

  /// What is worth trying, the best first; nothing if all is known to be slower. Takes a few
  /// milliseconds.
  [[nodiscard]] std::vector<learn::Proposal>
  propose(KindOfCalls const& kind, Example const& call, int most, Search search = Search::usual);

  /// What messages cost on this machine, as far as it is described or usual.
  [[nodiscard]] neighborhood::Links links();

  /// What follows is known on one rank of a communicator.
  /// @{
  void note(Lesson lesson);
  /// @param more  what came to Start::trials
  /// @param bytes, world_ranks  as in Example
  void note(Trials const& more, std::int64_t bytes, std::vector<int> const& world_ranks);

  /// What was noted last of such calls.
  [[nodiscard]] std::optional<Lesson> lesson(KindOfCalls const& kind) const;
  /// With those of earlier runs.
  [[nodiscard]] std::optional<Trials> trials(KindOfCalls const& kind) const;

  /// @}

  /// Trials of nonblocking calls.
  /// @{
  [[nodiscard]] StartedKinds const& started() const noexcept { return started_; }

  /// Seconds of their calls on this rank; as many numbers on all ranks. Charges what they cost;
  /// once, when the program ends.
  [[nodiscard]] std::vector<double> end_started();

  /// Notes what follows from the longest of all ranks, on one rank.
  void note_started(std::span<double const> seconds);
  /// @}

  /// Whether candidates are to be found for such calls of a neighborhood before its communicator
  /// goes, as think_ahead() does for others.
  /// @param now  what is known of the calls of this run
  [[nodiscard]] bool wants_candidates_at_end(Trials const& now) const;

  /// Finds candidates for the kinds of calls that took most time and have none, or none that is
  /// faster and was looked for thoroughly: the next run begins with them. Takes a few milliseconds,
  /// which are charged. No other thread may use this object.
  void think_ahead();

  /// Of communicators whose rank 0 this process is.
  [[nodiscard]] Learned learned() const;

private:
  /// When trials of a kind begin that are known from earlier runs.
  struct Turn {
    double allowance = 0;         ///< for the first trial
    std::int64_t first_call = 1;  ///< that may be a trial
  };

  struct Noted {
    Trials trials;
    std::vector<int> world_ranks;
    std::int64_t bytes = 0;
  };

  [[nodiscard]] double elapsed() const noexcept {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  void plan_turns(Settings const& settings);
  [[nodiscard]] learn::ErrorOfModel error_of_model(KindOfCalls const& kind) const;
  [[nodiscard]] learn::Place place_of(int num_ranks, std::vector<int> const& world_ranks);
  void find_links();
  [[nodiscard]] std::vector<algorithms::Choice> favourites_of(KindOfCalls const& kind) const;
  void note_proposed(KindOfCalls const& kind, std::vector<learn::Proposal> const& what);
  [[nodiscard]] double stake_of(Noted const& noted);
  [[nodiscard]] bool wants_candidates(Noted const& noted);
  void look_for_candidates(Noted& noted);
  [[nodiscard]] double ranks_per_processor() const noexcept;

  Clock::time_point start_ = Clock::now();
  learn::Allowance allowance_;
  double seconds_at_least_;     ///< that may be lost in any case
  double share_of_later_runs_;  ///< as of learn::Race::Circumstances
  std::span<int const> node_of_rank_;
  MachineText machine_;
  NodeMemory node_memory_;
  machine::Occupancy occupancy_;
  bool shares_memory_ = false;
  Outlook outlook_;
  learn::Repertoires repertoires_;
  bool have_order_ = false;  ///< as let_communicators_have_order() says
  std::map<KindOfCalls, Trials> earlier_;
  std::map<KindOfCalls, Turn> turns_;  ///< of earlier_, but those of nonblocking calls
  StartedKinds started_;

  mutable std::mutex mutex_;  ///< guards what follows
  bool has_links_ = false;
  machine::Link between_nodes_;
  std::optional<machine::Link> between_nodes_if_slow_;  ///< as in learn::Place
  machine::Link within_node_;
  std::map<KindOfCalls, Lesson> lessons_;
  std::map<KindOfCalls, Noted> noted_;
  std::map<KindOfCalls, std::vector<std::string>> proposed_;  ///< algorithms, in this run
  std::map<std::uint64_t, int> num_contests_;  ///< by ranks and calls, see contest_key()
  std::map<int, double> exchange_seconds_;     ///< by the number of ranks
};

}  // namespace espalier::plan
