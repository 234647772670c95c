// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/learn/pace.hpp"
#include "espalier/learn/race.hpp"
#include "espalier/plan/clock.hpp"
#include "espalier/plan/learning/exchange.hpp"
#include "espalier/plan/learning/learning.hpp"
#include "espalier/profile/decision.hpp"

namespace espalier::plan {

class Neighbors;

/// A race on one communicator, with what its candidates run.
class Contest {
public:
  /// What the calls of a race have in common.
  struct Kind {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;
    profile::Call call = profile::Call::allgather;
    profile::Shape shape;
    std::int64_t bytes = 0;                         ///< of the first call
    std::vector<int> const* world_ranks = nullptr;  ///< as State::Facts::world_ranks
    Neighbors* neighbors = nullptr;                 ///< of a neighborhood collective
    Exchange* exchange = nullptr;                   ///< of the communicator
    int num_before = 0;                             ///< as of Learning::count_contest()
  };

  /// What a call runs.
  struct Turn {
    profile::Decision const* decision = nullptr;
    bool is_trial = false;
    bool is_timed = false;        ///< is no trial, but its times are of interest
    bool begins_stretch = false;  ///< the time of the next trial begins here
    bool adds_up = false;         ///< the time of this call is part of that of a trial
    int part = 0;                 ///< of which of the trials that share an exchange
  };

  /// @param decision  what runs until something better is known. Not owned.
  /// @param learning  has what earlier runs found. Must outlive this object.
  Contest(Kind const& kind, profile::Decision const& decision, Learning const& learning);

  /// Of the call that comes. A trial is to be concluded.
  [[nodiscard]] Turn next() noexcept {
    put_off_first_look();
    learn::Race::Turn const turn = race_.next();
    return {
        .decision = decisions_[static_cast<std::size_t>(turn.candidate)],
        .is_trial = turn.is_trial,
        .is_timed = !turn.is_trial &&
                    (turn.begins_stretch || turn.adds_up || num_calls() <= num_timed_calls),
        .begins_stretch = turn.begins_stretch,
        .adds_up = turn.adds_up,
        .part = turn.part,
    };
  }

  /// Counts the call that comes if it is no trial, is not timed and runs this decision. Otherwise
  /// nothing happens, and next() tells what to do with it.
  [[nodiscard]] bool pass(profile::Decision const& decision) noexcept {
    bool const stands = decisions_[static_cast<std::size_t>(race_.standing())] == &decision;
    return stands && num_calls() >= num_timed_calls && race_.pass();
  }

  /// The call that next() said is a trial or timed begins. Local.
  void begin(Clock::time_point start, Turn const& turn) noexcept {
    if (turn.begins_stretch) {
      stretch_start_ = start;
      seconds_in_calls_ = {};
      refused_parts_.reset();
    }
    is_adding_up_ = turn.adds_up;
    part_ = static_cast<std::size_t>(turn.part);
    pace_.begin(
        num_calls(), std::chrono::duration<double>(start.time_since_epoch()).count(), turn.is_trial
    );
  }

  /// The call that next() said is timed is over. Local.
  /// @param was_refused  the native call was made in place of the candidate
  void note_time(Clock::time_point start, bool was_refused, Learning& learning) noexcept;

  /// The call that next() said is a trial is over on this rank, well or not. Collective over the
  /// communicator of the call: one or two exchanges of six numbers, and once a broadcast.
  /// @param was_refused  the native call was made in place of the candidate
  /// @throws Error mpi.
  void conclude(Clock::time_point start, bool was_refused, Learning& learning);

  /// The ranks agreed on a context for what comes next.
  void count_agreement() noexcept { race_.count_agreement(); }

  /// Notes what came to the trials, what the last calls saved and what was not charged yet, before
  /// this object goes. Local.
  void leave(Learning& learning);

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  /// Before the first trial, for the pace of the program.
  static constexpr std::int64_t num_timed_calls = 24;
  /// Of these, those whose shortest time tells what is at stake.
  static constexpr std::int64_t num_calls_at_stake = 2;

  [[nodiscard]] learn::Race::Words
  exchange(learn::Race::Words const& own, Learning const& learning) const;
  [[nodiscard]] double time_whole_exchange(Learning const& learning) const;
  void tell_kind();

  /// Where ranks may run ahead in calls that take long, the first look may already stop the program
  /// for longer than is sensible: as long as such a call takes, also behind a call of a few bytes.
  /// After so many calls that is 1 % of what they took.
  static constexpr std::int64_t first_call_if_looks_are_dear = 100;

  /// Once for each time that the communicator says that nothing is left: a look finds out whether
  /// there is something again. And once if looks are dear.
  void put_off_first_look() noexcept {
    Exchange const& exchange = *kind_.exchange;
    if (may_wait_for_others_ && exchange.are_looks_dear()) {
      race_.begin_with_call(first_call_if_looks_are_dear);
      may_wait_for_others_ = false;
    }
    if (!has_exchanged_ && exchange.is_spent() && exchange.num_notes() != put_off_at_ &&
        race_.put_off_first_trial()) {
      put_off_at_ = exchange.num_notes();
    }
  }

  void charge(double lost, Learning& learning) noexcept;
  void credit(std::int64_t last, Learning& learning) noexcept;
  void pay_rest(Learning& learning);
  void note_what_calls_save() noexcept;
  void admit(double allowance, Learning& learning);
  void add(std::vector<std::string> const& algorithms);
  void note(Learning& learning) const;

  [[nodiscard]] std::int64_t num_calls() const noexcept {
    return num_calls_before_ + race_.num_calls();
  }

  [[nodiscard]] KindOfCalls kind_of_calls() const noexcept {
    return kind_of(kind_.call, kind_.shape, kind_.bytes);
  }

  Kind kind_;
  learn::Race race_;
  learn::Pace pace_;
  Trials base_;                      ///< what the race goes on from, empty if it began by itself
  Clock::time_point stretch_start_;  ///< of the stretch underway
  learn::Race::Parts seconds_in_calls_{};  ///< of the calls so far that add up to trials
  std::bitset<learn::Race::most_parts> refused_parts_;  ///< of these trials
  bool has_exchanged_ = false;                          ///< in this race or the one before
  /// Nobody knows what an exchange costs behind such calls, in which ranks run ahead of each other.
  bool may_wait_for_others_ = false;
  std::int64_t put_off_at_ = -1;         ///< as of Exchange::num_notes(), the last time
  bool is_adding_up_ = false;            ///< the call underway is one of these
  std::size_t part_ = 0;                 ///< the trial that it is of
  std::vector<std::string> algorithms_;  ///< of own_, if they were found by trials
  std::int64_t num_calls_before_ = 0;    ///< the race began again after so many
  double native_seconds_ = 0;            ///< of the shortest call that was timed
  double saved_ = 0;                     ///< seconds a call, by what runs, to the native call
  std::int64_t num_calls_credited_ = 0;  ///< whose savings the allowance knows
  std::deque<profile::Decision> own_;    ///< of candidates; their places do not change
  std::vector<profile::Decision const*> decisions_;  ///< of all candidates
};

}  // namespace espalier::plan
