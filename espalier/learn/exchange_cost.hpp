// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <limits>
#include <utility>

namespace espalier::learn {

/// What the exchanges of a race cost a program. Seconds that all ranks agreed on.
///
///     rank 0   call |--------- exchange ---------|       the others did their part of it before
///     rank 1   call    |------ exchange ---------|       the last one came, so that its time, the
///     rank 2   call                    | exchange|       shortest, is only a part
///
///     rank 0                                      |--- whole exchange ---|
///     rank 1                                      |--- whole exchange ---|
///     rank 2                                      |--- whole exchange ---|
///
/// The shortest time is what the times of trials contain. But a program loses as much as an
/// exchange takes that all ranks begin together: its messages take the time of processors and
/// links, whoever comes last, and where ranks share processors that is most of it. Where they wait
/// behind other messages of the program, each exchange takes as long as these do: what is planned
/// reckons with what exchanges took lately, and not with the shortest one.
class ExchangeCost {
public:
  /// Whether an exchange is to be followed by one that all ranks begin together, whose time gets to
  /// pay() with the next words. Twice, as the ranks may be disturbed in one of them.
  /// @param shortest  as of pay(); without it, nobody knows yet what another one costs
  /// @param most  seconds that one may cost
  [[nodiscard]] bool wants_whole(double shortest, double most) const noexcept {
    return num_timed_ < num_wanted && shortest < unknown && std::max(lately_, shortest) <= most;
  }

  /// An exchange was made, or something that costs as much.
  /// @param is_followed  by a whole one, as wants_whole() wanted
  void count(bool is_followed) noexcept {
    num_unpaid_ += is_followed ? 2 : 1;
    num_timed_ += is_followed ? 1 : 0;
  }

  /// The words of an exchange that count() knows of.
  /// @param shortest  seconds of the one before, of the rank that came last; infinity: not known
  /// @param whole  seconds of one that all ranks began together; infinity: none was timed
  /// @return seconds to charge, also for exchanges before, whose price was not known then
  double pay(double shortest, double whole) noexcept {
    shortest_ = std::min(shortest_, shortest);
    whole_ = std::min(whole_, whole);
    if (shortest < unknown) {
      lately_ = lately_ > 0 ? (lately_ + shortest) / 2 : shortest;
    }
    num_known_ += whole < unknown ? 1 : 0;
    if (num_known_ < num_timed_ || shortest_ == unknown) {
      return 0;
    }
    double const last = shortest < unknown ? std::max(least(), shortest) : least();
    return std::exchange(num_unpaid_, 0) * last;
  }

  /// No words follow any more.
  /// @param usual  seconds of an exchange elsewhere, which counts if no price is known here
  /// @return seconds to charge for exchanges that were not paid yet
  double pay_rest(double usual) noexcept {
    return std::exchange(num_unpaid_, 0) * (price() > 0 ? price() : usual);
  }

  /// Seconds of the shortest exchange as the rank that came last saw it; 0 if there was none.
  [[nodiscard]] double shortest() const noexcept { return shortest_ == unknown ? 0 : shortest_; }

  /// Seconds that one more exchange costs; 0 if there was none.
  [[nodiscard]] double price() const noexcept { return std::max(least(), lately_); }

private:
  [[nodiscard]] double least() const noexcept {
    return std::max(whole_ == unknown ? 0 : whole_, shortest());
  }

  static constexpr double unknown = std::numeric_limits<double>::infinity();
  static constexpr int num_wanted = 2;

  double shortest_ = unknown;
  double whole_ = unknown;
  double lately_ = 0;   ///< seconds of the last ones, as the rank that came last saw them
  int num_timed_ = 0;   ///< whole exchanges
  int num_known_ = 0;   ///< of these, whose words came
  int num_unpaid_ = 0;  ///< exchanges
};

}  // namespace espalier::learn
