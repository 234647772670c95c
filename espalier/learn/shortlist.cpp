// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/shortlist.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/learn/situation.hpp"
#include "espalier/learn/stand_in.hpp"
#include "espalier/learn/variants.hpp"

namespace espalier::learn {
namespace {

using algorithms::Choice;
using Clock = std::chrono::steady_clock;

constexpr std::size_t least_replayed_choices = 8;
/// What so many different algorithms take at two places says whether these differ for such a call.
constexpr std::size_t families_that_tell_places = 4;
constexpr double unknown = std::numeric_limits<double>::infinity();

/// The time of a search: its thread's own, as ranks that share processors get them late. Others
/// wait for it meanwhile, so that it ends in any case after four times as long.
class SearchTime {
public:
  explicit SearchTime(Clock::duration limit) : limit_(limit) {}

  [[nodiscard]] bool is_over() const {
    constexpr int longer = 4;
    return own_now() - own_start_ >= limit_ || Clock::now() - start_ >= longer * limit_;
  }

private:
  static Clock::duration own_now() {
    std::timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  }

  Clock::duration limit_;
  Clock::time_point start_ = Clock::now();
  Clock::duration own_start_ = own_now();
};

/// A place as it is, and the stand-in for it, which is replayed.
struct Scene {
  Situation small;
  Situation large;
  Situation small_between_nodes;  ///< the stand-in, with messages within nodes that cost nothing
};

/// The candidates, and how long each of them takes at each of some places; infinity: unknown.
struct Comparison {
  Repertoire const* candidates = nullptr;
  std::vector<std::vector<double>> times;

  /// The same algorithm, or one that sends the same messages by another name: it takes the same
  /// time everywhere.
  [[nodiscard]] bool are_alike(std::size_t one, std::size_t other) const {
    constexpr double rounding = 1e-9;
    return &candidates->choice(one).algorithm() == &candidates->choice(other).algorithm() ||
           std::ranges::all_of(times, [&](std::vector<double> const& at_place) {
             return std::abs(at_place[one] - at_place[other]) < rounding * at_place[one];
           });
  }

  /// Of the places where it is known. Whoever compares it with what was measured has to have one
  /// model for all candidates.
  [[nodiscard]] double greatest_time(std::size_t candidate) const {
    double greatest = 0;
    for (std::vector<double> const& at_place : times) {
      greatest = at_place[candidate] < unknown ? std::max(greatest, at_place[candidate]) : greatest;
    }
    return greatest;
  }

  /// How many times longer than the best of a place a candidate takes there, at the place where
  /// that is most: who does not know the place regrets that at worst.
  [[nodiscard]] std::vector<double> greatest_regrets() const {
    std::vector<double> regrets(candidates->size(), 0.0);
    for (std::vector<double> const& at_place : times) {
      double const best = std::ranges::min(at_place);
      for (std::size_t i = 0; i < candidates->size(); ++i) {
        regrets[i] = std::max(regrets[i], best > 0 ? at_place[i] / best : 0.0);
      }
    }
    return regrets;
  }

  /// How many times longer than the best of a place a candidate takes there, at the place where
  /// that is least.
  [[nodiscard]] double least_regret(std::size_t candidate) const {
    double least = unknown;
    for (std::vector<double> const& at_place : times) {
      double const best = std::ranges::min(at_place);
      least = std::min(least, best > 0 ? at_place[candidate] / best : 0.0);
    }
    return least;
  }

  /// Those whose times or regrets are known, the least first.
  [[nodiscard]] std::vector<std::size_t> ranking(std::vector<double> const& criterion) const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < candidates->size(); ++i) {
      if (criterion[i] < unknown) {
        order.push_back(i);
      }
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return criterion[i]; });
    return order;
  }
};

/// Whether all choices take about as long at all places, as those of a few bytes do.
bool are_places_alike(Comparison const& comparison) {
  constexpr double alike = 1.05;
  for (std::size_t i = 0; i < comparison.candidates->size(); ++i) {
    for (std::vector<double> const& at_place : comparison.times) {
      double const here = at_place[i];
      double const first = comparison.times.front()[i];
      if (here < unknown && std::max(here, first) > alike * std::min(here, first)) {
        return false;
      }
    }
  }
  return true;
}

