// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "espalier/learn/evidence.hpp"
#include "espalier/learn/standings.hpp"

namespace espalier::learn {

/// Which of many candidates is the fastest, by runs that are made for nothing else, in a given
/// time. Candidate 0 is the incumbent: what is run unless another one is clearly faster.
///
///     candidates   0 1 2 3 4 5 6 7 | 0 2 5 6 | 2 5 | 2 0 0 2 2 0 ...
///     runs each    1 + 1           | 1 + 2   | 1+4 | 1, until there is evidence or no time
///                  halving                         | duel
///
/// Halving [karnin2013] spends most runs on those that matter: in each round as many runs on half
/// of the candidates. The first run of a candidate in a round warms up, and does not count. What
/// counts is the smallest time: what disturbs a run makes it longer, and of a few runs one may be
/// undisturbed where the middle one is not.
///
/// Those are rough times of many candidates, of which some look fast by chance. So the fastest one
/// has to beat the incumbent in pairs of runs right after each other, by Evidence, and by a gain
/// that is worth it. Otherwise the incumbent stays.
///
/// A state machine without a clock: ranks that tell it the same numbers decide the same.
class Tournament {
public:
  static constexpr int incumbent = 0;
  /// A candidate that gains less does not replace the incumbent.
  static constexpr double least_gain = Standings::least_gain;
  /// Of the time, after which the fastest candidate so far goes into the duel.
  static constexpr double share_of_halving = 0.6;

  /// @param num_candidates  at least 1
  /// @param seconds  The run during which they are over is the last one.
  /// @throws Error argument if there is no candidate, or no time.
  Tournament(int num_candidates, double seconds);

  /// The winner is known.
  [[nodiscard]] bool is_over() const noexcept { return stage_ == Stage::over; }

  /// What runs next, unless it is over.
  [[nodiscard]] int next() const;

  /// What next() says has run.
  /// @param seconds  that it took
  /// @param elapsed  seconds since the tournament began
  void note(double seconds, double elapsed);
  /// What next() says cannot run. The incumbent can.
  void refuse();

  /// The incumbent while it is not over.
  [[nodiscard]] int winner() const noexcept { return winner_; }

  /// It did not end for lack of time: all candidates were compared, or there was evidence.
  [[nodiscard]] bool is_decided() const noexcept { return is_decided_; }

  /// The smallest time of a candidate; infinite if none counted.
  [[nodiscard]] double fastest(int candidate) const { return fastest_[index(candidate)]; }

  [[nodiscard]] int num_runs() const noexcept { return num_runs_; }

private:
  enum class Stage : std::uint8_t { halving, duel, over };

  static constexpr double unknown = std::numeric_limits<double>::infinity();

  [[nodiscard]] static std::size_t index(int number) noexcept {
    return static_cast<std::size_t>(number);
  }

  void note_in_round(double seconds);
  void note_in_pair(double seconds);
  void next_in_round();
  void finish_round();
  void begin_duel();
  void finish_pair();
  void decide(int winner) noexcept;

  Stage stage_ = Stage::halving;
  double seconds_;
  std::vector<double> fastest_;  ///< by candidate
  std::vector<int> order_;       ///< candidates of the round
  std::size_t position_ = 0;     ///< of the next run in order_
  int num_counted_ = 1;          ///< runs of each candidate in this round that count
  int num_in_turn_ = 0;          ///< runs that the next candidate had in this round
  int challenger_ = incumbent;
  double first_of_pair_ = 0;
  int num_in_duel_ = 0;
  Evidence evidence_;  ///< for the challenger
  int winner_ = incumbent;
  bool is_decided_ = false;
  int num_runs_ = 0;
};

}  // namespace espalier::learn
