// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/learn/allowance.hpp"
#include "espalier/learn/race.hpp"

namespace espalier::learn {

/// What an exchange does with the words of a rank.
inline void take_least(Race::Words& agreed, Race::Words const& words) {
  agreed.trial = std::min(agreed.trial, words.trial);
  agreed.exchange = std::min(agreed.exchange, words.exchange);
  agreed.whole_exchange = std::min(agreed.whole_exchange, words.whole_exchange);
  agreed.allowance = std::min(agreed.allowance, words.allowance);
  agreed.minus_call = std::min(agreed.minus_call, words.minus_call);
  agreed.minus_exchange = std::min(agreed.minus_exchange, words.minus_exchange);
}

/// A program whose ranks make the same call over and over, each with a race of its own.
class Program {
public:
  struct Kind {
    std::vector<double> seconds;  ///< of each candidate, the native call first
    /// From one call to the next where no rank waits for others; empty: the same.
    std::vector<double> paces = {};
    double noise = 0.1;         ///< most of the times are longer by up to so much
    double skew = 0;            ///< ranks come up to so much later than the first
    double exchange = 1e-5;     ///< for the rank that comes last
    double whole_exchange = 0;  ///< that all ranks begin together, if it takes longer
    double waits = 0;           ///< in each exchange, a rank for other messages of the program
    double work = 1e-3;         ///< between two calls
    double work_noise = 0;      ///< longer by up to so much
    int num_ranks = 5;
    int refused = -1;  ///< a candidate that does not fit
    int seed = 7;
    double allowance = 0.05;  ///< seconds that may be lost in any case
    Race race = {};
  };

  explicit Program(Kind kind)
      : kind_(std::move(kind)), races_(static_cast<std::size_t>(kind_.num_ranks), kind_.race) {}

  void run(int num_calls) {
    for (int i = 0; i < num_calls; ++i) {
      call();
    }
  }

  [[nodiscard]] Race const& race() const { return races_.front(); }

  [[nodiscard]] Allowance const& allowance() const { return allowance_; }

  [[nodiscard]] double elapsed() const { return elapsed_; }

  [[nodiscard]] int num_trials() const { return num_trials_; }

  [[nodiscard]] int num_calls_of(int candidate) const {
    return num_calls_of_[static_cast<std::size_t>(candidate)];
  }

  /// Calls of every other rank that its race let pass.
  [[nodiscard]] int num_passed() const { return num_passed_; }

  /// Seconds that calls took longer than the native call takes.
  [[nodiscard]] double lost() const { return lost_; }

  Kind kind_;

private:
  void call() {
    Race::Turn const turn = races_.front().next();
    for (std::size_t rank = 1; rank < races_.size(); ++rank) {
      Race::Turn const other = next(rank);
      ASSERT_EQ(other.candidate, turn.candidate) << "rank " << rank;
      ASSERT_EQ(other.is_trial, turn.is_trial) << "rank " << rank;
      ASSERT_EQ(other.begins_stretch, turn.begins_stretch) << "rank " << rank;
      ASSERT_EQ(other.adds_up, turn.adds_up) << "rank " << rank;
      ASSERT_EQ(other.part, turn.part) << "rank " << rank;
      ASSERT_EQ(races_[rank].num_calls(), races_.front().num_calls()) << "rank " << rank;
    }
    bool const is_refused = turn.candidate == kind_.refused;
    int const runs = is_refused ? Race::native : turn.candidate;
    bool const is_of_many =
        races_.front().ends_stretch() || races_.front().ends_sum() || races_.front().ends_round();
    bool const is_alone = turn.is_trial && (turn.begins_stretch || !is_of_many);
    // Right after an exchange a call takes its whole time. Of the rest of a loop the rank that
    // comes last sees the pace.
    bool const is_whole = is_alone || (turn.begins_stretch && is_after_exchange_);
    double const seconds = draw(is_whole ? kind_.seconds : paces(), runs);
    is_after_exchange_ = turn.is_trial;
    double const work = kind_.work + kind_.work_noise * uniform();
    stretch_ = turn.begins_stretch ? seconds : stretch_ + (turn.adds_up ? 0 : work) + seconds;
    note_part(turn, seconds, is_refused);
    elapsed_ += work + seconds;
    lost_ += std::max(0.0, paces()[static_cast<std::size_t>(runs)] - paces().front());
    ++num_calls_of_[static_cast<std::size_t>(runs)];
    if (turn.is_trial) {
      ++num_trials_;
      elapsed_ += std::max(kind_.exchange, kind_.whole_exchange);
      exchange(is_of_many ? stretch_ : seconds, is_refused);
    }
  }