/// The place at which the best choice takes most nearly as long as the native call does, or any if
/// they are alike; nullopt if nobody knows. A native call that takes ten times as long as the best
/// choice on a slow network is met more often than one that takes a thousand times as long as on a
/// fast one.
std::optional<std::size_t> likeliest(Comparison const& comparison, double native_seconds) {
  constexpr double different = 2;
  if (are_places_alike(comparison)) {
    return 0;
  }
  std::vector<double> best;
  std::ranges::transform(comparison.times, std::back_inserter(best), [](auto const& at_place) {
    return std::ranges::min(at_place);
  });
  auto const [least, greatest] = std::ranges::minmax(best);
  if (native_seconds <= 0 || least <= 0 || greatest < different * least) {
    return std::nullopt;
  }
  auto const nearest = std::ranges::min_element(best, {}, [&](double seconds) {
    return std::abs(std::log(native_seconds / seconds));
  });
  return static_cast<std::size_t>(nearest - best.begin());
}

/// Choices of one family, of which some were replayed.
struct Line {
  std::size_t best = 0;  ///< of those
  double regret = 0;     ///< of the best one
  Variants others;
};

/// Replays candidates at places.
class Search {
public:
  /// @param candidates  at least one
  Search(Repertoire& candidates, std::vector<Scene> scenes, SearchTime const& time)
      : candidates_(&candidates), scenes_(std::move(scenes)), time_(&time) {
    comparison_.candidates = &candidates;
    comparison_.times.assign(scenes_.size(), std::vector<double>(candidates.size(), unknown));
  }

  [[nodiscard]] Comparison const& comparison() const noexcept { return comparison_; }

  /// As in Proposal, at the place where that is most.
  [[nodiscard]] double part_within_nodes(std::size_t i) const {
    double most = 0;
    for (Scene const& scene : scenes_) {
      double const seconds = candidates_->seconds_of_stand_in(i, scene.small);
      if (seconds > 0) {
        double const between = candidates_->seconds_of_stand_in(i, scene.small_between_nodes);
        most = std::max(most, 1 - between / seconds);
      }
    }
    return most;
  }

  /// The favourites, the first of each family, and then as many others as there is time for.
  /// @param native_seconds  as in Place
  void run(std::span<Choice const> favourites, double native_seconds) {
    for (std::size_t i = 0; i < candidates_->size(); ++i) {
      if (std::ranges::find(favourites, choice(i)) != favourites.end()) {
        replay(i);
      }
    }
    replay_first_ones();
    if (auto const place = likeliest(comparison_, native_seconds)) {
      keep(*place);
    }
    replay_variants();
  }

private:
  [[nodiscard]] bool is_over() const {
    return num_replayed_ >= least_replayed_choices && time_->is_over();
  }

  [[nodiscard]] bool is_replayed(std::size_t i) const {
    return comparison_.times.front()[i] < unknown;
  }

  void replay(std::size_t i) {
    if (is_over()) {
      return;
    }
    for (std::size_t place = 0; place < scenes_.size(); ++place) {
      comparison_.times[place][i] =
          candidates_->seconds(i, scenes_[place].small, scenes_[place].large);
    }
    ++num_replayed_;
  }

  void keep(std::size_t place) {
    scenes_ = {scenes_[place]};
    comparison_.times = {comparison_.times[place]};
  }

  void replay_first_ones() {
    std::size_t num_families = 0;
    for (std::size_t i = 0; i < candidates_->size(); ++i) {
      if (!candidates_->is_first(i)) {
        continue;
      }
      if (!is_replayed(i)) {
        replay(i);
      }
      if (++num_families == families_that_tell_places && are_places_alike(comparison_)) {
        keep(0);
      }
    }
  }

  /// In turns those of families whose best choice is hardly slower than the best of a place, and
  /// then the others.
  void replay_variants() {
    constexpr double far_from_best = 2;
    std::vector<Line> lines = lines_of_families();
    auto const far = std::ranges::partition_point(lines, [](Line const& line) {
      return line.regret <= far_from_best;
    });
    replay_in_turns({lines.begin(), far});
    replay_in_turns({far, lines.end()});
  }

  /// Least regret first.
  [[nodiscard]] std::vector<Line> lines_of_families() const {
    std::map<Repertoire::Family, std::vector<std::size_t>> families;
    for (std::size_t i = 0; i < candidates_->size(); ++i) {
      families[candidates_->family(i)].push_back(i);
    }
    std::vector<Line> lines;
    lines.reserve(families.size());
    for (auto const& [family, members] : families) {
      lines.push_back(line_of(members));
    }
    std::ranges::stable_sort(lines, {}, &Line::regret);
    return lines;
  }

