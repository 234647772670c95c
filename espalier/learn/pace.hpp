// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace espalier::learn {

/// What trials cost where calls follow each other closely and ranks run ahead of each other, as in
/// a loop of broadcasts: the exchange after each of them makes all ranks wait for the last one.
///
///     calls           |--|--|--|--|--|--|                  each takes what the first rank needs
///     trials          |-----.|-----.|-----.|-----.|        each takes what the last rank needs
///
/// Where ranks wait for each other anyway, trials follow each other as closely as calls did, and
/// waiting in an exchange costs nothing. So the time from call to call tells what waiting costs,
/// and what a rank has waited is the most that it can be. Times are in seconds, of one rank.
class Pace {
public:
  /// The call with this number begins. @param time  on any clock
  void begin(std::int64_t call, double time, bool is_trial) noexcept;

  /// The last call was a trial.
  /// @param seconds  that this rank waited for others in the exchange
  /// @param usual  middle time of a call
  /// @return what is to be charged beside that, since the last time it was asked for.
  double waited(double seconds, double usual) noexcept;

private:
  static constexpr std::int64_t num_cold_calls = 3;
  static constexpr int fewest_intervals = 8;
  /// Calls follow each other closely if the time from one to the next is at most so many times what
  /// a call takes. Otherwise a program does other things in between, which differ too much.
  static constexpr double closest = 4;

  [[nodiscard]] double usual_interval() const noexcept {
    return sum_of_intervals_ / static_cast<double>(num_intervals_);
  }

  std::int64_t last_call_ = 0;
  double last_time_ = 0;
  bool is_after_trial_ = false;
  double sum_of_intervals_ = 0;  ///< between calls that are no trials
  int num_intervals_ = 0;
  double excess_ = 0;   ///< of the intervals after trials over the usual one
  double waits_ = 0;    ///< in all exchanges
  double charged_ = 0;  ///< so far
};

}  // namespace espalier::learn
