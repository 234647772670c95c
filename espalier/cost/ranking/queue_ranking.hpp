// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "espalier/cost/ranking/generated_choices.hpp"
#include "espalier/cost/ranking/ranking.hpp"
#include "espalier/cost/replay/sizes.hpp"

namespace espalier::cost {

/// A choice and its time.
struct Placed {
  std::size_t number = 0;  ///< in GeneratedChoices
  double seconds = 0;
  bool is_exact = true;  ///< false: it takes at least so long
};

/// Which of the best times are wanted: the `least` best, and more that take at most `factor` times
/// the best, up to `most`.
struct Cut {
  int least = 1;
  int most = 1;
  double factor = 1;
};

/// The best times so far; nothing that is slower than limit() is wanted.
class BestTimes {
public:
  explicit BestTimes(Cut const& cut) : cut_(cut) {}

  void add(double seconds) {
    times_.insert(std::ranges::upper_bound(times_, seconds), seconds);
    times_.resize(std::min(times_.size(), static_cast<std::size_t>(cut_.most)));
  }

  [[nodiscard]] double limit() const {
    if (std::ssize(times_) < cut_.least) {
      return std::numeric_limits<double>::infinity();
    }
    double const wanted =
        std::max(times_[static_cast<std::size_t>(cut_.least) - 1], cut_.factor * times_.front());
    return std::ssize(times_) < cut_.most ? wanted : std::min(wanted, times_.back());
  }

private:
  Cut cut_;
  std::vector<double> times_;  ///< ascending
};

/// All choices by the time that replay.hpp says. Those that are wanted are exact and come first;
/// others may have been given up. Equal times keep the order of the choices.
/// @param before the ranking at another size, which says what to replay first; may be empty.
[[nodiscard]] std::vector<Placed> rank_in_queues(
    GeneratedChoices& choices,
    Sizes const& sizes,
    Cut const& cut,
    std::span<Placed const> before = {}
);

/// Exact ones first, then by time, then by number.
void sort(std::vector<Placed>& ranking);
/// The same with choices for numbers.
[[nodiscard]] std::vector<Ranked>
ranked(std::span<Placed const> ranking, GeneratedChoices const& choices);

}  // namespace espalier::cost
