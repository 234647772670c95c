// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/ranking/queue_ranking.hpp"

#include <tuple>

#include "espalier/cost/replay/engine.hpp"

namespace espalier::cost {
namespace {

/// With the time that each takes at least, in the order in which they are replayed.
std::vector<Placed>
first_to_last(GeneratedChoices& choices, Sizes const& sizes, std::span<Placed const> before) {
  std::vector<Placed> order(before.begin(), before.end());
  for (std::size_t number = order.size(); number < choices.size(); ++number) {
    order.push_back({.number = number});
  }
  for (Placed& placed : order) {
    placed.seconds = choices.lower_bound(placed.number, sizes);
    placed.is_exact = false;
  }
  if (before.empty()) {
    std::ranges::stable_sort(order, {}, &Placed::seconds);
  }
  return order;
}

/// Replays a choice of which a lower bound is known.
void replay(Placed& placed, GeneratedChoices& choices, Sizes const& sizes, double limit) {
  if (placed.seconds > limit) {
    return;
  }
  Engine engine(choices.steps(placed.number, sizes), choices.setting());
  placed.is_exact = engine.run(limit);
  placed.seconds = placed.is_exact ? engine.result().seconds() : limit;
}

}  // namespace

std::vector<Placed> rank_in_queues(
    GeneratedChoices& choices, Sizes const& sizes, Cut const& cut, std::span<Placed const> before
) {
  std::vector<Placed> ranking = first_to_last(choices, sizes, before);
  BestTimes best(cut);
  for (Placed& placed : ranking) {
    replay(placed, choices, sizes, best.limit());
    if (placed.is_exact) {
      best.add(placed.seconds);
    }
  }
  sort(ranking);
  return ranking;
}

void sort(std::vector<Placed>& ranking) {
  std::ranges::sort(ranking, {}, [](Placed const& placed) {
    return std::tuple(!placed.is_exact, placed.seconds, placed.number);
  });
}

std::vector<Ranked> ranked(std::span<Placed const> ranking, GeneratedChoices const& choices) {
  std::vector<Ranked> result;
  result.reserve(ranking.size());
  for (Placed const& placed : ranking) {
    result.push_back({
        .choice = choices.choice(placed.number),
        .seconds = placed.seconds,
        .is_exact = placed.is_exact,
    });
  }
  return result;
}

}  // namespace espalier::cost