  [[nodiscard]] Line line_of(std::vector<std::size_t> const& members) const {
    std::size_t const best = *std::ranges::min_element(members, {}, [&](std::size_t i) {
      return comparison_.least_regret(i);
    });
    Line line{best, comparison_.least_regret(best), Variants(choice(best))};
    for (std::size_t const i : members) {
      if (!is_replayed(i)) {
        line.others.add(i, choice(i));
      }
    }
    return line;
  }

  void replay_in_turns(std::span<Line> lines) {
    for (bool is_any_left = true; is_any_left && !is_over();) {
      is_any_left = false;
      for (Line& line : lines) {
        if (!line.others.empty()) {
          replay_next(line);
          is_any_left = true;
        }
      }
    }
  }

  void replay_next(Line& line) {
    std::size_t const next = line.others.take_next();
    replay(next);
    if (comparison_.least_regret(next) < comparison_.least_regret(line.best)) {
      line.best = next;
      line.others.prefer(choice(next));
    }
  }

  [[nodiscard]] Choice const& choice(std::size_t i) const { return candidates_->choice(i); }

  Repertoire* candidates_;
  Comparison comparison_;
  std::vector<Scene> scenes_;
  SearchTime const* time_;
  std::size_t num_replayed_ = 0;
};

/// Who is good at all places, then the best at each place, then the second of each, ...: of those
/// that can serve the call, and that are not like one which is taken already.
std::vector<std::size_t>
different(Comparison const& comparison, profile::Call call, int num_ranks, int most) {
  std::vector<std::size_t> taken;
  auto const is_other = [&](std::size_t i) {
    auto const is_like_it = [&](std::size_t other) { return comparison.are_alike(i, other); };
    return std::ranges::none_of(taken, is_like_it) &&
           profile::refuses(call, comparison.candidates->choice(i), num_ranks, 0).empty();
  };
  std::vector<std::vector<std::size_t>> rankings{comparison.ranking(comparison.greatest_regrets())};
  for (std::vector<double> const& at_place : comparison.times) {
    rankings.push_back(comparison.ranking(at_place));
  }
  for (auto size_before = std::ptrdiff_t{-1}; size_before < std::ssize(taken);) {
    size_before = std::ssize(taken);
    for (std::vector<std::size_t> const& order : rankings) {
      auto const next = std::ranges::find_if(order, is_other);
      if (next != order.end() && std::ssize(taken) < most) {
        taken.push_back(*next);
      }
    }
  }
  return taken;
}

/// The place as it may be: also on a slow network if nobody knows better.
std::vector<Place> possible(Place const& place) {
  std::vector<Place> result{place};
  if (place.between_nodes_if_slow) {
    result.push_back(place);
    result.back().between_nodes = *place.between_nodes_if_slow;
  }
  return result;
}

Place between_nodes_only(Place place) {
  place.within_node = {};
  return place;
}

}  // namespace

std::vector<Proposal> shortlist(
    profile::Call call,
    double num_bytes,
    Place const& place,
    int most,
    Clock::duration limit,
    std::span<Choice const> favourites,
    Repertoires* known
) {
  if (place.node_of_rank.empty() || most < 1) {
    throw Error(
        ErrorCode::argument,
        "expected at least 1 rank and 1 choice, got " + std::to_string(place.node_of_rank.size()) +
            " and " + std::to_string(most)
    );
  }
  SearchTime const time(limit);
  Repertoires none;
  Repertoires& repertoires = known != nullptr ? *known : none;
  auto candidates = repertoires.take(profile::collective_of(call), place.node_of_rank);
  if (candidates->size() == 0) {
    return {};
  }
  StandIn const& stand_in = candidates->stand_in();
  std::vector<Scene> scenes;
  for (Place const& one : possible(place)) {
    scenes.push_back({
        .small = situation_of(call, num_bytes, one, stand_in.node_of_rank()),
        .large = situation_of(call, num_bytes, one, stand_in.node_of_large()),
        .small_between_nodes =
            situation_of(call, num_bytes, between_nodes_only(one), stand_in.node_of_rank()),
    });
  }
  Search search(*candidates, std::move(scenes), time);
  search.run(favourites, place.native_seconds);
  Comparison const& found = search.comparison();
  auto const num_ranks = static_cast<int>(place.node_of_rank.size());
  std::vector<Proposal> result;
  for (std::size_t const i : different(found, call, num_ranks, most)) {
    result.push_back({
        .choice = candidates->choice(i),
        .seconds = found.greatest_time(i),
        .within_nodes = search.part_within_nodes(i),
    });
  }
  repertoires.put_back(std::move(candidates));
  return result;
}

}  // namespace espalier::learn
