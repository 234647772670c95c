// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/ranking/shared_ranking.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "espalier/cost/ranking/generated_choices.hpp"
#include "espalier/cost/ranking/queue_ranking.hpp"
#include "espalier/cost/replay/sharing_engine.hpp"
#include "espalier/simulation/network.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;
using Outcome = SharingEngine::Outcome;

/// Some tenths of a second.
constexpr std::int64_t most_updates = 20'000'000;

/// Which times in queues are good enough to look at the time on shared lines.
Cut shortlist(int num_best) {
  constexpr int least = 8;
  constexpr int most = 64;
  return {.least = std::max(least, num_best), .most = std::max(most, 4 * num_best), .factor = 2};
}

/// Leaves exact only what is wanted of a ranking.
void shorten(std::vector<Placed>& ranking, Cut const& cut) {
  double const near = ranking.empty() ? 0 : cut.factor * ranking.front().seconds;
  for (std::size_t i = 0; i < ranking.size(); ++i) {
    int const most = ranking[i].seconds <= near ? cut.most : cut.least;
    ranking[i].is_exact = ranking[i].is_exact && i < static_cast<std::size_t>(most);
  }
}

/// Ranks choices at one size after the other; what was good at one is tried first at the next.
class SharedRanking {
public:
  SharedRanking(GeneratedChoices& choices, int num_best)
      : choices_(&choices), network_(choices.setting().machine), num_best_(num_best) {}

  [[nodiscard]] std::vector<Placed> const& at(Sizes const& sizes) {
    Cut const cut = shortlist(num_best_);
    in_queues_ = rank_in_queues(*choices_, sizes, cut, in_queues_);
    std::vector<Placed> ranking = in_queues_;
    shorten(ranking, cut);
    order_as_before(ranking);
    BestTimes best({.least = num_best_, .most = num_best_});
    for (Placed& placed : ranking) {
      replay(placed, sizes, best);
    }
    sort(ranking);
    shared_ = std::move(ranking);
    return shared_;
  }

private:
  /// Those first that were best at the size before.
  void order_as_before(std::vector<Placed>& ranking) const {
    std::vector<std::size_t> places(choices_->size(), shared_.size());
    for (std::size_t place = 0; place < shared_.size() && shared_[place].is_exact; ++place) {
      places[shared_[place].number] = place;
    }
    std::ranges::stable_sort(ranking, {}, [&](Placed const& placed) {
      return std::tuple(!placed.is_exact, places[placed.number]);
    });
  }

  void replay(Placed& placed, Sizes const& sizes, BestTimes& best) {
    if (!placed.is_exact) {
      return;
    }
    SharingEngine engine(choices_->steps(placed.number, sizes), choices_->setting(), network_);
    Outcome const outcome = engine.run(best.limit(), most_updates);
    placed.is_exact = outcome != Outcome::late;
    if (outcome != Outcome::costly) {
      placed.seconds = placed.is_exact ? engine.seconds() : best.limit();
    }
    if (placed.is_exact) {
      best.add(placed.seconds);
    }
  }

  GeneratedChoices* choices_;
  simulation::Network network_;
  int num_best_;
  std::vector<Placed> in_queues_;  ///< at the size before
  std::vector<Placed> shared_;     ///< the same
};

}  // namespace

std::vector<std::vector<Ranked>> best_sharing(
    std::span<Choice const> choices,
    int root,
    Setting const& setting,
    std::span<Sizes const> sizes,
    int num_best
) {
  require_best(num_best);
  GeneratedChoices generated(choices, root, setting);
  SharedRanking ranking(generated, num_best);
  std::vector<std::vector<Ranked>> result;
  for (Sizes const& one : sizes) {
    result.push_back(ranked(ranking.at(one), generated));
  }
  return result;
}

}  // namespace espalier::cost
