// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::learn {

/// How sure it is that one of two candidates is the faster one, from pairs of times that were taken
/// right after each other.
///
/// Each pair is a bet against the hypothesis that the faster one is a toss-up [shafer2021]. Half of
/// the stake is that of somebody who bets that one candidate wins always, which decides clear cases
/// after five pairs. The other half is that of somebody who bets on a share of wins between 1/2 and
/// 1, all shares alike. By Ville's inequality the stake exceeds e with a probability of at most
/// 1/e, at whatever pair one stops to look. Nothing is assumed of the distribution of times: those
/// of shared machines have long tails.
///
/// Times of long calls are steady, and so are those of stretches of calls that take as long
/// together. So of them a clear win, by a factor that chance hardly ever makes, is a bet of its
/// own, against the hypothesis that a candidate that is not faster has one in eight pairs at most.
/// Somebody who bets on clear wins only is sure after two of them.
class Evidence {
public:
  /// Not counted beyond: times that differ so little are as good as equal.
  static constexpr int most_pairs = 60;

  Evidence() = default;
  /// @throws Error argument unless 0 <= num_clear_wins <= num_wins <= num_pairs <= most_pairs.
  [[nodiscard]] static Evidence of(int num_wins, int num_pairs, int num_clear_wins = 0);

  /// One more pair. Equal times say nothing.
  /// @param clear_factor  two times of the same hardly ever differ by so much; 0: nobody knows
  void add(double seconds, double seconds_of_other, double clear_factor = 0) noexcept;

  /// What the stake has grown to.
  /// @{
  [[nodiscard]] double of_faster() const noexcept { return stake(num_wins_, num_pairs_); }

  [[nodiscard]] double of_slower() const noexcept {
    return stake(num_pairs_ - num_wins_, num_pairs_);
  }

  /// Of clear wins only.
  [[nodiscard]] double of_clearly_faster() const noexcept;

  /// @}

  [[nodiscard]] int num_pairs() const noexcept { return num_pairs_; }

  [[nodiscard]] int num_wins() const noexcept { return num_wins_; }

  [[nodiscard]] int num_clear_wins() const noexcept { return num_clear_wins_; }

  /// Both together; if that is more than is counted, what this one has.
  [[nodiscard]] Evidence with(Evidence const& more) const noexcept;
  /// What came since it was `earlier`.
  [[nodiscard]] Evidence without(Evidence const& earlier) const noexcept;

  friend bool operator==(Evidence const&, Evidence const&) = default;

private:
  [[nodiscard]] static double stake(int num_wins, int num_pairs) noexcept;

  int num_wins_ = 0;
  int num_pairs_ = 0;
  int num_clear_wins_ = 0;  ///< of num_wins_
};

}  // namespace espalier::learn
