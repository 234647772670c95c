// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/sharing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "espalier/cost/sharing_engine.hpp"
#include "espalier/cost/steps.hpp"

namespace espalier::cost {
namespace {

using Outcome = SharingEngine::Outcome;

/// About two seconds.
constexpr std::int64_t most_updates = 20'000'000;

SharingEngine
engine_of(algorithms::Choice const& choice, int root, Setting const& setting, Sizes const& sizes) {
  Steps steps(sizes);
  for (int rank = 0; rank < setting.num_ranks(); ++rank) {
    steps.add(choice.generate(setting.num_ranks(), root, rank));
  }
  steps.match();
  return {std::move(steps), setting};
}

/// The times of the best so far, ascending.
class Times {
public:
  explicit Times(int number) : number_(static_cast<std::size_t>(number)) {}

  void add(double seconds) { times_.insert(std::ranges::upper_bound(times_, seconds), seconds); }

  [[nodiscard]] double limit() const {
    return times_.size() < number_ ? SharingEngine::no_deadline : times_[number_ - 1];
  }

private:
  std::size_t number_;
  std::vector<double> times_;
};

}  // namespace

double shared_time(
    algorithms::Choice const& choice, int root, Setting const& setting, Sizes const& sizes
) {
  SharingEngine engine = engine_of(choice, root, setting, sizes);
  engine.run();
  return engine.seconds();
}

std::vector<Ranked> best_sharing(
    std::span<algorithms::Choice const> candidates,
    int root,
    Setting const& setting,
    Sizes const& sizes,
    int num_best
) {
  constexpr int least = 32;
  int const num_replayed = num_best < 1 ? num_best : std::max(least, 4 * num_best);
  std::vector<Ranked> result = best(candidates, root, setting, sizes, num_replayed);
  Times times(num_best);
  for (Ranked& ranked : result) {
    if (!ranked.is_exact) {
      continue;
    }
    SharingEngine engine = engine_of(ranked.choice, root, setting, sizes);
    Outcome const outcome = engine.run(times.limit(), most_updates);
    ranked.is_exact = outcome != Outcome::late;
    if (outcome != Outcome::costly) {
      ranked.seconds = ranked.is_exact ? engine.seconds() : times.limit();
    }
    if (ranked.is_exact) {
      times.add(ranked.seconds);
    }
  }
  std::ranges::stable_sort(result, {}, [](Ranked const& ranked) {
    return std::pair(!ranked.is_exact, ranked.seconds);
  });
  return result;
}

}  // namespace espalier::cost
