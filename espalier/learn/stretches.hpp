// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>

#include "espalier/learn/evidence.hpp"

namespace espalier::learn {

/// Compares a candidate with the native call as a program notices them: by stretches of calls that
/// follow each other with nothing between them that the program has not put there.
///
///     rank 0      |c c c c c c c c ......|n n n n n n n n ......|   runs ahead, and waits in
///     last rank   |....c c c c c c c c   |....n n n n n n n n   |   the exchange at each bar
///     counted          ---------------        ---------------
///
/// A trial of one call ends when the last rank has its result. Where ranks run ahead of each other,
/// as in a loop of broadcasts or scans, the next call begins before that, and a native call that
/// takes long from end to end may still be the one that makes the loop faster. The time of a
/// stretch, without that of one call from end to end, shows that. It is the smallest of all ranks,
/// as that of a trial, so that a late rank is not taken for slowness. What the program does between
/// its calls is in there as well; it is the same for both, on average, and who comes first in a
/// pair is drawn by lot. So where that is most of the time, pairs are toss-ups, and say nothing.
///
/// All members are functions of values that the ranks agreed on.
class Stretches {
public:
  /// Longer ones show what ranks that run further ahead of each other gain.
  static constexpr int usual_length = 8;
  static constexpr int greatest_length = 32;

  /// Kinds of calls that alternate in a program should have different seeds of their lots. A
  /// comparison that is underway goes on.
  void draw_by(std::uint32_t seed) noexcept;

  /// A comparison begins. @param length  calls of each stretch
  void begin(int length) noexcept;

  /// It is over.
  void end() noexcept { is_underway_ = false; }

  [[nodiscard]] bool is_underway() const noexcept { return is_underway_; }

  [[nodiscard]] int length() const noexcept { return length_; }

  /// Who is timed next.
  [[nodiscard]] bool is_native_next() const noexcept {
    return native_seconds_ ? false : candidate_seconds_ ? true : native_is_first_;
  }

  /// The stretch of is_native_next() took so long, without one call from end to end.
  /// @return seconds that the candidate lost to the native call, since the last time that some were
  ///     returned.
  double note(double seconds) noexcept;

  /// No stretch of a pair is missing.
  [[nodiscard]] bool is_between_pairs() const noexcept {
    return !native_seconds_ && !candidate_seconds_;
  }

  /// What the candidate lost in the last pair; below 0 if it gained.
  [[nodiscard]] double last_excess() const noexcept { return last_excess_; }

  /// Pairs of this comparison that the candidate won, less those that it lost.
  [[nodiscard]] int lead() const noexcept { return lead_; }

  /// Pairs of this comparison.
  [[nodiscard]] int num_pairs() const noexcept { return num_pairs_; }

  /// Of all comparisons since start_again(), that the candidate is faster.
  [[nodiscard]] Evidence const& evidence() const noexcept { return evidence_; }

  /// All times of the candidate over those of the native call, since start_again(); 1 if there are
  /// none.
  [[nodiscard]] double ratio() const noexcept {
    return sum_of_native_ > 0 ? sum_of_candidate_ / sum_of_native_ : 1;
  }

  void start_again() noexcept;

private:
  void draw_order() noexcept;

  std::uint32_t lots_ = 0;
  bool native_is_first_ = false;
  bool is_underway_ = false;
  int length_ = 0;
  int lead_ = 0;
  int num_pairs_ = 0;
  std::optional<double> native_seconds_;     ///< of this pair
  std::optional<double> candidate_seconds_;  ///< of this pair
  Evidence evidence_;
  double sum_of_native_ = 0;
  double sum_of_candidate_ = 0;
  double last_excess_ = 0;
  double excess_ = 0;   ///< of the candidate over the native call, in all comparisons
  double charged_ = 0;  ///< so far
};

}  // namespace espalier::learn