  void note_part(Race::Turn const& turn, double seconds, bool is_refused) {
    if (turn.begins_stretch) {
      parts_ = {};
      refused_parts_.reset();
    }
    auto const part = static_cast<std::size_t>(turn.part);
    parts_[part] += seconds;
    refused_parts_[part] = refused_parts_[part] || is_refused;
  }

  /// Every other rank remembers its calls, and asks only whether this one counts for more.
  Race::Turn next(std::size_t rank) {
    Race& race = races_[rank];
    bool const passes = rank % 2 == 1 && race.pass();
    num_passed_ += passes ? 1 : 0;
    return passes ? Race::Turn{.candidate = race.standing()} : race.next();
  }

  [[nodiscard]] std::vector<double> const& paces() const {
    return kind_.paces.empty() ? kind_.seconds : kind_.paces;
  }

  /// Ranks see different times: the last one to come waits for nobody.
  void exchange(double seconds, bool is_refused) {
    Race::Words agreed{.allowance = allowance_.left(elapsed_)};
    for (Race const& race : races_) {
      Race::Parts const parts =
          race.ends_round() ? parts_ : Race::Words::all_unknown();  // of all ranks alike
      Race::Words const words = race.words(allowance_.left(elapsed_) + uniform(), seconds, parts);
      take_least(agreed, words);
      agreed.parts = words.parts;
    }
    double charged = -1;
    double saved = 0;
    for (std::size_t rank = 0; rank < races_.size(); ++rank) {
      double const waited = rank + 1 == races_.size() ? 0 : kind_.skew * uniform();
      Race::Own const own{
          .trial = seconds + kind_.exchange + waited,
          .exchange =
              kind_.exchange * (rank == 0 ? 1 : 1 + uniform()) + (rank == 1 ? kind_.waits : 0),
          .whole_exchange = kind_.whole_exchange,
          .was_refused = is_refused,
          .refused_parts = refused_parts_,
      };
      double const lost = races_[rank].conclude(agreed, own);
      ASSERT_TRUE(charged < 0 || lost == charged);
      charged = lost;
      saved = races_[rank].collect_saved();
    }
    allowance_.charge(charged);
    allowance_.gain(saved);
    exchange_again();
    if (races_.front().wants_candidates()) {
      for (Race& race : races_) {
        race.enter(std::vector<double>(kind_.seconds.begin() + 1, kind_.seconds.end()));
      }
    }
  }

  void exchange_again() {
    if (!races_.front().wants_words()) {
      return;
    }
    Race::Words agreed{.allowance = allowance_.left(elapsed_)};
    for (Race const& race : races_) {
      ASSERT_TRUE(race.wants_words());
      take_least(agreed, race.words(agreed.allowance, 0));
    }
    double charged = 0;
    double saved = 0;
    for (Race& race : races_) {
      charged = race.finish(agreed);
      saved = race.collect_saved();
    }
    allowance_.charge(charged);
    allowance_.gain(saved);
  }

  double draw(std::vector<double> const& seconds, int candidate) {
    double const noise = uniform() < 0.05 ? 10 * kind_.noise : kind_.noise * uniform();
    return seconds[static_cast<std::size_t>(candidate)] * (1 + noise);
  }

  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  std::vector<Race> races_;
  Allowance allowance_{kind_.allowance, 0.01};
  std::mt19937 random_{static_cast<unsigned>(kind_.seed)};
  double elapsed_ = 0;
  double lost_ = 0;
  bool is_after_exchange_ = true;
  double stretch_ = 0;   ///< seconds of the one underway
  Race::Parts parts_{};  ///< of the round underway
  std::bitset<Race::most_parts> refused_parts_;
  int num_trials_ = 0;
  int num_passed_ = 0;
  std::vector<int> num_calls_of_ = std::vector<int>(8);  ///< each candidate
};

}  // namespace espalier::learn
